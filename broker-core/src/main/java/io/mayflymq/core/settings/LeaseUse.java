package io.mayflymq.core.settings;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/** What may count as use of a queue, so that its lease starts anew. */
public enum LeaseUse {
  /** A consumer: while there are any the lease does not run. */
  CONSUME,
  /** {@code basic.get}. */
  GET,
  /** A declaration of the queue that is there, passive or not, unless with no-wait. */
  DECLARE,
  /** A message was routed to it. */
  PUBLISH,
  /** Its messages were looked at without taking them. */
  PEEK,
  /** A binding to it came or went. */
  BIND,
  /** A policy changed what it lives by. */
  POLICY,
  /** It holds messages that are scheduled for later: while there are any the lease does not run. */
  SCHEDULED;

  /** RabbitMQ's. */
  public static final Set<LeaseUse> DEFAULT =
      Collections.unmodifiableSet(EnumSet.of(CONSUME, GET, DECLARE));

  /** Azure Service Bus's. */
  public static final Set<LeaseUse> SERVICE_BUS =
      Collections.unmodifiableSet(
          EnumSet.of(CONSUME, GET, DECLARE, PUBLISH, PEEK, POLICY, SCHEDULED));

  /** Its bit in sets that are kept as an int. */
  @SuppressWarnings("EnumOrdinal") // in memory only, never in a file or on the wire
  public final int bit = 1 << ordinal();
}
