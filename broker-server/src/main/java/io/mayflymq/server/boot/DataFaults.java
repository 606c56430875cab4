package io.mayflymq.server.boot;

import io.mayflymq.core.metadata.MetadataCheck;
import io.mayflymq.core.store.OrphanedQueue;
import io.mayflymq.core.store.disk.OrphanSearch;
import io.mayflymq.core.store.disk.StoreCheck;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What is wrong with a data directory, as far as can be told without reading the messages: whether
 * the files of metadata and messages are there and belong together.
 *
 * @param directory the data directory
 * @param stores what there is of messages
 * @param metadata what there is of metadata; null if a broker uses the directory
 * @param orphans the queues that have messages, and that metadata have lost
 * @param faults what is wrong; none of it has been changed
 */
record DataFaults(
    Path directory,
    StoreCheck stores,
    MetadataCheck metadata,
    List<OrphanedQueue> orphans,
    List<Fault> faults) {
  private static final int MOST_NAMED = 20;

  /** The directory of the messages. */
  static final String MESSAGES_DIRECTORY = "messages";

  /**
   * Something that is wrong.
   *
   * @param file the file or directory, relative to the data directory
   * @param what what is wrong with it
   * @param refuses whether a broker must not start so, as it would lose what was confirmed
   * @param kind what follows for metadata; null for what is not metadata
   */
  record Fault(String file, String what, boolean refuses, MetadataCheck.Kind kind) {
    boolean isMetadata() {
      return kind != null;
    }

    /** Returns whether a check of the data has to fail for it. */
    boolean isDamage() {
      return refuses || kind == MetadataCheck.Kind.REPAIRABLE;
    }

    @Override
    public String toString() {
      return file + " " + what;
    }
  }

  /**
   * Looks at a data directory.
   *
   * @param inUse whether a broker has it: then metadata is not looked at
   * @throws IOException if a file cannot be read, or was written by a newer version
   */
  static DataFaults of(Path directory, boolean inUse) throws IOException {
    StoreCheck stores = StoreCheck.of(directory.resolve(MESSAGES_DIRECTORY));
    List<Fault> faults = new ArrayList<>();
    MetadataCheck metadata = null;
    if (!inUse && Files.exists(directory)) {
      metadata = MetadataCheck.of(directory, stores.broker(), stores.metadataSeen());
      faults.addAll(of(metadata, stores.hasMessages()));
    }
    // Before anything can be declared, a start has made the logs of the shards.
    if (metadata != null
        && !metadata.isEmpty()
        && isMissing(directory.resolve(MESSAGES_DIRECTORY))) {
      faults.add(new Fault(MESSAGES_DIRECTORY, "is missing or empty", true, null));
    }
    for (StoreCheck.Fault fault : stores.faults()) {
      String file = MESSAGES_DIRECTORY + "/" + fault.file();
      faults.add(new Fault(file, fault.what(), fault.refuses(), null));
    }
    List<OrphanedQueue> orphans = orphans(directory, stores, metadata);
    if (!orphans.isEmpty()) {
      faults.add(new Fault(MESSAGES_DIRECTORY, named(orphans), true, null));
    }
    return new DataFaults(directory, stores, metadata, orphans, List.copyOf(faults));
  }

  private static boolean isMissing(Path messages) throws IOException {
    if (Files.notExists(messages)) {
      return true;
    }
    try (Stream<Path> files = Files.list(messages)) {
      return files.findAny().isEmpty();
    }
  }

  private static List<OrphanedQueue> orphans(
      Path directory, StoreCheck stores, MetadataCheck metadata) throws IOException {
    if (metadata == null || !stores.hasMessages()) {
      return List.of();
    }
    Path messages = directory.resolve(MESSAGES_DIRECTORY);
    if (metadata.isEmpty()) {
      return OrphanSearch.of(messages, OrphanSearch.NO_METADATA, Set.of());
    }
    return metadata.sequence() < stores.metadataSeen()
        ? OrphanSearch.of(messages, metadata.sequence(), metadata.queues())
        : List.of();
  }

  private static String named(List<OrphanedQueue> orphans) {
    String names =
        orphans.stream()
            .limit(MOST_NAMED)
            .map(OrphanedQueue::toString)
            .collect(Collectors.joining(", "));
    int more = orphans.size() - MOST_NAMED;
    return "has messages of queues that metadata do not know: "
        + names
        + (more > 0 ? " and %d more".formatted(more) : "");
  }

  private static List<Fault> of(MetadataCheck metadata, boolean hasMessages) {
    List<Fault> faults = new ArrayList<>();
    for (MetadataCheck.Fault fault : metadata.faults()) {
      faults.add(
          new Fault(
              fault.file(),
              fault.what(),
              fault.kind() == MetadataCheck.Kind.REFUSES,
              fault.kind()));
    }
    // Beside messages there are metadata: at least a virtual host and a user.
    if (hasMessages && !metadata.exists()) {
      faults.add(missing("are missing, and there are messages"));
    } else if (hasMessages && metadata.isEmpty() && faults.stream().noneMatch(Fault::refuses)) {
      faults.add(missing("have nothing, and there are messages"));
    }
    return faults;
  }

  private static Fault missing(String what) {
    return new Fault(MetadataCheck.FILES, what, true, MetadataCheck.Kind.REFUSES);
  }

  /** Returns whether a broker must not start so. */
  boolean refuses() {
    return faults.stream().anyMatch(Fault::refuses);
  }

  /** Returns why a broker does not start, and what can be done. */
  DataRefusedException refusal() {
    String all =
        faults.stream()
            .filter(Fault::refuses)
            .map(Fault::toString)
            .collect(Collectors.joining("; "));
    return new DataRefusedException(directory, all);
  }
}
