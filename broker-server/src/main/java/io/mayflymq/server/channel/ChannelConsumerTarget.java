package io.mayflymq.server.channel;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.queue.ConsumerOrigin;
import io.mayflymq.core.queue.ConsumerTarget;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.server.rate.ConsumerPace;

/** Sends one consumer's messages through the link from its queue's shard to its connection. */
final class ChannelConsumerTarget implements ConsumerTarget {
  private final Queue queue;
  private final DeliveryLink link;
  private final ConsumerOperations channel;
  private DeliverySource source;

  /** Null until a rate has bounded what it gets. */
  private ConsumerPace pace;

  /** Creates the target of a consumer of this queue. */
  public ChannelConsumerTarget(Queue queue, DeliveryLink link, ConsumerOperations channel) {
    this.queue = queue;
    this.link = link;
    this.channel = channel;
  }

  /** Attaches the consumer, before it joins the queue. */
  public DeliverySource attach(Consumer consumer) {
    source = new DeliverySource(queue, consumer, false);
    return source;
  }

  @Override
  public ConsumerOrigin origin() {
    return channel.identity().origin();
  }

  @Override
  public String clientName() {
    return channel.identity().connection().givenName();
  }

  @Override
  public boolean reserve(Consumer consumer) {
    ChannelPrefetch credit = channel.credit();
    boolean counts = consumer.acknowledges();
    if (credit != null && !credit.tryTake(this, counts)) {
      return false;
    }
    // A rate is asked last, as what it grants is counted.
    if (link.hasRoom(this) && keepsPace()) {
      return true;
    }
    if (credit != null && counts) {
      credit.giveBack(1);
    }
    return false;
  }

  private boolean keepsPace() {
    if (!link.rates().boundDeliveries()) {
      return true;
    }
    if (pace == null) {
      pace = new ConsumerPace(link.rates(), queue.shard(), this::resumeThen);
    }
    return pace.take();
  }

  @Override
  public int mostAhead() {
    return link.rates().mostAhead();
  }

  @Override
  public boolean awaitsTurn() {
    return pace != null && pace.awaitsTurn();
  }

  @Override
  public boolean sharesRoom() {
    ChannelPrefetch credit = channel.credit();
    return credit != null && credit.limit() > 0;
  }

  @Override
  public void deliver(Consumer consumer, long sequence, Message message, boolean redelivered) {
    link.deliver(channel, source, sequence, message, redelivered);
  }

  @Override
  public void moved(Consumer consumer) {
    link.moved(channel, consumer);
  }

  @Override
  public void cancelled(Consumer consumer) {
    link.cancelled(channel, consumer);
  }

  /** Lets the queue try to deliver again. Any thread may call. */
  void resume() {
    source.resume();
  }

  /**
   * Lets the queue try to deliver again, and runs an action after that. Any thread may call.
   *
   * @param next run on the shard of the queue
   */
  void resumeThen(Runnable next) {
    queue
        .shard()
        .execute(
            () -> {
              try {
                queue.onShard().resume(source.consumer());
              } finally {
                next.run();
              }
            });
  }
}
