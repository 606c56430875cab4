package io.mayflymq.server.standby;

import io.mayflymq.core.codec.ByteFormatException;
import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.codec.ByteWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What a primary answers about the messages of a queue.
 *
 * @param id the queue's, never given to another queue
 * @param present the numbers of all messages; null if it was not asked for
 * @param reusedFrom from this number on numbers were given to other messages since the time that
 *     was asked about; {@link #NONE} if none was
 * @param messages as {@link CopiedMessage} writes them, in the order of their numbers
 * @param seen up to this number all were looked at
 * @param complete whether these were all that there were when it began
 */
record QueueSlice(
    long id,
    SequenceRanges present,
    long reusedFrom,
    List<byte[]> messages,
    long seen,
    boolean complete) {
  static final long NONE = -1;
  private static final int VERSION = 1;

  byte[] write() {
    ByteWriter out = new ByteWriter(1024);
    out.room(messages.stream().mapToInt(each -> each.length + 5).sum());
    out.octet(VERSION).number(id).bit(present != null);
    if (present != null) {
      present.write(out);
    }
    out.signed(reusedFrom).signed(seen).bit(complete).number(messages.size());
    messages.forEach(out::bytes);
    return Arrays.copyOf(out.bytes(), out.size());
  }

  /**
   * Reads it.
   *
   * @throws ByteFormatException if it cannot be read
   */
  static QueueSlice read(byte[] bytes) {
    ByteReader in = new ByteReader(bytes, bytes.length);
    int version = in.octet();
    if (version != VERSION) {
      throw new ByteFormatException(
          "the primary tells messages in version %d: expected %d".formatted(version, VERSION));
    }
    long id = in.number();
    SequenceRanges present = in.bit() ? SequenceRanges.read(in) : null;
    long reusedFrom = in.signed();
    long seen = in.signed();
    boolean complete = in.bit();
    List<byte[]> messages = new ArrayList<>();
    for (int left = in.count(1); left > 0; left--) {
      messages.add(in.bytes());
    }
    return new QueueSlice(id, present, reusedFrom, messages, seen, complete);
  }
}
