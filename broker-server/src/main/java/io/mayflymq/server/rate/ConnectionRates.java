package io.mayflymq.server.rate;

import io.mayflymq.core.runtime.Shard;

/** The rates that one connection is to keep to: those of its user and of its virtual host. */
public final class ConnectionRates {
  /** Of what a rate lets pass in a second, so large a part is sent ahead from another node. */
  private static final int PARTS_AHEAD = 50;

  private final NamedRates user;
  private final NamedRates vhost;
  private final DeliveryTurns turns;
  private final Runnable close;

  // Those that it has published by. On the connection's loop.
  private PublishRate publishedByUser;
  private PublishRate publishedByVhost;

  ConnectionRates(NamedRates user, NamedRates vhost, DeliveryTurns turns, Runnable close) {
    this.user = user;
    this.vhost = vhost;
    this.turns = turns;
    this.close = close;
  }

  /** The connection has ended. To be called once. */
  public void close() {
    close.run();
  }

  // Publishing, on the connection's loop

  /** Returns whether there is a rate of publishing. */
  public boolean boundPublishing() {
    return user.publishing() != null || vhost.publishing() != null;
  }

  /** Messages were published. Returns when the next ones may be, in ms since the epoch. */
  public long published(long messages, long nowMillis) {
    publishedByUser = user.publishing();
    publishedByVhost = vhost.publishing();
    return Math.max(
        passAt(publishedByUser, messages, nowMillis),
        passAt(publishedByVhost, messages, nowMillis));
  }

  private static long passAt(PublishRate rate, long messages, long nowMillis) {
    return rate == null ? nowMillis : rate.passAt(messages, nowMillis);
  }

  /** Returns whether the rates are still those of the last {@link #published}. */
  @SuppressWarnings("ReferenceEquality") // one object as long as the rate is the same
  public boolean areAsPublished() {
    return publishedByUser == user.publishing() && publishedByVhost == vhost.publishing();
  }

  /** Returns how many messages the connection publishes at once, 1 or more. */
  public long mostAtOnce() {
    return Math.min(mostAtOnce(user.publishing()), mostAtOnce(vhost.publishing()));
  }

  private static long mostAtOnce(PublishRate rate) {
    return rate == null ? Long.MAX_VALUE : rate.mostAtOnce();
  }

  // Deliveries, on any thread

  /** Returns whether there is a rate of deliveries. */
  public boolean boundDeliveries() {
    return user.deliveries() != null || vhost.deliveries() != null;
  }

  /**
   * Returns how many messages should be sent ahead of a consumer from another node, 1 or more;
   * {@link Integer#MAX_VALUE} if there is no rate of deliveries.
   */
  public int mostAhead() {
    return Math.min(mostAhead(user.deliveries()), mostAhead(vhost.deliveries()));
  }

  private static int mostAhead(DeliveryRate rate) {
    return rate == null
        ? Integer.MAX_VALUE
        : (int) Math.max(1, rate.rate().perSecond() / PARTS_AHEAD);
  }

  NamedRates user() {
    return user;
  }

  NamedRates vhost() {
    return vhost;
  }

  DeliveryTurns turns() {
    return turns;
  }

  /** One message that {@code basic.get} may take. */
  public final class Get {
    private final Turn turn;

    private Get(Turn turn) {
      this.turn = turn;
    }

    /** There was no message. On the shard that asked, within a burst. */
    public void giveBack() {
      turns.giveBack(turn, 1);
    }
  }

  /**
   * Counts a message that {@code basic.get} is to take, unless consumers wait or the rate lets none
   * pass.
   *
   * @param shard whose thread calls, within a burst
   * @return null if none may be taken now
   */
  public Get get(Shard shard) {
    Turn turn = new Turn(user, vhost, shard, null);
    return turns.takeNow(turn) ? new Get(turn) : null;
  }
}
