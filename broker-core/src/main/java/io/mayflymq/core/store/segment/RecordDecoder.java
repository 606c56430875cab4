package io.mayflymq.core.store.segment;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.store.BatchOrigin;
import io.mayflymq.core.store.BurstId;
import io.mayflymq.core.store.EpochHistory;
import io.mayflymq.protocol.types.ShortString;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

/** Reads records that are known to be intact. Belongs to one thread. */
public final class RecordDecoder {
  private final byte[] name = new byte[ShortString.MAX_BYTES];
  private ShortString lastExchange = ShortString.EMPTY;
  private ShortString lastKey = ShortString.EMPTY;
  private int at;

  /**
   * Reads everything of a record except its content. The caller sets segment and offset.
   *
   * @return whether the record is consistent: its parts add up to its length
   */
  public static boolean head(ByteBuffer buffer, int start, RecordHeader head) {
    head.length = buffer.getInt(start);
    head.setCode(buffer.get(start + 4));
    switch (head.type) {
      case SETTLE -> {
        head.goneQueue = buffer.getLong(start + 12);
        head.goneFrom = buffer.getLong(start + 20);
        head.goneTo = buffer.getLong(start + 28);
        head.goneSegment = buffer.getInt(start + 36);
        return head.length == RecordFormat.SETTLE_LENGTH;
      }
      case REMOVED -> {
        head.goneQueue = buffer.getLong(start + 12);
        head.goneFrom = buffer.getLong(start + 20);
        head.goneTo = buffer.getLong(start + 28);
        head.goneSegment = buffer.getInt(start + 36);
        head.removal = buffer.getLong(start + 40);
        return head.length == RecordFormat.REMOVED_LENGTH;
      }
      case FORGET -> {
        head.goneQueue = buffer.getLong(start + 12);
        head.goneFrom = 0;
        head.goneTo = Long.MAX_VALUE;
        head.goneSegment = buffer.getInt(start + 20);
        return head.length == RecordFormat.FORGET_LENGTH;
      }
      case DELIVERED -> {
        head.deliveredQueue = buffer.getLong(start + 12);
        head.deliveredUpTo = buffer.getLong(start + 20);
        return head.length == RecordFormat.DELIVERED_LENGTH;
      }
      case FORCED -> {
        head.forcedTo = buffer.getInt(start + 12);
        return head.length == RecordFormat.FORCED_LENGTH;
      }
      case RETURNED -> {
        head.returnedQueue = buffer.getLong(start + 12);
        head.returnedAll = buffer.get(start + 20) != 0;
        head.returnedNotes = new byte[head.length - RecordFormat.RETURNED_FIXED];
        buffer.get(start + RecordFormat.RETURNED_FIXED, head.returnedNotes);
        return true;
      }
      case QUEUE -> {
        head.namedQueue = buffer.getLong(start + 12);
        head.metadataSeen = buffer.getLong(start + 20);
        head.queueName = new byte[head.length - RecordFormat.QUEUE_FIXED];
        buffer.get(start + RecordFormat.QUEUE_FIXED, head.queueName);
        return true;
      }
      case BURST -> {
        head.burst = new BurstId(buffer.getLong(start + 20), buffer.getLong(start + 12));
        head.burstRecords = buffer.getInt(start + 28);
        head.committed = buffer.getLong(start + 32);
        head.leaderMillis = buffer.getLong(start + 40);
        return head.length == RecordFormat.BURST_LENGTH;
      }
      case HISTORY -> {
        return history(buffer, start, head);
      }
      case APPLIED -> {
        UUID link = new UUID(buffer.getLong(start + 16), buffer.getLong(start + 24));
        head.appliedOrigin = new BatchOrigin(buffer.getInt(start + 12), link);
        head.appliedNumber = buffer.getLong(start + 32);
        head.unknownUpTo = buffer.getLong(start + 40);
        head.appliedOutcome = new byte[head.length - RecordFormat.APPLIED_FIXED];
        buffer.get(start + RecordFormat.APPLIED_FIXED, head.appliedOutcome);
        return true;
      }
      default -> {
        return entry(buffer, start, head);
      }
    }
  }

  private static boolean history(ByteBuffer buffer, int start, RecordHeader head) {
    int epochs = buffer.getShort(start + 37) & 0xffff;
    if (head.length != RecordFormat.HISTORY_FIXED + epochs * RecordFormat.EPOCH) {
      return false;
    }
    List<BurstId> starts = new ArrayList<>(epochs);
    int at = start + RecordFormat.HISTORY_FIXED;
    for (int i = 0; i < epochs; i++) {
      starts.add(new BurstId(buffer.getLong(at), buffer.getLong(at + 8)));
      at += RecordFormat.EPOCH;
    }
    head.history = new EpochHistory(starts);
    head.burst = head.history.last(buffer.getLong(start + 12));
    head.base = buffer.getLong(start + 20);
    head.committed = buffer.getLong(start + 28);
    head.withinBurst = buffer.get(start + 36) != 0;
    return true;
  }

  /** What was written before the flag was there does not tell an absent priority from 0. */
  private static int priority(ByteBuffer buffer, int start) {
    int priority = buffer.get(start + 36) & 0xff;
    boolean isSet = priority > 0 || (buffer.get(start + 37) & RecordFormat.PRIORITY_ZERO) != 0;
    return isSet ? priority : Message.NO_PRIORITY;
  }

  private static boolean entry(ByteBuffer buffer, int start, RecordHeader head) {
    head.enqueuedAt = enqueuedAt(buffer, start);
    head.bodyLength = buffer.getInt(start + 32);
    head.priority = priority(buffer, start);
    int count = buffer.getShort(start + 38) & 0xffff;
    int tail = tail(head.type, count);
    long content = (long) buffer.getInt(start + 28) + head.bodyLength + buffer.getInt(start + 40);
    if (count == 0 || tail + 2 + content > head.length) {
      return false;
    }
    int from = start + RecordFormat.ENTRY_FIXED;
    if (head.type == RecordType.MOVE) {
      head.goneQueue = buffer.getLong(from);
      head.goneFrom = buffer.getLong(from + 8);
      head.goneTo = head.goneFrom;
      head.goneSegment = buffer.getInt(from + 16);
    } else if (head.type == RecordType.RELOCATE) {
      head.goneSegment = buffer.getInt(from);
    }
    int target = from + RecordFormat.sourceLength(head.type);
    head.targets.clear();
    for (int i = 0; i < count; i++) {
      head.targets.add(
          buffer.getLong(target),
          buffer.getLong(target + 8),
          buffer.getLong(target + 16),
          buffer.get(target + 24));
      target += RecordFormat.TARGET;
    }
    return true;
  }

  /** Returns where the part after the targets begins, counted from the start of the record. */
  public static int tail(RecordType type, int targets) {
    return RecordFormat.ENTRY_FIXED
        + RecordFormat.sourceLength(type)
        + targets * RecordFormat.TARGET;
  }

  /** Returns when the message of a record with content came, in ms since the epoch. */
  public static long enqueuedAt(ByteBuffer buffer, int start) {
    return buffer.getLong(start + 12);
  }

  /** Creates the message of a record with content. */
  public Message message(ByteBuffer buffer, int start) {
    RecordType type = RecordType.of(buffer.get(start + 4));
    int propertiesLength = buffer.getInt(start + 28);
    int bodyLength = buffer.getInt(start + 32);
    int blindLength = buffer.getInt(start + 40);
    at = start + tail(type, buffer.getShort(start + 38) & 0xffff);
    ShortString exchange = shortString(buffer, lastExchange);
    lastExchange = exchange;
    ShortString key = shortString(buffer, lastKey);
    lastKey = key;
    List<String> blindKeys = blindLength == 0 ? List.of() : blindKeys(buffer, at + blindLength);
    byte[] content = new byte[propertiesLength + bodyLength];
    buffer.get(at, content);
    int flags = buffer.get(start + 37);
    return new Message(
            exchange,
            key,
            content,
            propertiesLength,
            buffer.getLong(start + 20),
            buffer.get(start + 36) & 0xff,
            (flags & RecordFormat.PERSISTENT) != 0,
            blindKeys)
        .withOneKey((flags & RecordFormat.ONE_KEY) != 0)
        .withPublishedDeaths((flags & RecordFormat.PUBLISHED_DEATHS) != 0);
  }

  /**
   * Returns a short string. Consecutive messages mostly have the same names, and then share one
   * object.
   */
  private ShortString shortString(ByteBuffer buffer, ShortString last) {
    int length = buffer.get(at) & 0xff;
    buffer.get(at + 1, name, 0, length);
    at += 1 + length;
    boolean same =
        length == last.byteLength()
            && Arrays.equals(name, 0, length, last.encoded(), 1, 1 + length);
    return same ? last : ShortString.of(name, 0, length);
  }

  private List<String> blindKeys(ByteBuffer buffer, int end) {
    List<String> keys = new ArrayList<>();
    while (at < end) {
      byte[] key = new byte[buffer.getInt(at)];
      buffer.get(at + 4, key);
      keys.add(new String(key, StandardCharsets.UTF_8));
      at += 4 + key.length;
    }
    return List.copyOf(keys);
  }
}
