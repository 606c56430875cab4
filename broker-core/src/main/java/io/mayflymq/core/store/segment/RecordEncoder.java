package io.mayflymq.core.store.segment;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.store.BurstId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;

/** Encodes records into a buffer, except for what {@link RecordFormat#seal} adds. */
final class RecordEncoder {
  private RecordEncoder() {}

  /** The length of a record with content, in bytes. May be more than an int can hold. */
  public static long length(RecordType type, int targets, Message message) {
    return RecordFormat.ENTRY_FIXED
        + RecordFormat.sourceLength(type)
        + (long) targets * RecordFormat.TARGET
        + message.exchange().encoded().length
        + message.routingKey().encoded().length
        + blindLength(message.blindKeys())
        + message.content().length;
  }

  /** Encodes ENQUEUE or MOVE. */
  public static void message(ByteBuffer buffer, int start, RecordHeader head, Message message) {
    begin(buffer, start, head);
    buffer.putLong(start + 12, head.enqueuedAt);
    buffer.putLong(start + 20, message.ttlMillis());
    buffer.putInt(start + 28, message.propertiesLength());
    buffer.putInt(start + 32, message.bodyLength());
    buffer.put(start + 36, (byte) message.priority());
    buffer.put(start + 37, (byte) RecordFormat.flags(message));
    buffer.putShort(start + 38, (short) head.targets.size());
    buffer.putInt(start + 40, (int) blindLength(message.blindKeys()));
    int at = targets(buffer, source(buffer, start + RecordFormat.ENTRY_FIXED, head), head.targets);
    at = bytes(buffer, at, message.exchange().encoded());
    at = bytes(buffer, at, message.routingKey().encoded());
    if (!message.blindKeys().isEmpty()) {
      at = blindKeys(buffer, at, message.blindKeys());
    }
    bytes(buffer, at, message.content());
  }

  /**
   * Encodes RELOCATE, or ENQUEUE for a message of another record.
   *
   * @param original the buffer with the record that is copied
   * @param originalStart where it begins there
   * @param tail where its part behind the targets begins, from its start
   * @param tailLength how long that is
   */
  public static void relocation(
      ByteBuffer buffer,
      int start,
      RecordHeader head,
      ByteBuffer original,
      int originalStart,
      int tail,
      int tailLength) {
    buffer.put(
        start + RecordFormat.HEADER,
        original,
        originalStart + RecordFormat.HEADER,
        RecordFormat.ENTRY_FIXED - RecordFormat.HEADER);
    begin(buffer, start, head);
    buffer.putShort(start + 38, (short) head.targets.size());
    int at = targets(buffer, source(buffer, start + RecordFormat.ENTRY_FIXED, head), head.targets);
    buffer.put(at, original, originalStart + tail, tailLength);
  }

  /**
   * Encodes ENQUEUE or MOVE as a copy of a record, except for the source's segment.
   *
   * @param original the buffer with the record that is copied
   * @param originalStart where it begins there
   */
  public static void copy(
      ByteBuffer buffer, int start, RecordHeader head, ByteBuffer original, int originalStart) {
    int content = head.length - RecordFormat.HEADER;
    buffer.put(start + RecordFormat.HEADER, original, originalStart + RecordFormat.HEADER, content);
    begin(buffer, start, head);
    if (head.type == RecordType.MOVE) {
      buffer.putInt(start + RecordFormat.segmentAt(head.type), head.goneSegment);
    }
  }

  /** Encodes SETTLE, FORGET or REMOVED. */
  public static void gone(ByteBuffer buffer, int start, RecordHeader head) {
    begin(buffer, start, head);
    buffer.putLong(start + 12, head.goneQueue);
    if (head.type == RecordType.FORGET) {
      buffer.putInt(start + 20, head.goneSegment);
      return;
    }
    buffer.putLong(start + 20, head.goneFrom);
    buffer.putLong(start + 28, head.goneTo);
    buffer.putInt(start + 36, head.goneSegment);
    if (head.type == RecordType.REMOVED) {
      buffer.putLong(start + 40, head.removal);
    }
  }

  /** Encodes DELIVERED. */
  public static void delivered(ByteBuffer buffer, int start, RecordHeader head) {
    begin(buffer, start, head);
    buffer.putLong(start + 12, head.deliveredQueue);
    buffer.putLong(start + 20, head.deliveredUpTo);
  }

  /** Encodes FORCED. */
  public static void forced(ByteBuffer buffer, int start, RecordHeader head) {
    begin(buffer, start, head);
    buffer.putInt(start + 12, head.forcedTo);
  }

  /** Encodes RETURNED. */
  public static void returned(ByteBuffer buffer, int start, RecordHeader head) {
    begin(buffer, start, head);
    buffer.putLong(start + 12, head.returnedQueue);
    buffer.put(start + 20, (byte) (head.returnedAll ? 1 : 0));
    bytes(buffer, start + RecordFormat.RETURNED_FIXED, head.returnedNotes);
  }

  /** Encodes QUEUE. */
  public static void queue(ByteBuffer buffer, int start, RecordHeader head) {
    begin(buffer, start, head);
    buffer.putLong(start + 12, head.namedQueue);
    buffer.putLong(start + 20, head.metadataSeen);
    bytes(buffer, start + RecordFormat.QUEUE_FIXED, head.queueName);
  }

  /** Encodes BURST. */
  public static void burst(ByteBuffer buffer, int start, RecordHeader head) {
    begin(buffer, start, head);
    buffer.putLong(start + 12, head.burst.number());
    buffer.putLong(start + 20, head.burst.epoch());
    buffer.putInt(start + 28, head.burstRecords);
    buffer.putLong(start + 32, head.committed);
    buffer.putLong(start + 40, head.leaderMillis);
  }

  /** Encodes HISTORY. */
  public static void history(ByteBuffer buffer, int start, RecordHeader head) {
    begin(buffer, start, head);
    buffer.putLong(start + 12, head.burst.number());
    buffer.putLong(start + 20, head.base);
    buffer.putLong(start + 28, head.committed);
    buffer.put(start + 36, (byte) (head.withinBurst ? 1 : 0));
    List<BurstId> epochs = head.history.starts();
    buffer.putShort(start + 37, (short) epochs.size());
    int at = start + RecordFormat.HISTORY_FIXED;
    for (BurstId epoch : epochs) {
      buffer.putLong(at, epoch.epoch());
      buffer.putLong(at + 8, epoch.number());
      at += RecordFormat.EPOCH;
    }
  }

  /** Encodes APPLIED. */
  public static void applied(ByteBuffer buffer, int start, RecordHeader head) {
    begin(buffer, start, head);
    UUID link = head.appliedOrigin.link();
    buffer.putInt(start + 12, head.appliedOrigin.node());
    buffer.putLong(start + 16, link.getMostSignificantBits());
    buffer.putLong(start + 24, link.getLeastSignificantBits());
    buffer.putLong(start + 32, head.appliedNumber);
    buffer.putLong(start + 40, head.unknownUpTo);
    bytes(buffer, start + RecordFormat.APPLIED_FIXED, head.appliedOutcome);
  }

  private static void begin(ByteBuffer buffer, int start, RecordHeader head) {
    buffer.putInt(start, head.length);
    buffer.put(start + 4, (byte) head.code());
  }

  private static int source(ByteBuffer buffer, int at, RecordHeader head) {
    if (head.type == RecordType.MOVE) {
      buffer.putLong(at, head.goneQueue);
      buffer.putLong(at + 8, head.goneFrom);
      buffer.putInt(at + 16, head.goneSegment);
    } else if (head.type == RecordType.RELOCATE) {
      buffer.putInt(at, head.goneSegment);
    }
    return at + RecordFormat.sourceLength(head.type);
  }

  private static int targets(ByteBuffer buffer, int start, RecordTargets targets) {
    int at = start;
    for (int i = 0; i < targets.size(); i++) {
      buffer.putLong(at, targets.queueId(i));
      buffer.putLong(at + 8, targets.sequence(i));
      buffer.putLong(at + 16, targets.deadlineMillis(i));
      buffer.put(at + 24, (byte) targets.flags(i));
      at += RecordFormat.TARGET;
    }
    return at;
  }

  private static int bytes(ByteBuffer buffer, int at, byte[] bytes) {
    buffer.put(at, bytes);
    return at + bytes.length;
  }

  private static long blindLength(List<String> keys) {
    long length = 0;
    for (int i = 0; i < keys.size(); i++) {
      length += 4 + keys.get(i).getBytes(StandardCharsets.UTF_8).length;
    }
    return length;
  }

  private static int blindKeys(ByteBuffer buffer, int start, List<String> keys) {
    int at = start;
    for (String key : keys) {
      byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
      buffer.putInt(at, bytes.length);
      at = bytes(buffer, at + 4, bytes);
    }
    return at;
  }
}
