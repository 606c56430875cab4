package io.mayflymq.test.assertj;

import io.mayflymq.test.Death;
import io.mayflymq.test.MayflyBroker;
import io.mayflymq.test.QueueState;
import java.util.List;
import org.assertj.core.api.AbstractAssert;
import org.assertj.core.api.Assertions;
import org.assertj.core.api.ListAssert;

/** Assertions about a broker. */
public final class BrokerAssert extends AbstractAssert<BrokerAssert, MayflyBroker> {
  BrokerAssert(MayflyBroker broker) {
    super(broker, BrokerAssert.class);
  }

  /** Goes on with a queue of the virtual host {@code /}, which has to exist. */
  public QueueAssert queue(String name) {
    return queue("/", name);
  }

  /** Goes on with a queue, which has to exist. */
  public QueueAssert queue(String vhost, String name) {
    hasQueue(vhost, name);
    return new QueueAssert(actual, vhost, name);
  }

  private void hasQueue(String vhost, String name) {
    List<String> names =
        actual.queues().stream()
            .filter(queue -> queue.vhost().equals(vhost))
            .map(QueueState::name)
            .toList();
    if (!names.contains(name)) {
      failWithMessage("expected queue '%s' in vhost '%s', there were %s", name, vhost, names);
    }
  }

  /** Checks that there is no queue of this name in the virtual host {@code /}. */
  public BrokerAssert hasNoQueue(String name) {
    Waiting.until(
        () ->
            actual.queues().stream()
                .noneMatch(queue -> queue.vhost().equals("/") && queue.name().equals(name)),
        () -> failWithMessage("expected no queue '%s', there is one%n%s", name, actual.report()));
    return this;
  }

  /** Goes on with the deaths of messages, the earliest first. */
  public ListAssert<Death> deaths() {
    return Assertions.assertThat(actual.deaths());
  }
}
