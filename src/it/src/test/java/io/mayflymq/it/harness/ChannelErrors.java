package io.mayflymq.it.harness;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownNotifier;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;

/**
 * Assertions on how the broker closes channels and connections: the scope, the code and the text.
 */
public final class ChannelErrors {
  private ChannelErrors() {}

  /**
   * Runs something that makes the broker close this channel, at once (a method with an answer) or a
   * little later (a publish), and checks the code and the text; the connection must stay open.
   */
  public static void assertChannelError(
      Channel channel, int code, String text, ThrowingCallable action) {
    run(action);
    assertError(channel, code, text);
    assertThat(channel.getConnection().isOpen()).as("the connection stays open").isTrue();
  }

  /** Checks why the broker closes, or has closed, this channel. */
  public static void assertError(Channel channel, int code, String text) {
    Object reason = awaitShutdown(channel).getReason();
    assertThat(reason).isInstanceOf(AMQP.Channel.Close.class);
    AMQP.Channel.Close close = (AMQP.Channel.Close) reason;
    assertThat(close.getReplyText()).isEqualTo(replyText(text));
    assertThat(close.getReplyCode()).isEqualTo(code);
  }

  /** The same for errors that close the whole connection. */
  public static void assertConnectionError(
      Connection connection, int code, String text, ThrowingCallable action) {
    run(action);
    assertConnectionError(connection, code, text);
  }

  /** Checks why the broker closes, or has closed, this connection. */
  public static void assertConnectionError(Connection connection, int code, String text) {
    Object reason = awaitShutdown(connection).getReason();
    assertThat(reason).isInstanceOf(AMQP.Connection.Close.class);
    AMQP.Connection.Close close = (AMQP.Connection.Close) reason;
    assertThat(close.getReplyText()).isEqualTo(replyText(text));
    assertThat(close.getReplyCode()).isEqualTo(code);
  }

  /** Waits until the broker has closed a channel or a connection. */
  public static ShutdownSignalException awaitShutdown(ShutdownNotifier notifier) {
    Awaitility.await()
        .atMost(Patience.TIME)
        .pollInSameThread()
        .until(() -> notifier.getCloseReason() != null);
    return notifier.getCloseReason();
  }

  /** A text as it fits a short string: RabbitMQ keeps 252 bytes and says that there was more. */
  public static String replyText(String text) {
    return text.length() <= 255 ? text : text.substring(0, 252) + "...";
  }

  private static void run(ThrowingCallable action) {
    try {
      action.call();
    } catch (IOException | ShutdownSignalException e) {
      // The caller looks at the reason of the close, which says more than the exception.
      assertThat(e).isNotNull();
    } catch (Throwable e) {
      throw new AssertionError("Neither an answer nor a close", e);
    }
  }
}
