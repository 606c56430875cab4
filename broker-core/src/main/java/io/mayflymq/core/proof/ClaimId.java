package io.mayflymq.core.proof;

import java.util.Locale;

/**
 * What a proof may say of a queue. The page {@code docs/proof.md} has a row for each, which names
 * the test that holds it: a run in which it happens, or a campaign in which it does not.
 */
public enum ClaimId {
  UNCONFIRMED_LOST(Danger.LOST, true, "a connection, the broker or its node ends"),
  QUEUE_GOES(Danger.LOST, true, "the broker ends, or a client that the queue depends on"),
  TRANSIENT_LOST(Danger.LOST, true, "the broker ends: a stop, kill -9, a loss of power"),
  POWER_LOSS(Danger.LOST, true, "the machine loses its power"),
  CONFIRMED_KEPT(Danger.LOST, false, "the broker ends"),
  DISK_LOST(Danger.LOST, true, "the disk of its node is lost"),
  REPLICAS_KEEP(Danger.LOST, false, "nodes are lost with their disks"),
  EXPIRED_DROPPED(Danger.LOST, true, "the time to live of a message ends"),
  REJECTED_DROPPED(Danger.LOST, true, "a consumer rejects without requeue"),
  LIMIT_DROPS(Danger.LOST, true, "the queue is full"),
  LIMIT_REFUSES(Danger.LOST, true, "the queue is full"),
  DELIVERY_LIMIT_DROPS(Danger.LOST, true, "deliveries fail: consumers reject with requeue, or end"),
  LEASE_DELETES(Danger.LOST, true, "the queue is not used"),
  DELETED_LOST(Danger.LOST, true, "the queue is deleted: by a client, an operator, the broker"),
  DELETED_KEPT(Danger.LOST, false, "the queue is deleted: by a client, an operator, the broker"),
  POLICY_TAKES(Danger.LOST, true, "a policy is set or changed"),
  DEAD_LETTER_LOST(Danger.LOST, true, "a message is dead-lettered"),
  DEAD_LETTERS_KEPT(Danger.LOST, false, "a message is dead-lettered"),
  NO_ACK_LOST(Danger.LOST, true, "a consumer without acknowledgements ends"),
  HELD_LATE(Danger.LATE, true, "a consumer hangs"),
  NODE_DOWN_LATE(Danger.LATE, true, "nodes are down"),
  RETRY_LATE(Danger.LATE, true, "a message is returned"),
  SCHEDULED_LATE(Danger.LATE, true, "a header has a time to deliver"),
  PAUSED_LATE(Danger.LATE, true, "the queue is paused"),
  BLOCKED_LATE(Danger.LATE, true, "the queue is full"),
  RATE_LATE(Danger.LATE, true, "messages come faster than the queue hands them out"),
  EXPIRED_NOT_DELIVERED(Danger.LATE, false, "the time to live of a message ends"),
  RETURNED_OVERTAKEN(
      Danger.OUT_OF_ORDER,
      true,
      "a message is returned: by a requeue, a timeout, a consumer's end"),
  PRIORITIES_OVERTAKE(Danger.OUT_OF_ORDER, true, "messages have different priorities"),
  SHARES_OVERTAKE(Danger.OUT_OF_ORDER, true, "a header of the messages has different values"),
  ORDER_KEPT(Danger.OUT_OF_ORDER, false, "consumers take messages"),
  REDELIVERED(Danger.TWICE, true, "a consumer, its connection or the broker ends"),
  PUBLISHED_AGAIN(Danger.TWICE, true, "a confirm is lost, and the message is published again"),
  SETTLED_GONE(Danger.TWICE, false, "the broker ends"),
  DEAD_LETTER_TWICE(Danger.TWICE, true, "the broker ends while a message is dead-lettered");

  private final Danger danger;
  private final boolean can;
  private final String event;

  ClaimId(Danger danger, boolean can, String event) {
    this.danger = danger;
    this.can = can;
    this.event = event;
  }

  /** Returns its name. */
  public String id() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns what it says of messages. */
  public Danger danger() {
    return danger;
  }

  /** Returns whether it says that this can happen; else that it cannot. */
  public boolean can() {
    return can;
  }

  /** Returns what has to happen first. */
  public String event() {
    return event;
  }
}
