package io.mayflymq.core.store.disk;

import io.mayflymq.core.store.segment.Damage;
import io.mayflymq.core.store.segment.LogFiles;
import io.mayflymq.core.store.segment.LogIdentity;
import io.mayflymq.core.store.segment.MetadataSeen;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * The result of a check whether the files of all stores exist and belong together. No message is
 * read and nothing is changed.
 *
 * @param broker the id of the data directory; null if it is not known yet
 * @param listed the existing directories, and the ids of their logs as far as known
 * @param hasMessages whether there are files that may contain messages
 * @param metadataSeen the highest sequence number of metadata that a log has seen, 0 if none
 * @param faults what is wrong
 */
public record StoreCheck(
    UUID broker,
    SortedMap<String, Long> listed,
    boolean hasMessages,
    long metadataSeen,
    List<Fault> faults) {
  private static final Pattern LOG =
      Pattern.compile("shard-\\d{1,9}|stream-\\d{1,18}|replica-\\d{1,9}(-stream-\\d{1,18})?");
  private static final String SHARD = "shard-";

  /**
   * A problem.
   *
   * @param file the file or directory, relative to that of the stores
   * @param what what is wrong with it
   * @param refuses whether a broker must not start because of it, as messages are missing
   */
  public record Fault(String file, String what, boolean refuses) {}

  /**
   * Checks the files.
   *
   * @throws IOException if a file cannot be read, or was written by a newer version
   */
  public static StoreCheck of(Path directory) throws IOException {
    return of(new LocalStorageEnvironment(directory));
  }

  static StoreCheck of(StorageEnvironment host) throws IOException {
    List<String> names = host.list();
    DirectoryList.Found list =
        names.isEmpty() ? DirectoryList.Found.NONE : DirectoryList.read(host.root());
    List<Fault> faults = new ArrayList<>();
    UUID broker = list.broker();
    TreeMap<String, Long> present = new TreeMap<>();
    boolean manifests = false;
    int segments = 0;
    long seen = 0;
    for (String name : names.stream().filter(LOG.asMatchPredicate()).sorted().toList()) {
      LogIdentity identity = broker == null ? null : new LogIdentity(broker, name);
      LogFiles.Found found = LogFiles.check(host.open(name), identity);
      if (broker == null && found.identity() != null) {
        broker = found.identity().broker();
      }
      manifests |= found.logId() != null && found.segments() > 0;
      segments += found.segments();
      // The manifest of a stream has the complete number; with several queues, their notes may
      // have higher ones.
      seen = Math.max(seen, found.metadataSeen());
      if (name.startsWith(SHARD)) {
        seen = Math.max(seen, MetadataSeen.by(host.open(name)));
      }
      if (found.logId() != null) {
        present.put(name, found.logId());
      }
      Long id = list.listed().get(name);
      if (id != null && found.logId() != null && !id.equals(found.logId())) {
        faults.add(new Fault(name, "is the directory of another log", true));
      }
      found.damages().forEach(damage -> faults.add(fault(name, damage)));
    }
    if (list.exists() ? !list.whole() : manifests) {
      String what = list.exists() ? "is damaged" : "is missing";
      faults.add(new Fault(DirectoryList.FILE, what, false));
    }
    for (Map.Entry<String, Long> listed : list.listed().entrySet()) {
      if (!names.contains(listed.getKey())) {
        faults.add(new Fault(listed.getKey(), "is missing", true));
      }
    }
    boolean streams = names.stream().anyMatch(name -> name.startsWith("stream-"));
    return new StoreCheck(broker, present, segments > 0 || streams, seen, List.copyOf(faults));
  }

  private static Fault fault(String directory, Damage damage) {
    String what =
        switch (damage.kind()) {
          case MISSING ->
              damage.to() == 0 ? "is missing or empty" : "is cut off before its messages";
          case FOREIGN -> "belongs to another log than the file directories says";
          default -> "is missing or damaged";
        };
    return new Fault(directory + "/" + damage.file(), what, damage.kind().refuses());
  }

  /** Whether a broker must not start with these files. */
  public boolean refuses() {
    return faults.stream().anyMatch(Fault::refuses);
  }
}
