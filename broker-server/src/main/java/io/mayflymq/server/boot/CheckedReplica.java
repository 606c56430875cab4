package io.mayflymq.server.boot;

import io.mayflymq.core.store.BurstId;
import io.mayflymq.core.store.disk.ReplicaFiles;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.json.JsonValue;
import java.io.IOException;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A replica of a partition, as its files tell, for {@code check-data}.
 *
 * @param epoch the highest epoch that it knows; 0 if it has none
 * @param last the number of the last burst in its log; 0 if there is none
 * @param lastEpoch the epoch of the leader that made it; 0 if there is none
 */
record CheckedReplica(int partition, long epoch, long last, long lastEpoch) implements JsonValue {
  private static final Pattern NAME = Pattern.compile("replica-(\\d+)(\\.copied)?");

  /** Returns null if a directory is not that of a replica. */
  static CheckedReplica of(Path path, BurstId end) throws IOException {
    Matcher name = NAME.matcher(path.getFileName().toString());
    if (!name.matches()) {
      return null;
    }
    long known = ReplicaFiles.epochOf(path);
    return new CheckedReplica(
        Integer.parseInt(name.group(1)), Math.max(known, end.epoch()), end.number(), end.epoch());
  }

  @Override
  public Object json() {
    return Json.object(
        "partition", partition, "epoch", epoch, "last", last, "lastEpoch", lastEpoch);
  }

  @Override
  public String toString() {
    return "replica of partition %d, epoch %d, ends with burst %d of epoch %d"
        .formatted(partition, epoch, last, lastEpoch);
  }
}
