package io.mayflymq.core.store.stream;

import io.mayflymq.core.store.segment.Damage;
import io.mayflymq.core.store.segment.EntryReader;
import io.mayflymq.core.store.segment.LogDirectory;
import io.mayflymq.core.store.segment.LogFile;
import io.mayflymq.core.store.segment.LogFiles;
import io.mayflymq.core.store.segment.SegmentHeader;
import io.mayflymq.core.store.segment.SegmentNames;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads a stream's files like its consumers, but every record of every segment: after a damaged
 * record it continues at the next one that the index names.
 *
 * <p>The index names a record after it has been forced. So unreadable bytes after the last record
 * that it names may result from a crash, and before that they are damage. An index only speeds up
 * searches, and may itself be incomplete after a crash: that is no damage.
 */
final class StreamInspector {
  private final LogDirectory directory;
  private final EntryReader entries = new EntryReader();
  private final List<StreamCheck.SegmentFile> segments = new ArrayList<>();
  private final List<Damage> damages = new ArrayList<>();

  StreamInspector(LogDirectory directory) {
    this.directory = directory;
  }

  StreamCheck inspect() throws IOException {
    LogFiles.check(directory, null).damages().stream()
        .filter(damage -> damage.kind().refuses())
        .forEach(damages::add);
    for (int number : SegmentNames.segments(directory.list())) {
      String name = SegmentNames.log(number);
      try (LogFile file = directory.open(name, false)) {
        inspect(number, name, file);
      } catch (NoSuchFileException | FileNotFoundException e) {
        // A broker that is running has deleted it meanwhile.
      }
    }
    return new StreamCheck(directory.toString(), List.copyOf(segments), List.copyOf(damages));
  }

  private void inspect(int number, String name, LogFile file) throws IOException {
    int size = (int) Math.min(file.size(), Integer.MAX_VALUE);
    SegmentHeader.Found found = SegmentHeader.read(file, name);
    SegmentHeader header = found.header();
    if (header == null || header.segment() != number) {
      // A segment that was just begun has nothing yet, and a start deletes it.
      boolean begun = size <= SegmentHeader.SPACE;
      damages.add(new Damage(name, begun ? Damage.Kind.TORN_TAIL : Damage.Kind.SEGMENT, 0, size));
      segments.add(new StreamCheck.SegmentFile(name, size, 0, -1, -1, false));
      return;
    }
    try (SparseIndex index = open(header)) {
      StreamCheck.SegmentFile segment = read(name, file, size, header, index);
      segments.add(segment);
      if (found.copies() < 2) {
        boolean begun = segment.messages() == 0;
        Damage.Kind kind = begun ? Damage.Kind.TORN_TAIL : Damage.Kind.HEADER;
        damages.add(new Damage(name, kind, 0, Math.min(size, SegmentHeader.SPACE)));
      }
    }
  }

  private SparseIndex open(SegmentHeader header) throws IOException {
    try {
      LogFile file = directory.open(SparseIndex.name(header.segment()), false);
      return new SparseIndex(file, new StreamSegment(header));
    } catch (NoSuchFileException | FileNotFoundException e) {
      return null;
    }
  }

  private StreamCheck.SegmentFile read(
      String name, LogFile file, int size, SegmentHeader header, SparseIndex index)
      throws IOException {
    int named = index == null ? -1 : index.lastPosition();
    int forced = LogFiles.forcedOf(directory, header.segment());
    long messages = 0;
    long first = -1;
    long last = -1;
    int from = SegmentHeader.SPACE;
    while (from >= 0) {
      entries.seek(file, header.key(), from);
      while (entries.next(size)) {
        messages++;
        first = first < 0 ? entries.sequence() : first;
        last = entries.sequence();
      }
      int end = entries.end();
      int next = index == null || end >= size ? -1 : index.positionBehind(end);
      from = next < size ? next : -1;
      if (end < size) {
        boolean torn = named < end && forced <= end;
        Damage.Kind kind = torn ? Damage.Kind.TORN_TAIL : Damage.Kind.RECORDS;
        damages.add(new Damage(name, kind, end, from < 0 ? size : from));
      }
    }
    if (Math.max(named, forced - 1) >= size) {
      damages.add(new Damage(name, Damage.Kind.RECORDS, size, Math.max(named, forced)));
    }
    boolean indexed = index != null && index.isWhole();
    return new StreamCheck.SegmentFile(name, size, messages, first, last, indexed);
  }
}
