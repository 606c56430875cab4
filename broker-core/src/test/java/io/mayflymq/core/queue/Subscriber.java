package io.mayflymq.core.queue;

/** A consumer of the model, or the one whose messages {@code basic.get} holds. */
final class Subscriber {
  final int number;
  final boolean acknowledges;
  final int prefetch;

  /** How many more messages its outlet takes. */
  int room;

  boolean subscribed;
  boolean saidNoRoom;
  int held;

  /** The lower, the sooner it is its turn; 0 if it is out of the round. */
  long ticket;

  Subscriber(int number, boolean acknowledges, int prefetch, int room) {
    this.number = number;
    this.acknowledges = acknowledges;
    this.prefetch = prefetch;
    this.room = room;
  }

  /**
   * Whether it can take a message.
   *
   * @param most how many messages each consumer of the queue may hold; negative for any number
   */
  boolean canTake(long most) {
    return subscribed
        && !saidNoRoom
        && (!acknowledges || ((prefetch == 0 || held < prefetch) && (most < 0 || held < most)));
  }
}
