package io.mayflymq.core.settings;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/** What may count as use of a queue, which renews its lease. */
public enum LeaseUse {
  /** A consumer: the lease does not run while there are any. */
  CONSUME,
  /** {@code basic.get}. */
  GET,
  /** A declaration of the existing queue, passive or not, unless with no-wait. */
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
  SCHEDULED;

  /** The uses that count in RabbitMQ. */
  public static final Set<LeaseUse> DEFAULT =
      Collections.unmodifiableSet(EnumSet.of(CONSUME, GET, DECLARE));

  /** The uses that count in Azure Service Bus. */
  public static final Set<LeaseUse> SERVICE_BUS =
      Collections.unmodifiableSet(
          EnumSet.of(CONSUME, GET, DECLARE, PUBLISH, PEEK, POLICY, SCHEDULED));

  /** Returns its bit in sets that are stored in an int. */
  @SuppressWarnings("EnumOrdinal") // in memory only, never in a file or on the wire
  public final int bit = 1 << ordinal();
}
