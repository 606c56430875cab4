package io.mayflymq.cluster.replication;

import java.util.List;

/**
 * Notes of leases, which a leader sends with bursts.
 *
 * @param all whether all earlier ones are void
 * @param notes the notes, of any number of queues
 */
record LeaseNotes(boolean all, List<LeaseNote> notes) {
  static final LeaseNotes NONE = new LeaseNotes(false, List.of());

  boolean isEmpty() {
    return !all && notes.isEmpty();
  }
}
