package io.mayflymq.core.policy;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/** What may count as use of a queue, which renews its lease. */
public enum LeaseUse {
  /** A consumer: the lease does not run while there are any. */
  CONSUME,
  /** {@code basic.get}. */
  GET,
  /** A declaration of the existing queue, unless it is passive or with no-wait. */
  DECLARE,
  /** A message was routed to it. */
  PUBLISH,
  /** Its messages were browsed. */
  PEEK,
  /** A binding to it was added or removed. */
  BIND,
  /** A policy changed its settings. */
  POLICY,
  /** It has scheduled messages: the lease does not run while there are any. */
  SCHEDULED,
  /** A passive declaration, unless with no-wait. */
  PASSIVE_DECLARE,
  /**
   * It has unacknowledged messages: the lease does not run while there are any. Counts only where
   * {@link #CONSUME} does.
   */
  UNACKED;

  /** The uses that count in RabbitMQ. */
  public static final Set<LeaseUse> DEFAULT =
      Collections.unmodifiableSet(EnumSet.of(CONSUME, GET, DECLARE, PASSIVE_DECLARE));

  /** The uses of a quorum queue that count in RabbitMQ 4.3. */
  public static final Set<LeaseUse> OF_QUORUM_QUEUES =
      Collections.unmodifiableSet(EnumSet.of(CONSUME, GET, DECLARE, UNACKED));

  /** The uses that count in Azure Service Bus. */
  public static final Set<LeaseUse> SERVICE_BUS =
      Collections.unmodifiableSet(
          EnumSet.of(CONSUME, GET, DECLARE, PUBLISH, PEEK, POLICY, SCHEDULED));

  /** The uses that can be chosen one by one. The choice of {@link #DECLARE} is one of both. */
  public static final Set<LeaseUse> CHOICES =
      Collections.unmodifiableSet(EnumSet.complementOf(EnumSet.of(PASSIVE_DECLARE, UNACKED)));

  /** Returns its bit in sets that are stored in an int. */
  @SuppressWarnings("EnumOrdinal") // in memory only, never in a file or on the wire
  public final int bit = 1 << ordinal();
}
