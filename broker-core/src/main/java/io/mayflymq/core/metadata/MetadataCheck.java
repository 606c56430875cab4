package io.mayflymq.core.metadata;

import io.mayflymq.core.store.segment.DiskDirectory;
import io.mayflymq.core.store.segment.LogDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * The result of a check of a data directory's metadata, which reads every entry and changes
 * nothing.
 *
 * @param exists whether there are metadata, in this layout or an older one, which is not read
 * @param sequence the sequence number of the last commit; 0 if it is not known
 * @param vhosts the virtual hosts that have entries
 * @param entries how many entries there are of each kind: exchanges, queues, bindings
 * @param queues the ids of the queues, if the messages have seen newer metadata; else empty
 * @param faults the problems; if any of them refuses a start, the rest is what could be read
 */
public record MetadataCheck(
    boolean exists,
    long sequence,
    Set<String> vhosts,
    Map<String, Integer> entries,
    Set<Long> queues,
    List<Fault> faults) {
  /** The name of the two copies together. */
  public static final String FILES = String.join(" and ", JournalContents.NAMES);

  /** Returns whether a file of the data directory is one of the copies. */
  public static boolean isCopy(String name) {
    return JournalContents.NAMES.contains(name);
  }

  /**
   * A problem.
   *
   * @param file the file, or both
   * @param what the problem, as a predicate
   * @param kind the consequence
   */
  public record Fault(String file, String what, Kind kind) {}

  /** The consequence of a problem. */
  public enum Kind {
    /** Results from a crash: nothing is lost. */
    HARMLESS,
    /** One copy is damaged, and is repaired from the other one when a broker starts. */
    REPAIRABLE,
    /** A broker must not start, as it would lose confirmed changes. */
    REFUSES
  }

  /**
   * Reads the metadata of a data directory that no broker uses.
   *
   * @param known the id of the data directory according to the message logs; null if they have none
   * @param seen the highest sequence number of metadata that a message log has seen; 0 if none
   * @throws IOException if the directory cannot be read
   */
  public static MetadataCheck of(Path directory, UUID known, long seen) throws IOException {
    return of(new DiskDirectory(directory), known, seen);
  }

  static MetadataCheck of(LogDirectory directory, UUID known, long seen) throws IOException {
    JournalContents contents = JournalContents.read(directory, known);
    List<Fault> faults = new ArrayList<>();
    contents.faults().forEach(what -> faults.add(new Fault(FILES, what, Kind.REFUSES)));
    if (contents.exist() && contents.faults().isEmpty() && contents.sequence() < seen) {
      faults.add(
          new Fault(
              FILES,
              "are older than the messages: they end with commit %d, messages know of commit %d"
                  .formatted(contents.sequence(), seen),
              Kind.REFUSES));
    }
    if (contents.exist()) {
      contents
          .flaws()
          .forEach(
              flaw ->
                  faults.add(
                      new Fault(
                          flaw.file(),
                          flaw.what(),
                          flaw.damage() ? Kind.REPAIRABLE : Kind.HARMLESS)));
    }
    if (contents.hasOldLayout()) {
      faults.add(new Fault(JournalContents.OLD_NAME, JournalContents.OLD_LAYOUT, Kind.REFUSES));
    }
    return new MetadataCheck(
        contents.exist() || contents.hasOldLayout(),
        Math.max(0, contents.sequence()),
        contents.entries().vhosts(),
        contents.entries().counts(),
        contents.sequence() < seen ? contents.entries().queues() : Set.of(),
        List.copyOf(faults));
  }

  /** Whether there are no entries. */
  public boolean isEmpty() {
    return entries.values().stream().allMatch(count -> count == 0);
  }
}
