package io.mayflymq.test.assertj;

import io.mayflymq.test.MayflyBroker;
import io.mayflymq.test.StoredMessage;
import java.time.Duration;
import java.time.Instant;
import org.assertj.core.api.AbstractAssert;

/** Assertions about a message that is ready in a queue. */
public final class MessageAssert extends AbstractAssert<MessageAssert, StoredMessage> {
  private final MayflyBroker broker;

  MessageAssert(StoredMessage message, MayflyBroker broker) {
    super(message, MessageAssert.class);
    this.broker = broker;
  }

  /** Checks after how much time it expires, by the clock of the broker. */
  public MessageAssert expiresIn(Duration expected) {
    Instant now = broker.clock().now();
    Duration left = actual.deadline().map(at -> Duration.between(now, at)).orElse(null);
    if (!expected.equals(left)) {
      failWithMessage(
          "expected %s to expire in %s, but it %s",
          actual, expected, left == null ? "never expires" : "expires in " + left);
    }
    return this;
  }

  /** Checks that it never expires. */
  public MessageAssert neverExpires() {
    if (actual.deadline().isPresent()) {
      failWithMessage("expected %s never to expire", actual);
    }
    return this;
  }

  /** Checks its body, as UTF-8. */
  public MessageAssert hasBody(String expected) {
    if (!actual.body().equals(expected)) {
      failWithMessage("expected body '%s', it was '%s'", expected, actual.body());
    }
    return this;
  }

  /** Checks the property {@code message_id}. */
  public MessageAssert hasMessageId(String expected) {
    if (!actual.messageId().equals(expected)) {
      failWithMessage("expected message id '%s', it was '%s'", expected, actual.messageId());
    }
    return this;
  }
}
