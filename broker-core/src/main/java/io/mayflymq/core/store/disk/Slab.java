package io.mayflymq.core.store.disk;

import io.mayflymq.core.message.Message;
import io.mayflymq.protocol.types.ShortString;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/**
 * Records of messages, one after the other in a block of memory outside of the heap:
 *
 * <pre>{@code
 * offset  bytes
 *      0      4  length of the record without its holders
 *      4      4  how many holders have been added
 *      8      4  how many of them still need it
 *     12      8  the message's own TTL in ms
 *     20      4  length of the properties
 *     24      1  priority
 *     25      1  flags
 *     26      8  only with a flag: number of a prefix, and how many bytes of it the content
 *                begins with
 *                exchange and routing key, as short strings; properties; body
 * length   16 *  holders: the queue's id and the number of the message in it
 * }</pre>
 *
 * <p>Holders are added to the last record only: after the others there is no room.
 */
final class Slab {
  private static final int HOLDERS = 4;
  private static final int LIVE = 8;
  private static final int TTL = 12;
  private static final int PROPERTIES = 20;
  private static final int PRIORITY = 24;
  private static final int FLAGS = 25;
  private static final int HEAD = 26;
  private static final int PREFIX = 8;
  private static final int HOLDER = 16;

  private static final int PERSISTENT = 1;
  private static final int PREFIXED = 2;
  private static final int ONE_KEY = 4;
  private static final int PUBLISHED_DEATHS = 8;

  private final BlockMemory.Block block;
  private final ByteBuffer bytes;
  private int end;
  private int live;

  Slab(BlockMemory.Block block) {
    this.block = block;
    this.bytes = block.bytes().order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Gives the memory back. To be called last, and once. */
  void free() {
    block.free();
  }

  /**
   * How many bytes a message takes with its first holder, at most. May be more than an int holds.
   */
  static long length(Message message) {
    return (long) HEAD
        + message.exchange().encoded().length
        + message.routingKey().encoded().length
        + message.content().length
        + HOLDER;
  }

  /** Where the records end. */
  int end() {
    return end;
  }

  /** Returns the size of the records that are needed, in bytes. */
  int live() {
    return live;
  }

  boolean hasRoom(long more) {
    return end + more <= bytes.capacity();
  }

  /** Removes all records. */
  void clear() {
    end = 0;
    live = 0;
  }

  // Appending

  /**
   * Appends a message of one queue.
   *
   * @param prefix the prefix of its content, or {@link PrefixDictionary#NONE}
   * @param shared how many bytes of the prefix it begins with
   * @return its offset
   */
  int append(Message message, int prefix, int shared, long queueId, long sequence) {
    int start = end;
    bytes.putLong(start + TTL, message.ttlMillis());
    bytes.putInt(start + PROPERTIES, message.propertiesLength());
    bytes.put(start + PRIORITY, (byte) message.priority());
    boolean prefixed = prefix != PrefixDictionary.NONE;
    bytes.put(
        start + FLAGS,
        (byte)
            ((message.persistent() ? PERSISTENT : 0)
                | (prefixed ? PREFIXED : 0)
                | (message.hasOneKey() ? ONE_KEY : 0)
                | (message.hasPublishedDeaths() ? PUBLISHED_DEATHS : 0)));
    int at = start + HEAD;
    if (prefixed) {
      bytes.putInt(at, prefix);
      bytes.putInt(at + 4, shared);
      at += PREFIX;
    }
    at = put(at, message.exchange().encoded(), 0);
    at = put(at, message.routingKey().encoded(), 0);
    at = put(at, message.content(), prefixed ? shared : 0);
    begin(start, at - start);
    hold(start, queueId, sequence);
    return start;
  }

  /** Appends a record of another slab, with no holder yet. @return its offset */
  int append(Slab other, int offset) {
    int start = end;
    int length = other.length(offset);
    bytes.put(start, other.bytes, offset, length);
    begin(start, length);
    return start;
  }

  private void begin(int start, int length) {
    bytes.putInt(start, length);
    bytes.putInt(start + HOLDERS, 0);
    bytes.putInt(start + LIVE, 0);
    end = start + length;
    live += length;
  }

  private int put(int at, byte[] part, int from) {
    int length = part.length - from;
    bytes.put(at, part, from, length);
    return at + length;
  }

  /** Whether there is room for another holder of the last record. */
  boolean hasRoomForHolder() {
    return hasRoom(HOLDER);
  }

  /** Adds a queue as a holder of the last record. */
  void hold(int last, long queueId, long sequence) {
    bytes.putLong(end, queueId);
    bytes.putLong(end + 8, sequence);
    bytes.putInt(last + HOLDERS, holders(last) + 1);
    bytes.putInt(last + LIVE, liveHolders(last) + 1);
    end += HOLDER;
    live += HOLDER;
  }

  // Reading

  /** Creates the message of a record. */
  Message read(int offset, NameInterner names, PrefixDictionary prefixDictionary) {
    int prefix = prefix(offset);
    boolean prefixed = prefix != PrefixDictionary.NONE;
    int shared = prefixed ? bytes.getInt(offset + HEAD + 4) : 0;
    int exchangeAt = offset + HEAD + (prefixed ? PREFIX : 0);
    ShortString exchange = names.exchange(bytes, exchangeAt);
    int keyAt = exchangeAt + exchange.encoded().length;
    ShortString key = names.routingKey(bytes, keyAt);
    int at = keyAt + key.encoded().length;
    int own = offset + length(offset) - at;
    byte[] content = new byte[shared + own];
    if (prefixed) {
      prefixDictionary.copy(prefix, content, shared);
    }
    bytes.get(at, content, shared, own);
    return new Message(
            exchange,
            key,
            content,
            bytes.getInt(offset + PROPERTIES),
            bytes.getLong(offset + TTL),
            bytes.get(offset + PRIORITY) & 0xff,
            (bytes.get(offset + FLAGS) & PERSISTENT) != 0,
            List.of())
        .withOneKey((bytes.get(offset + FLAGS) & ONE_KEY) != 0)
        .withPublishedDeaths((bytes.get(offset + FLAGS) & PUBLISHED_DEATHS) != 0);
  }

  /** Returns the prefix of a record's content, or {@link PrefixDictionary#NONE}. */
  int prefix(int offset) {
    return (bytes.get(offset + FLAGS) & PREFIXED) == 0
        ? PrefixDictionary.NONE
        : bytes.getInt(offset + HEAD);
  }

  private int length(int offset) {
    return bytes.getInt(offset);
  }

  /** Returns the size of a record with its holders: the next one begins after them. */
  int extent(int offset) {
    return length(offset) + holders(offset) * HOLDER;
  }

  int holders(int offset) {
    return bytes.getInt(offset + HOLDERS);
  }

  int liveHolders(int offset) {
    return bytes.getInt(offset + LIVE);
  }

  long queueOf(int offset, int holder) {
    return bytes.getLong(offset + length(offset) + holder * HOLDER);
  }

  long sequenceOf(int offset, int holder) {
    return bytes.getLong(offset + length(offset) + holder * HOLDER + 8);
  }

  // Releasing

  /**
   * Releases a record for one of its holders.
   *
   * @return how many bytes became free: 0 unless it was the last holder
   */
  int release(int offset) {
    int left = liveHolders(offset) - 1;
    bytes.putInt(offset + LIVE, left);
    if (left > 0) {
      return 0;
    }
    int freed = extent(offset);
    live -= freed;
    return freed;
  }
}
