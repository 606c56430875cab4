package io.mayflymq.core.store.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.store.BatchOrigin;
import io.mayflymq.core.store.segment.LogRig.Back;
import io.mayflymq.core.store.segment.LogRig.QueueKey;
import io.mayflymq.core.store.segment.LogRig.Stored;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.TreeMap;

/** What the queues of a partition have, without where it is: the same on each replica. */
record ReplicaContents(
    TreeMap<QueueKey, Stored> entries,
    TreeMap<Long, Long> delivered,
    TreeMap<Long, TreeMap<Long, Back>> returned,
    List<Applied> applied) {
  /** What is known of the batches of a link. */
  record Applied(BatchOrigin origin, long number, long unknownUpTo, String outcome) {}

  static ReplicaContents of(LogRig rig) {
    TreeMap<QueueKey, Stored> entries = new TreeMap<>();
    rig.entries.forEach((key, stored) -> entries.put(key, stored.anywhere()));
    TreeMap<Long, TreeMap<Long, Back>> returned = new TreeMap<>();
    rig.returned.forEach((queue, notes) -> returned.put(queue, new TreeMap<>(notes)));
    List<Applied> applied = new ArrayList<>();
    rig.batches.forEach(
        (origin, number, unknownUpTo, outcome) ->
            applied.add(
                new Applied(origin, number, unknownUpTo, HexFormat.of().formatHex(outcome))));
    return new ReplicaContents(entries, new TreeMap<>(rig.delivered), returned, applied);
  }

  void assertEqualTo(ReplicaContents other) {
    assertThat(entries).isEqualTo(other.entries);
    assertThat(delivered).isEqualTo(other.delivered);
    assertThat(returned).isEqualTo(other.returned);
    assertThat(applied).isEqualTo(other.applied);
  }
}
