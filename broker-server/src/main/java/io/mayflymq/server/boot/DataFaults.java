package io.mayflymq.server.boot;

import io.mayflymq.core.metadata.MetadataCheck;
import io.mayflymq.core.metadata.MetadataException;
import io.mayflymq.core.store.disk.StoreCheck;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What is wrong with a data directory, as far as can be told without reading the messages: whether
 * the files of metadata and messages are there and belong together.
 *
 * @param directory the data directory
 * @param faults what is wrong; none of it has been changed
 */
record DataFaults(Path directory, List<Fault> faults) {
  /** The file of metadata. */
  static final String METADATA_FILE = "metadata.mv";

  /** The directory of the messages. */
  static final String MESSAGES_DIRECTORY = "messages";

  /**
   * Something that is wrong.
   *
   * @param file the file or directory, relative to the data directory
   * @param what what is wrong with it
   * @param refuses whether a broker must not start so, as it would lose what was confirmed
   */
  record Fault(String file, String what, boolean refuses) {
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
    if (stores.hasMessages() && !inUse) {
      String metadata = whatIsWrongWithMetadata(directory.resolve(METADATA_FILE));
      if (metadata != null) {
        faults.add(new Fault(METADATA_FILE, metadata, true));
      }
    }
    for (StoreCheck.Fault fault : stores.faults()) {
      faults.add(new Fault(MESSAGES_DIRECTORY + "/" + fault.file(), fault.what(), fault.refuses()));
    }
    return new DataFaults(directory, List.copyOf(faults));
  }

  /** Beside messages there are metadata: at least a virtual host and a user. */
  private static String whatIsWrongWithMetadata(Path file) throws IOException {
    if (Files.notExists(file)) {
      return "is missing, and there are messages";
    }
    if (Files.size(file) == 0) {
      return "is empty, and there are messages";
    }
    try {
      boolean empty =
          MetadataCheck.of(file).entries().values().stream().allMatch(count -> count == 0);
      return empty ? "has nothing, and there are messages" : null;
    } catch (MetadataException e) {
      return "is damaged: " + e.getMessage();
    }
  }

  /** Whether a broker must not start so. */
  boolean refuses() {
    return faults.stream().anyMatch(Fault::refuses);
  }

  /** Whether metadata cannot be used. */
  boolean hasNoMetadata() {
    return faults.stream().anyMatch(fault -> fault.file.equals(METADATA_FILE));
  }

  /** Why a broker does not start, and what can be done. */
  DataRefusedException refusal() {
    String all =
        faults.stream()
            .filter(Fault::refuses)
            .map(Fault::toString)
            .collect(Collectors.joining("; "));
    return new DataRefusedException(directory, all);
  }
}
