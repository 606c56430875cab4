package io.mayflymq.core.metrics;

import io.mayflymq.core.message.DeathReason;
import io.mayflymq.core.message.DropOutcome;

/**
 * The counters. Queues, channels, exchanges and connections use those that apply to them; their
 * other counters stay 0.
 */
public enum Counter {
  /** Messages: for channels and exchanges those published, for queues those accepted. */
  PUBLISHED,
  /** The bytes of the bodies of those. */
  PUBLISHED_BYTES,
  /** Exchanges: how often a published message was routed to a queue. */
  ROUTED,
  /** Channels: publishes in confirm mode. They are counted at the end of a burst. */
  PUBLISHED_CONFIRM,
  /** Channels: publishes that were confirmed with {@code basic.ack}. */
  CONFIRMED,
  /** Channels: mandatory messages that were returned as unroutable. */
  RETURNED,
  /** Channels: other unroutable messages. */
  UNROUTABLE,
  /** Queues: messages that were refused at the length limit. */
  REFUSED,
  /** Messages delivered to consumers that acknowledge. */
  DELIVERED,
  /** Messages delivered to consumers that do not acknowledge. */
  DELIVERED_NO_ACK,
  /** Messages taken by {@code basic.get} that are to be acknowledged. */
  GOT,
  /** Messages taken by {@code basic.get} without acknowledgement. */
  GOT_NO_ACK,
  /** {@code basic.get} on an empty queue. */
  GOT_EMPTY,
  /** Of all deliveries, those that may have been delivered before. */
  REDELIVERED,
  /** The bytes of the bodies of all deliveries. */
  DELIVERED_BYTES,
  /** Messages that were acknowledged. */
  ACKED,
  /** Queues: locks of deliveries that their clients renewed. */
  LOCK_RENEWALS,
  /** Queues: messages that were requeued. */
  REQUEUED,
  /** Queues: messages that expired. */
  EXPIRED,
  /**
   * Queues: of the messages that expired, those that did so by the deadline of a header, before
   * they were delivered.
   */
  EXPIRED_BY_DEADLINE,
  /** Queues: messages that a consumer rejected for good. */
  REJECTED,
  /** Queues: messages that were dropped or refused at the length limit. */
  MAXLEN,
  /** Queues: messages that were returned more often than the delivery limit allows. */
  DELIVERY_LIMIT,
  /** Queues: messages that died with their queue when its lease ended. */
  QUEUE_EXPIRED,
  /** Queues: messages that died with their queue when it was deleted. */
  QUEUE_DELETED,
  /**
   * Queues: messages that were in the queue before its counters: it was recovered, or came from
   * another node.
   */
  ARRIVED,
  /** Sums of queues: messages that were in queues that have left, deleted or gone elsewhere. */
  LEFT,
  /** Of these, those that were not acknowledged. */
  LEFT_UNACKED,
  /** Queues: messages that were purged. */
  PURGED,
  /** Queues: messages that operators moved from here to other queues. */
  MOVED,
  /** Queues: dead letters that were redriven from here. */
  REDRIVEN,
  /** Queues: messages that were dead-lettered to at least one other queue. */
  DEAD_LETTERED,
  /** Queues: dead letters that had to wait until another queue accepted them. */
  DEAD_LETTERS_WAITED,
  /** Queues: dead letters that were refused by all queues, and could not wait. */
  DROPPED_REFUSED,
  /** Queues: messages that died where there is no dead letter exchange. */
  DROPPED_NO_EXCHANGE,
  /** Queues: messages that died for a reason for which their queue does not dead-letter. */
  DROPPED_REASON_EXCLUDED,
  /** Queues: messages that died and whose dead letter exchange does not exist. */
  DROPPED_EXCHANGE_MISSING,
  /** Queues: messages that died and whose dead letter exchange had no queue for them. */
  DROPPED_UNROUTABLE,
  /** Queues: dead letters that were dropped because of a cycle. */
  DROPPED_CYCLE,
  /** Queues: messages that died and could not be read any more. */
  DROPPED_UNREADABLE,
  /** Queues: messages that were read from the log, as they were not in memory any more. */
  DISK_READS,
  /** Queues: messages that were written to the log. */
  DISK_WRITES,
  /** Connections: bytes read from the socket. */
  RECEIVED_BYTES,
  /** Connections: reads of the socket that returned data. */
  RECEIVED_PACKETS,
  /** Connections: bytes written to the socket. */
  SENT_BYTES,
  /** Connections: writes to the socket. */
  SENT_PACKETS;

  static final int COUNT = values().length;

  /** Its index in an array of all counters. */
  @SuppressWarnings("EnumOrdinal") // in memory only, never in a file or on the wire
  final int cell = ordinal();

  /** Returns the counter of messages that died for this reason. */
  public static Counter of(DeathReason reason) {
    return switch (reason) {
      case REJECTED -> REJECTED;
      case EXPIRED -> EXPIRED;
      case MAXLEN -> MAXLEN;
      case DELIVERY_LIMIT -> DELIVERY_LIMIT;
      case QUEUE_EXPIRED -> QUEUE_EXPIRED;
      case QUEUE_DELETED -> QUEUE_DELETED;
    };
  }

  /** Returns the counter of dead messages with this outcome. */
  public static Counter of(DropOutcome fate) {
    return switch (fate) {
      case DEAD_LETTERED -> DEAD_LETTERED;
      case WAITING -> DEAD_LETTERS_WAITED;
      case REFUSED -> DROPPED_REFUSED;
      case NO_EXCHANGE -> DROPPED_NO_EXCHANGE;
      case REASON_EXCLUDED -> DROPPED_REASON_EXCLUDED;
      case EXCHANGE_MISSING -> DROPPED_EXCHANGE_MISSING;
      case UNROUTABLE -> DROPPED_UNROUTABLE;
      case CYCLE -> DROPPED_CYCLE;
      case UNREADABLE -> DROPPED_UNREADABLE;
    };
  }
}
