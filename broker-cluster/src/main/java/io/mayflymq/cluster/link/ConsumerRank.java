package io.mayflymq.cluster.link;

import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.codec.ByteWriter;

/**
 * The place of a consumer among those of its queue, on whichever nodes. The leader of a replicated
 * partition gives it when the consumer joins, and the next leader gets it when the consumer joins
 * again.
 *
 * @param active whether it is the single active one
 * @param number grows from consumer to consumer and from leader to leader; 0 if none was given
 */
public record ConsumerRank(boolean active, long number) {
  /** That of a consumer that has not joined before. */
  public static final ConsumerRank NONE = new ConsumerRank(false, 0);

  /** Returns whether it was given by a leader. */
  public boolean isKnown() {
    return number > 0;
  }

  /** Returns the same of a consumer that is the single active one. */
  public ConsumerRank activated() {
    return new ConsumerRank(true, number);
  }

  /** Writes it behind what a subscription has besides. */
  public void write(ByteWriter out) {
    out.bit(active).number(number);
  }

  /** Reads what was written. */
  public static ConsumerRank read(ByteReader in) {
    return new ConsumerRank(in.bit(), in.number());
  }
}
