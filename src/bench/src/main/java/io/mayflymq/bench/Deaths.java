package io.mayflymq.bench;

import io.mayflymq.core.message.DeadLetter;
import io.mayflymq.core.message.DeadLetters;
import io.mayflymq.core.message.DeathReason;
import io.mayflymq.core.message.Message;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/** Measures the headers that dead-lettering writes into a message, such as {@code x-death}. */
public class Deaths extends Measured {
  @Param Filling filling;

  private final DeadLetters deadLetters = new DeadLetters();
  private Message message;
  private Message again;
  private Message elsewhere;

  /** Makes the messages. */
  @Setup
  public void make() {
    message = Messages.message(filling.properties(), 100, Message.NO_TTL);
    again = die(message, "orders").message();
    elsewhere = die(again, "orders.retry").message();
  }

  private static DeadLetter die(Message message, String queue) {
    return DeadLetter.of(
        message, queue, DeathReason.EXPIRED, QueueHarness.START, "dead", null, false);
  }

  /** A message dies that never has. */
  @Benchmark
  public DeadLetter first() {
    return die(message, "orders");
  }

  /** The same after another that died alike, as most do: with headers it goes the long way. */
  @Benchmark
  public DeadLetter alike() {
    return deadLetters.of(
        message, "orders", DeathReason.EXPIRED, QueueHarness.START, "dead", null, false);
  }

  /** A message dies again where it has died before, as in a loop of retries of two queues. */
  @Benchmark
  public DeadLetter again() {
    return die(elsewhere, "orders");
  }
}
