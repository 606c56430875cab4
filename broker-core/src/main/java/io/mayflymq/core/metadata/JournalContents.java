package io.mayflymq.core.metadata;

import io.mayflymq.core.store.segment.LogDirectory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/**
 * The combined contents of the copies of the journal.
 *
 * <p>Each copy contains everything: a snapshot, in parts, and the commits since then, one frame
 * each. A commit is written to both copies and forced in both before it is reported as durable and
 * before the next one is written. So a commit that is complete in one copy is used, whatever the
 * other one contains, and damage in a single place loses nothing.
 *
 * <p>The state is computed from the complete frames of both copies: a snapshot with all its parts,
 * and the commits that follow it without a gap. It is complete if there is no frame beyond that:
 * damaged bytes after the last commit in both copies are an interrupted write, which was never
 * reported as durable. If there is a later commit after a gap, both copies lack something in
 * between, and the broker must not start with less than what it has confirmed.
 */
final class JournalContents {
  static final List<String> NAMES = List.of("metadata.log", "metadata.copy");

  /** The file of metadata in formats 2 and 3 of the data directory, which is not read. */
  static final String OLD_NAME = "metadata.mv";

  /** Says of that file what is wrong with it, if there is no journal. */
  static final String OLD_LAYOUT =
      "is a database of H2 with the metadata, which this version does not read: version 0.2.0"
          + " converts it when it is started with this directory";

  private final List<JournalCopy> copies;
  private final boolean oldLayout;
  private final List<String> faults = new ArrayList<>();
  private final LiveEntries entries = new LiveEntries();
  private final Map<Long, Frame> commits = new HashMap<>();
  private final TreeMap<Long, Map<Integer, Frame>> snapshots = new TreeMap<>();
  private UUID directory;
  private long base = -1;
  private long sequence = -1;
  private long last = -1;

  private JournalContents(List<JournalCopy> copies, boolean oldLayout) {
    this.copies = copies;
    this.oldLayout = oldLayout;
  }

  /**
   * Reads the copies.
   *
   * @param known the id of the data directory; null if it is not known
   * @throws IOException if the directory cannot be read
   */
  static JournalContents read(LogDirectory directory, UUID known) throws IOException {
    List<JournalCopy> copies = JournalCopy.readAll(directory, NAMES, known);
    boolean oldFile = directory.list().contains(OLD_NAME);
    JournalContents contents = new JournalContents(copies, oldFile);
    if (contents.exist()) {
      contents.join(known);
    }
    return contents;
  }

  /** Whether any copy exists. */
  boolean exist() {
    return copies.stream().anyMatch(JournalCopy::exists);
  }

  /** Whether there are metadata that an older version has left, and no copy. */
  boolean hasOldLayout() {
    return oldLayout && !exist();
  }

  private void join(UUID known) {
    directory = known;
    for (JournalCopy copy : copies) {
      if (directory == null) {
        directory = copy.directory();
      }
    }
    List<JournalCopy> own = copies.stream().filter(copy -> !isForeign(copy)).toList();
    if (own.size() < copies.size() && (known == null || own.isEmpty())) {
      faults.add(
          own.isEmpty()
              ? "are of another data directory than the messages"
              : "are of two data directories");
      return;
    }
    own.forEach(this::add);
    findState();
    if (base < 0 || sequence < last) {
      faults.add(whatIsLost());
      salvage();
    } else {
      apply(snapshots.get(base), base);
    }
  }

  private String whatIsLost() {
    if (snapshots.isEmpty()) {
      return "have nothing that is whole";
    }
    return base < 0
        ? "are damaged in the same part of their snapshot of commit %d"
            .formatted(snapshots.lastKey())
        : "lack the commits from %d on, of %d: both are damaged there"
            .formatted(sequence + 1, last);
  }

  private boolean isForeign(JournalCopy copy) {
    return copy.directory() != null && !copy.directory().equals(directory);
  }

  private void add(JournalCopy copy) {
    for (Frame frame : copy.frames()) {
      last = Math.max(last, frame.sequence());
      if (frame.isCommit()) {
        commits.putIfAbsent(frame.sequence(), frame);
      } else {
        snapshots
            .computeIfAbsent(frame.sequence(), absent -> new HashMap<>())
            .putIfAbsent(frame.index(), frame);
      }
    }
  }

  private void findState() {
    for (long snapshot : snapshots.descendingKeySet()) {
      if (isWhole(snapshots.get(snapshot))) {
        long end = snapshot;
        while (commits.containsKey(end + 1)) {
          end++;
        }
        if (end > sequence) {
          sequence = end;
          base = snapshot;
        }
      }
    }
  }

  private static boolean isWhole(Map<Integer, Frame> parts) {
    return parts.size() == parts.values().iterator().next().parts();
  }

  /** Uses what remains when something is missing. */
  private void salvage() {
    long from = base >= 0 ? base : snapshots.isEmpty() ? 0 : snapshots.lastKey();
    apply(snapshots.getOrDefault(from, Map.of()), from);
  }

  private void apply(Map<Integer, Frame> parts, long from) {
    parts.keySet().stream().sorted().map(parts::get).forEach(this::apply);
    commits.keySet().stream()
        .filter(commit -> commit > from)
        .sorted()
        .map(commits::get)
        .forEach(this::apply);
  }

  private void apply(Frame frame) {
    try {
      entries.apply(frame.entries().duplicate());
    } catch (MetadataException e) {
      faults.add("cannot be read by this version: " + e.getMessage());
    }
  }

  /** Returns why the state is not complete, as predicates of both files; empty if it is. */
  List<String> faults() {
    return faults;
  }

  /**
   * A problem of one copy that is repaired from the other one; or an interrupted write.
   *
   * @param file the copy
   * @param what the problem
   * @param damage false for what results from a crash
   */
  record Flaw(String file, String what, boolean damage) {}

  /** Returns the problems of single copies, if the state is complete. */
  List<Flaw> flaws() {
    List<Flaw> flaws = new ArrayList<>();
    for (JournalCopy copy : copies) {
      String what = whatIsWrongWith(copy);
      if (what != null) {
        flaws.add(new Flaw(copy.name(), what, true));
      } else if (!copy.gaps().isEmpty()) {
        JournalCopy.Gap gap = copy.gaps().get(0);
        String where = "bytes %d to %d".formatted(gap.from(), gap.to());
        flaws.add(
            copy.isTornOnly()
                ? new Flaw(copy.name(), "ends with a write that was cut off, " + where, false)
                : new Flaw(copy.name(), "is damaged, " + where, true));
      } else if (copy.last() < sequence) {
        flaws.add(
            new Flaw(
                copy.name(),
                "ends with commit %d and the other one with %d".formatted(copy.last(), sequence),
                copy.last() < sequence - 1));
      } else if (!copy.isWholeUpTo(sequence)) {
        flaws.add(new Flaw(copy.name(), "is not complete", true));
      }
    }
    return flaws;
  }

  private String whatIsWrongWith(JournalCopy copy) {
    if (!copy.exists()) {
      return "is missing";
    } else if (copy.unreadable() != null) {
      return "cannot be read: " + copy.unreadable();
    } else if (isForeign(copy)) {
      return "is of another data directory";
    } else if (copy.size() == 0) {
      return "is empty";
    }
    return null;
  }

  /** The copies. */
  List<JournalCopy> copies() {
    return copies;
  }

  /** The id of the data directory; null if neither copy has a whole header and none was known. */
  UUID directory() {
    return directory;
  }

  /** The sequence of the last commit up to which the state is complete; -1 if there is none. */
  long sequence() {
    return sequence;
  }

  /** Returns the highest sequence in any frame; -1 if there is none. */
  long last() {
    return last;
  }

  /** Returns the live entries after the last commit. */
  LiveEntries entries() {
    return entries;
  }
}
