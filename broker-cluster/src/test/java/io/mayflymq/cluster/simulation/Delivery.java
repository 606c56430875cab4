package io.mayflymq.cluster.simulation;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.message.Moved;
import io.mayflymq.core.message.NumberedMessage;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.vhost.queue.Queue;

/** A message that a client was given. */
final class Delivery {
  enum State {
    HELD,
    RETURNED,
    REJECTED,
    ENDED
  }

  /** The upper bits have the number of the connection that it came by. */
  private static final long HOME_BITS = (1L << 48) - 1;

  final SimulatedClient client;
  final Queue queue;
  final Consumer consumer;
  final long sequence;
  final Message message;
  final boolean redelivered;

  /** The time since the beginning when it came. */
  final long atMillis;

  private final NodeProcess home;
  private final SimulatedConnection connection;
  private State state;

  /**
   * Notes one.
   *
   * @param home the process that it came from; null if its connection is over
   * @param connection by which it came; null if the queue is on the client's node, or if the
   *     connection is over by now
   */
  Delivery(
      SimulatedClient client,
      Queue queue,
      Consumer consumer,
      long sequence,
      Message message,
      boolean redelivered,
      NodeProcess home,
      SimulatedConnection connection) {
    this.client = client;
    this.queue = queue;
    this.consumer = consumer;
    this.sequence = sequence;
    this.message = message;
    this.redelivered = redelivered;
    this.atMillis = client.process().cluster().elapsedMillis();
    this.home = home;
    this.connection = connection;
    this.state = sequence < 0 ? State.ENDED : State.HELD;
  }

  int number() {
    return NumberedMessage.numberOf(message);
  }

  /** Returns the number that its queue's node has given it; -1 for none. */
  long homeSequence() {
    return sequence < 0 ? sequence : sequence & HOME_BITS;
  }

  /** Returns whether it was moved by an operator, at some time. */
  boolean wasMoved() {
    return message.headers().get(Moved.HEADER) != null;
  }

  /** Returns whether it has come from another queue, as a dead letter or as it was moved. */
  boolean isDeadLetter() {
    return message.headers().get("x-death") != null || wasMoved();
  }

  /** Returns whether a client has it, or is done with it, and its queue knows that. */
  boolean isTaken() {
    return (state == State.HELD || state == State.ENDED) && isInForce();
  }

  /**
   * Returns when its queue's node has handed it out, by the clock of that node; -1 if that is not
   * known.
   */
  long handedOutMillis() {
    if (queue.isLocal()) {
      return client.process().clock().millis();
    }
    return connection == null ? -1 : connection.near.handedOut(homeSequence(), number());
  }

  State state() {
    return state;
  }

  void setState(State now) {
    state = now;
  }

  /** Returns whether the queue's node knows what the client does with it. */
  boolean isInForce() {
    return home != null
        && home.isRunning()
        && client.process().isRunning()
        && (queue.isLocal()
            || queue.isReplicated()
            || (connection != null && !connection.isBroken()));
  }

  /** Returns whether the process is still the one that it came from. */
  boolean isOfSameProcess() {
    return home != null && home.isRunning();
  }

  @Override
  public String toString() {
    return "message %d of %s as %d, %s, %s"
        .formatted(
            number(), queue, sequence, state, redelivered ? "redelivered" : "not redelivered");
  }
}
