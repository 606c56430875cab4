package io.mayflymq.core.metadata;

import io.mayflymq.core.store.segment.LogDirectory;
import io.mayflymq.core.store.segment.LogFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * One copy of the journal, after reading all of it.
 *
 * @param name the file
 * @param exists whether there is such a file
 * @param unreadable why it could not be read; null if it could
 * @param directory the id of the data directory in its header; null if that is damaged
 * @param frames the complete frames, in the order of the file
 * @param gaps the bytes that are in no frame
 * @param size its length in bytes
 */
record JournalCopy(
    String name,
    boolean exists,
    String unreadable,
    UUID directory,
    List<Frame> frames,
    List<Gap> gaps,
    int size) {
  /** More than any broker writes; the state is far smaller, and the journal is compacted. */
  static final long MOST_BYTES = 1L << 30;

  /**
   * Bytes that are not a complete frame.
   *
   * @param from the position of the first one
   * @param to the position after the last one
   */
  record Gap(int from, int to) {}

  private record Contents(boolean exists, String unreadable, ByteBuffer bytes) {}

  /**
   * Reads all copies. Frames are recognised with the id of a valid header of any of them.
   *
   * @param known the id of the data directory; null if it is not known
   * @throws IOException if the directory cannot be read
   */
  static List<JournalCopy> readAll(LogDirectory directory, List<String> names, UUID known)
      throws IOException {
    List<String> present = directory.list();
    List<Contents> all = new ArrayList<>();
    UUID id = known;
    for (String name : names) {
      Contents contents = read(directory, name, present.contains(name));
      all.add(contents);
      id = id == null ? JournalHeader.decode(contents.bytes) : id;
    }
    List<JournalCopy> copies = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      copies.add(scan(names.get(i), all.get(i), id));
    }
    return copies;
  }

  private static Contents read(LogDirectory directory, String name, boolean exists) {
    ByteBuffer none = ByteBuffer.allocate(0);
    if (!exists) {
      return new Contents(false, null, none);
    }
    try (LogFile file = directory.open(name, false)) {
      long size = file.size();
      if (size > MOST_BYTES) {
        return new Contents(
            true, "it has %d bytes, more than a broker writes".formatted(size), none);
      }
      ByteBuffer bytes = ByteBuffer.allocate((int) size);
      file.read(bytes, 0);
      return new Contents(true, null, bytes.flip());
    } catch (IOException e) {
      return new Contents(true, e.getMessage(), none);
    }
  }

  private static JournalCopy scan(String name, Contents contents, UUID known) {
    ByteBuffer file = contents.bytes;
    UUID own = JournalHeader.decode(file);
    UUID id = own == null ? known : own;
    List<Frame> frames = new ArrayList<>();
    List<Gap> gaps = new ArrayList<>();
    int at = Math.min(JournalHeader.BYTES, file.limit());
    if (own == null && at > 0) {
      gaps.add(new Gap(0, at));
    }
    while (at < file.limit()) {
      Frame frame = id == null ? null : Frame.at(file, at, id);
      int next = frame == null ? nextFrame(file, at + 1, id) : frame.to();
      if (frame == null) {
        gaps.add(new Gap(at, next));
      } else {
        frames.add(frame);
      }
      at = next;
    }
    return new JournalCopy(
        name, contents.exists, contents.unreadable, own, frames, gaps, file.limit());
  }

  private static int nextFrame(ByteBuffer file, int from, UUID id) {
    int at = from;
    while (id != null && at < file.limit() && Frame.at(file, at, id) == null) {
      at++;
    }
    return id == null ? file.limit() : at;
  }

  /** Returns the sequence of the last commit of which it has any part; -1 if there is none. */
  long last() {
    return frames.stream().mapToLong(Frame::sequence).max().orElse(-1);
  }

  /** Whether it is complete by itself up to a commit: a snapshot and all commits since. */
  boolean isWholeUpTo(long sequence) {
    long expected = -1;
    int part = 0;
    for (Frame frame : frames) {
      if (expected < 0) {
        if (frame.isCommit() || frame.index() != part++) {
          return false;
        }
        expected = part == frame.parts() ? frame.sequence() + 1 : -1;
      } else if (!frame.isCommit() || frame.sequence() != expected++) {
        return false;
      }
    }
    return expected == sequence + 1;
  }

  /** Whether all bytes outside of frames are at its end, as after an interrupted write. */
  boolean isTornOnly() {
    return directory != null
        && gaps.size() == 1
        && (frames.isEmpty() || gaps.get(0).from() >= frames.get(frames.size() - 1).to());
  }
}
