package io.mayflymq.it.security;

import static io.mayflymq.it.harness.ChannelErrors.assertChannelError;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.OwnBroker;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** How many exchanges and bindings a client may add, and how much memory they may take. */
@BlackBox
@OwnBroker
class MetadataLimitsIT {
  private static EmbeddedBroker broker;
  private static ControlCommand control;

  @BeforeAll
  static void start() {
    broker =
        EmbeddedBroker.builder()
            .set("default_limits.vhosts.1.pattern", "^tenant-")
            .set("default_limits.vhosts.1.max_bindings", 2)
            .start();
    control = ControlCommand.of(broker);
  }

  @AfterAll
  static void stop() {
    assertThat(broker.stop()).isZero();
    assertThat(broker.complaints()).isEmpty();
  }

  private static Connection connect(String vhost) throws Exception {
    done("add_vhost", vhost);
    done("set_permissions", "-p", vhost, "guest", ".*", ".*", ".*");
    var factory = broker.factory();
    factory.setVirtualHost(vhost);
    return factory.newConnection();
  }

  private static void done(String... command) {
    assertThat(control.run(command).exit()).as("%s", (Object) command).isZero();
  }

  @Test
  void newVirtualHostsGetTheLimitsOfTheConfiguration() throws Exception {
    try (Connection connection = connect("tenant-a")) {
      Channel channel = connection.createChannel();
      channel.queueDeclare("q", false, false, false, null);
      channel.queueBind("q", "amq.topic", "a");
      channel.queueBind("q", "amq.topic", "b");
      channel.queueBind("q", "amq.topic", "b");
      assertChannelError(
          channel,
          406,
          "PRECONDITION_FAILED - cannot bind queue 'q' to exchange 'amq.topic': binding limit in"
              + " vhost 'tenant-a' (2) is reached",
          () -> channel.queueBind("q", "amq.topic", "c"));
      Channel next = connection.createChannel();
      next.queueUnbind("q", "amq.topic", "a");
      next.queueBind("q", "amq.topic", "c");
      next.exchangeDeclare("x", "direct");
      assertChannelError(
          next,
          406,
          "PRECONDITION_FAILED - cannot bind exchange 'x' to exchange 'amq.topic': binding limit"
              + " in vhost 'tenant-a' (2) is reached",
          () -> next.exchangeBind("x", "amq.topic", "c"));
    }
  }

  @Test
  void limitsAreSetWhileTheVirtualHostIsUsed() throws Exception {
    try (Connection connection = connect("set")) {
      Channel channel = connection.createChannel();
      done("set_vhost_limits", "-p", "set", "{\"max-exchanges\":8,\"max-metadata-bytes\":4000}");
      channel.exchangeDeclare("x", "topic");
      assertChannelError(
          channel,
          406,
          "PRECONDITION_FAILED - cannot declare exchange 'y': exchange limit in vhost 'set' (8) is"
              + " reached",
          () -> channel.exchangeDeclare("y", "topic"));
      Channel next = connection.createChannel();
      assertChannelError(
          next,
          406,
          "PRECONDITION_FAILED - cannot declare queue 'q': metadata limit in vhost 'set' (4000"
              + " bytes) is reached",
          () -> next.queueDeclare("q", false, false, false, null));
      done("set_vhost_limits", "-p", "set", "{}");
      connection.createChannel().queueDeclare("q", false, false, false, null);
    }
  }

  @Test
  void nothingIsAddedDuringAMemoryAlarm() throws Exception {
    try (Connection connection = connect("alarm")) {
      Channel channel = connection.createChannel();
      channel.exchangeDeclare("x", "topic");
      channel.queueDeclare("q", false, false, false, null);
      channel.queueBind("q", "x", "a");
      done("set_alarm", "memory");
      try {
        String low = ": low on memory; nothing is added until the memory alarm is cleared";
        assertChannelError(
            channel,
            406,
            "PRECONDITION_FAILED - cannot bind queue 'q' to exchange 'x'" + low,
            () -> channel.queueBind("q", "x", "b"));
        Channel declaring = connection.createChannel();
        assertChannelError(
            declaring,
            406,
            "PRECONDITION_FAILED - cannot declare queue 'r'" + low,
            () -> declaring.queueDeclare("r", false, false, false, null));
        Channel deleting = connection.createChannel();
        deleting.queueDeclare("q", false, false, false, null);
        deleting.queueUnbind("q", "x", "a");
        deleting.queueDelete("q");
        deleting.exchangeDelete("x");
      } finally {
        done("clear_alarm", "memory");
      }
      connection.createChannel().queueDeclare("r", false, false, false, null);
    }
  }
}
