package io.mayflymq.core.store.stream;

import io.mayflymq.core.message.Message;

/**
 * The newest messages of a stream, in memory for the consumers that keep up with it. Messages that
 * are not safe yet stay; the others are bounded, in bytes.
 */
final class StreamTail {
  private static final int MOST_BYTES = 256 << 10;
  private static final int BYTES_PER_MESSAGE = 128;

  private Message[] ring = new Message[16];
  private long first;
  private long next;
  private long bytes;

  /** Starts again at an offset. */
  void startAt(long offset) {
    first = offset;
    next = offset;
  }

  void add(Message message) {
    if (next - first == ring.length) {
      resize(ring.length * 2);
    }
    ring[slot(next)] = message;
    next++;
    bytes += sizeOf(message);
  }

  /** Returns the message, or null if it is no longer here. */
  Message get(long offset) {
    return offset >= first && offset < next ? ring[slot(offset)] : null;
  }

  /**
   * Removes messages that are safe.
   *
   * @param safe the offset after the last safe one
   * @param readers whether there are any consumers
   */
  void trim(long safe, boolean readers) {
    long most = readers ? MOST_BYTES : 0;
    while (first < safe && bytes > most) {
      int slot = slot(first);
      bytes -= sizeOf(ring[slot]);
      ring[slot] = null;
      first++;
    }
    if (ring.length > 1024 && next - first < ring.length / 8) {
      resize(ring.length / 4);
    }
  }

  private void resize(int capacity) {
    Message[] other = new Message[capacity];
    for (long offset = first; offset < next; offset++) {
      other[(int) (offset & (capacity - 1))] = ring[slot(offset)];
    }
    ring = other;
  }

  private int slot(long offset) {
    return (int) (offset & (ring.length - 1));
  }

  private static long sizeOf(Message message) {
    return message.content().length + (long) BYTES_PER_MESSAGE;
  }
}
