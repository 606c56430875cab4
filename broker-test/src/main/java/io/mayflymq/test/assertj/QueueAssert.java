package io.mayflymq.test.assertj;

import io.mayflymq.test.Death;
import io.mayflymq.test.MayflyBroker;
import io.mayflymq.test.QueueState;
import io.mayflymq.test.StoredMessage;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.assertj.core.api.AbstractAssert;

/**
 * Assertions about a queue. Each waits for two seconds of real time at most, as what clients do is
 * on its way for some time; then it says what was there instead.
 */
public final class QueueAssert extends AbstractAssert<QueueAssert, MayflyBroker> {
  private final String vhost;
  private final String name;

  QueueAssert(MayflyBroker broker, String vhost, String name) {
    super(broker, QueueAssert.class);
    this.vhost = vhost;
    this.name = name;
  }

  /** Checks how many messages are ready. */
  public QueueAssert hasReady(long expected) {
    return has(expected, "ready messages", QueueState::ready);
  }

  /** Checks how many messages were delivered and are not settled. */
  public QueueAssert hasUnacked(long expected) {
    return has(expected, "unacknowledged messages", QueueState::unacked);
  }

  /** Checks how many messages wait in the queue for their time. */
  public QueueAssert hasDelayed(long expected) {
    return has(expected, "delayed messages", QueueState::delayed);
  }

  /** Checks how many consumers there are. */
  public QueueAssert hasConsumers(long expected) {
    return has(expected, "consumers", QueueState::consumers);
  }

  /** Checks that there is no message, in whatever state. */
  public QueueAssert isEmpty() {
    return has(0, "messages", QueueState::messages);
  }

  private QueueAssert has(long expected, String what, ToLongFunction<QueueState> count) {
    Waiting.until(
        () -> count.applyAsLong(actual.queue(vhost, name)) == expected,
        () ->
            failWithMessage(
                "expected %d %s in queue '%s', there were %d%n%s",
                expected,
                what,
                name,
                count.applyAsLong(actual.queue(vhost, name)),
                actual.report()));
    return this;
  }

  /** Goes on with the ready message that will be delivered first, which has to exist. */
  public MessageAssert oldest() {
    Waiting.until(
        () -> !actual.messages(vhost, name).isEmpty(),
        () ->
            failWithMessage(
                "expected a ready message in queue '%s', there was none%n%s",
                name, actual.report()));
    List<StoredMessage> messages = actual.messages(vhost, name);
    return new MessageAssert(messages.get(0), actual);
  }

  /**
   * Checks that a message of the queue was dead-lettered.
   *
   * @param reason as in {@code x-death}, such as {@code expired}
   * @param to the queue that it was routed to
   */
  public QueueAssert deadLettered(String reason, String to) {
    return died(
        "a message dead-lettered to '%s', reason '%s'".formatted(to, reason),
        death -> death.reason().equals(reason) && death.deadLetterQueues().contains(to));
  }

  /**
   * Checks that a message of the queue was dropped: no dead letter queue has it.
   *
   * @param reason as in {@code x-death}, such as {@code expired}
   */
  public QueueAssert dropped(String reason) {
    return died(
        "a message dropped, reason '%s'".formatted(reason),
        death -> death.reason().equals(reason) && death.deadLetterQueues().isEmpty());
  }

  private QueueAssert died(String what, Predicate<Death> wanted) {
    Waiting.until(
        () -> deaths().stream().anyMatch(wanted),
        () ->
            failWithMessage(
                "expected in queue '%s': %s; its deaths were %s", name, what, deaths()));
    return this;
  }

  private List<Death> deaths() {
    return actual.deaths().stream()
        .filter(death -> death.vhost().equals(vhost) && death.queue().equals(name))
        .toList();
  }
}
