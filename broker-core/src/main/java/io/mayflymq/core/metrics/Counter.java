package io.mayflymq.core.metrics;

import io.mayflymq.core.message.DeathReason;
import io.mayflymq.core.message.DropOutcome;

/**
 * What is counted. Queues, channels, exchanges and connections count what concerns them; the rest
 * of theirs stays 0.
 */
public enum Counter {
  /** Messages: by channels and exchanges those published, by queues those that they took. */
  PUBLISHED,
  /** The bytes of the bodies of those. */
  PUBLISHED_BYTES,
  /** Exchanges: how often a message published to one went to a queue. */
  ROUTED,
  /** Channels: publishes that were confirmed with {@code basic.ack}. */
  CONFIRMED,
  /** Channels: mandatory messages that came back, as they went to no queue. */
  RETURNED,
  /** Channels: other messages that went to no queue. */
  UNROUTABLE,
  /** Queues: messages that were refused at the length limit. */
  REFUSED,
  /** Messages sent to consumers that acknowledge. */
  DELIVERED,
  /** Messages sent to consumers that do not. */
  DELIVERED_NO_ACK,
  /** Messages taken by {@code basic.get} that are to be acknowledged. */
  GOT,
  /** Those that are not. */
  GOT_NO_ACK,
  /** {@code basic.get} that found nothing. */
  GOT_EMPTY,
  /** Of those sent or taken, the ones that may have been before. */
  REDELIVERED,
  /** The bytes of the bodies of those sent or taken. */
  DELIVERED_BYTES,
  /** Messages that were acknowledged. */
  ACKED,
  /** Queues: messages that were put back. */
  REQUEUED,
  /** Queues: messages that outlived their time. */
  EXPIRED,
  /** Queues: messages that a consumer rejected for good. */
  REJECTED,
  /** Queues: messages that had to go, or to stay outside, at the length limit. */
  MAXLEN,
  /** Queues: messages that came back more often than they may. */
  DELIVERY_LIMIT,
  /** Queues: messages that died with their queue when its lease ended. */
  QUEUE_EXPIRED,
  /** Queues: messages that died with their queue when somebody deleted it. */
  QUEUE_DELETED,
  /** Queues: messages that were purged. */
  PURGED,
  /** Queues: dead messages that were sent back from here. */
  REDRIVEN,
  /** Queues: messages that died and went from here to at least one other queue. */
  DEAD_LETTERED,
  /** Queues: messages that died and had to wait until another queue took them. */
  DEAD_LETTERS_WAITED,
  /** Queues: messages that died, were refused wherever they went, and could not wait. */
  DROPPED_REFUSED,
  /** Queues: messages that died where there is no dead letter exchange. */
  DROPPED_NO_EXCHANGE,
  /** Queues: messages that died so that their queue does not dead-letter them. */
  DROPPED_REASON_EXCLUDED,
  /** Queues: messages that died and whose dead letter exchange does not exist. */
  DROPPED_EXCHANGE_MISSING,
  /** Queues: messages that died and whose dead letter exchange had no queue for them. */
  DROPPED_UNROUTABLE,
  /** Queues: messages that died and would have gone round in circles. */
  DROPPED_CYCLE,
  /** Queues: messages that died and could not be read any more. */
  DROPPED_UNREADABLE,
  /** Connections: bytes read from the socket. */
  RECEIVED_BYTES,
  /** Connections: reads of the socket that brought something. */
  RECEIVED_PACKETS,
  /** Connections: bytes written to the socket. */
  SENT_BYTES,
  /** Connections: writes to the socket. */
  SENT_PACKETS;

  static final int COUNT = values().length;

  /** Where it stands in a row of all counters. */
  @SuppressWarnings("EnumOrdinal") // in memory only, never in a file or on the wire
  final int cell = ordinal();

  /** What counts messages that died for this reason. */
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

  /** What counts messages that died and had this fate. */
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
