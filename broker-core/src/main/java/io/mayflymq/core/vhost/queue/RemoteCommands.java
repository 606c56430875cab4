package io.mayflymq.core.vhost.queue;

import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.codec.ByteWriter;
import io.mayflymq.core.codec.MessageCodec;
import io.mayflymq.core.queue.Consumer;

/**
 * The commands of a burst for queues of another node. Called within bursts of the queues' shard.
 *
 * @param <Q> queues
 */
public interface RemoteCommands<Q> {
  /** How queues, consumers and messages are named on the link. */
  interface Names<Q> {
    /** Returns the number of a queue. */
    long queue(Q queue);

    /**
     * Returns the number of a consumer; 0 for {@code basic.get}.
     *
     * @param settled how many of its deliveries are being settled
     */
    long consumer(Consumer consumer, long settled);

    /**
     * Returns the number that a delivery has on the home node; -1 if it was delivered by an earlier
     * connection, and is not to be settled any more.
     */
    long sequence(Consumer consumer, long sequence);

    /** Returns what writes messages. */
    MessageCodec messages();

    /** Returns the time, in ms since the epoch. */
    long now();
  }

  /** Writes the commands. */
  void encode(ByteWriter out, Names<Q> names);

  /** Returns whether it is asked when all that they lead to has arrived. */
  boolean hasConsequences();

  /** The home node has applied them. */
  void returned(ByteReader outcome);

  /** All that they lead to has arrived; only if they have consequences. */
  void arrived();

  /** The home node cannot be reached, or was lost before it told the outcome. */
  void lost();
}
