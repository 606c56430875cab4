package io.mayflymq.cluster.simulation;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.ConsumeOptions;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.queue.ConsumerTarget;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.ShortString;
import java.util.HashMap;
import java.util.Map;

/** A consumer of a client, which may have room for some messages only. */
final class SimulatedConsumer implements ConsumerTarget {
  private final SimulatedClient client;
  private final Queue queue;
  private final KnownQueue known;
  private final Consumer consumer;
  private final boolean sharesRoom;

  /** The number of the last message of each client that it was given. */
  private final Map<SimulatedClient, Integer> last = new HashMap<>();

  private int room = Integer.MAX_VALUE;
  private boolean subscribed;
  private boolean refused;
  private boolean cancelling;
  private boolean cancelled;

  SimulatedConsumer(
      SimulatedClient client,
      Queue queue,
      KnownQueue known,
      boolean acknowledges,
      int prefetch,
      boolean sharesRoom) {
    this.client = client;
    this.queue = queue;
    this.known = known;
    this.sharesRoom = sharesRoom;
    this.consumer =
        new Consumer(
            ShortString.of("consumer"),
            new ConsumeOptions(acknowledges, false, prefetch, FieldTable.EMPTY),
            this);
    known.consumedBy(this);
  }

  Consumer consumer() {
    return consumer;
  }

  Queue queue() {
    return queue;
  }

  KnownQueue known() {
    return known;
  }

  void admitted() {
    require(!subscribed && !refused, "admitted twice");
  }

  void subscribed() {
    subscribed = true;
  }

  void refused() {
    refused = true;
  }

  void cancelling() {
    cancelling = true;
  }

  /** Returns whether it is to get messages. */
  boolean isLive() {
    return subscribed && !cancelling && !cancelled;
  }

  /** Returns whether what its queue has sent ahead may have gone back, without a client's doing. */
  boolean mayRelease() {
    return !queue.isLocal() && consumer.acknowledges() && (sharesRoom || cancelling || cancelled);
  }

  /** Sets how many more messages it takes before it has no room. */
  void setRoom(int messages) {
    queue
        .shard()
        .execute(
            () -> {
              room = messages;
              queue.onShard().resume(consumer);
            });
  }

  @Override
  public boolean reserve(Consumer asking) {
    return room > 0;
  }

  @Override
  public boolean sharesRoom() {
    return sharesRoom;
  }

  @Override
  public void deliver(Consumer to, long sequence, Message message, boolean redelivered) {
    require(!cancelled && !refused, "a message after its end");
    room -= room == Integer.MAX_VALUE ? 0 : 1;
    Delivery delivery = client.delivery(known, queue, to, sequence, message, redelivered);
    client.ledger().delivered(delivery);
    checkTime(delivery);
    checkOrder(delivery);
    client.home().execute(() -> client.received(delivery));
  }

  private void checkTime(Delivery delivery) {
    long handedOut = delivery.handedOutMillis();
    if (handedOut >= 0) {
      client.ledger().handedOut(delivery.number(), known.id, delivery.isDeadLetter(), handedOut);
    }
  }

  /**
   * What one client has published comes in its order, unless it has come before, or was sent ahead
   * to another consumer and released, or did not get where it was to be moved.
   */
  private void checkOrder(Delivery delivery) {
    Publication publication = client.ledger().publication(delivery.number());
    if (!delivery.redelivered
        && !delivery.isDeadLetter()
        && publication.keepsOrder()
        && known.movedTo().isEmpty()
        && !known.mayGetReleased(this)
        && !(known.isReplicated() && client.ledger().anyTrouble())) {
      Integer before = last.put(publication.by, publication.number);
      require(
          before == null || before < publication.number,
          "message %d behind %d".formatted(publication.number, before));
    }
  }

  @Override
  public void cancelled(Consumer gone) {
    require(!cancelled, "cancelled twice");
    cancelled = true;
    client.home().execute(() -> client.cancelled(this));
  }

  private void require(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(
          "%s: consumer of %s, %s on %s, message for %s"
              .formatted(what, client, consumer.tag(), queue, known));
    }
  }
}
