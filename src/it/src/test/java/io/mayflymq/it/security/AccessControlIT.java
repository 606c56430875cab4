package io.mayflymq.it.security;

import static io.mayflymq.it.harness.ChannelErrors.assertChannelError;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.AuthenticationFailureException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.ShutdownSignalException;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Broker;
import io.mayflymq.it.harness.BrokerProcess;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.OwnBroker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Users, virtual hosts, permissions and limits, as a file of definitions brings them. */
@BlackBox
@OwnBroker
class AccessControlIT {
  @TempDir Path directory;

  private static final String DEFINITIONS =
      """
      {"vhosts":[{"name":"small"},{"name":"shut"}],
       "users":[{"name":"ann","password":"secret","tags":"","limits":{"max-channels":2}},
                {"name":"bob","password":"secret","tags":"","limits":{"max-connections":1}}],
       "permissions":[
         {"user":"ann","vhost":"small","configure":"^q","write":".*","read":""},
         {"user":"bob","vhost":"small","configure":".*","write":".*","read":".*"}],
       "topic_permissions":[
         {"user":"ann","vhost":"small","exchange":"amq.topic","write":"^{username}\\\\.","read":""}],
       "parameters":[
         {"component":"vhost-limits","vhost":"small","name":"limits",
          "value":{"max-connections":2,"max-queues":1}}]}
      """;

  private Path data() {
    return directory.resolve("data");
  }

  private EmbeddedBroker.Builder loading(String definitions) throws IOException {
    return EmbeddedBroker.builder().data(data()).set("load_definitions", file(definitions));
  }

  private Path file(String definitions) throws IOException {
    return Files.writeString(directory.resolve("definitions.json"), definitions);
  }

  private static ConnectionFactory factory(Broker broker, String user, String vhost) {
    ConnectionFactory factory = broker.factory();
    factory.setUsername(user);
    factory.setPassword("secret");
    factory.setVirtualHost(vhost);
    return factory;
  }

  private static void assertRefused(ConnectionFactory factory, String text) {
    assertThatThrownBy(factory::newConnection)
        .rootCause()
        .hasMessageContaining("(reply-code=530, reply-text=" + text + ", class-id=10");
  }

  @Test
  void definitionsSurviveARestartAndReplaceTheDefaults() throws Exception {
    try (BrokerProcess broker =
        BrokerProcess.builder().data(data()).set("load_definitions", file(DEFINITIONS)).start()) {
      factory(broker, "bob", "small").newConnection().close();
      assertThatThrownBy(() -> broker.factory().newConnection())
          .as("guest was not created")
          .isInstanceOf(AuthenticationFailureException.class);
      broker.kill();
      broker.awaitExit();
    }
    try (EmbeddedBroker broker = EmbeddedBroker.builder().data(data()).start()) {
      factory(broker, "bob", "small").newConnection().close();
      assertThatThrownBy(() -> broker.factory().newConnection())
          .isInstanceOf(AuthenticationFailureException.class);
      assertThat(broker.stop()).isZero();
      assertThat(broker.complaints()).isEmpty();
    }
  }

  @Test
  void theDefaultUserIsCreatedOnlyAtTheFirstStart() throws Exception {
    try (EmbeddedBroker broker =
        EmbeddedBroker.builder()
            .data(data())
            .set("default_user", "first")
            .set("default_pass", "secret")
            .set("default_vhost", "home")
            .start()) {
      factory(broker, "first", "home").newConnection().close();
    }
    try (EmbeddedBroker broker =
        EmbeddedBroker.builder()
            .data(data())
            .set("default_user", "second")
            .set("default_pass", "secret")
            .start()) {
      factory(broker, "first", "home").newConnection().close();
      assertThatThrownBy(() -> factory(broker, "second", "home").newConnection())
          .isInstanceOf(AuthenticationFailureException.class);
      assertRefused(factory(broker, "first", "/"), "NOT_ALLOWED - vhost / not found");
    }
  }

  @Test
  void permissionsAndLimitsAreEnforced() throws Exception {
    try (EmbeddedBroker broker = loading(DEFINITIONS).start()) {
      assertRefused(
          factory(broker, "ann", "shut"),
          "NOT_ALLOWED - access to vhost 'shut' refused for user 'ann'");
      // The broker closes this one.
      Connection ann = factory(broker, "ann", "small").newConnection();
      try (Connection bob = factory(broker, "bob", "small").newConnection()) {
        assertRefused(
            factory(broker, "ann", "small"),
            "NOT_ALLOWED - access to vhost 'small' refused for user 'ann': connection limit (2) is"
                + " reached");
        assertRefused(
            factory(broker, "bob", "shut"),
            "NOT_ALLOWED - connection refused for user 'bob': user connection limit (1) is"
                + " reached");
        queuesAreLimited(bob);
        namesAreRestricted(ann);
        channelsAreLimited(ann);
      }
      factory(broker, "bob", "small").newConnection().close();
      factory(broker, "ann", "small").newConnection().close();
      broker.stop();
      assertThat(broker.complaints()).isEmpty();
    }
  }

  private static void queuesAreLimited(Connection bob) throws Exception {
    Channel channel = bob.createChannel();
    channel.queueDeclare("q1", true, false, false, null);
    channel.queueDeclare("q1", true, false, false, null);
    assertChannelError(
        channel,
        406,
        "PRECONDITION_FAILED - cannot declare queue 'q2': queue limit in vhost 'small' (1) is"
            + " reached",
        () -> channel.queueDeclare("q2", true, false, false, null));
    bob.createChannel().queueDelete("q1");
    bob.createChannel().queueDeclare("q2", true, false, false, null);
  }

  private static void namesAreRestricted(Connection ann) throws Exception {
    Channel declaring = ann.createChannel();
    assertChannelError(
        declaring,
        403,
        "ACCESS_REFUSED - configure access to queue 'other' in vhost 'small' refused for user"
            + " 'ann'",
        () -> declaring.queueDeclare("other", false, false, false, null));
    Channel publishing = ann.createChannel();
    publishing.basicPublish("amq.topic", "ann.ok", null, new byte[0]);
    publishing.queueDeclarePassive("q2");
    assertChannelError(
        publishing,
        403,
        "ACCESS_REFUSED - write access to topic 'bob.no' in exchange 'amq.topic' in vhost 'small'"
            + " refused for user 'ann'",
        () -> {
          publishing.basicPublish("amq.topic", "bob.no", null, new byte[0]);
          publishing.queueDeclarePassive("q2");
        });
  }

  private static void channelsAreLimited(Connection ann) throws Exception {
    Channel first = ann.createChannel();
    ann.createChannel();
    first.close();
    ann.createChannel();
    assertThatThrownBy(ann::createChannel)
        .isInstanceOfAny(IOException.class, ShutdownSignalException.class);
    assertThat(ann.getCloseReason())
        .hasMessageContaining(
            "NOT_ALLOWED - number of channels opened for user 'ann' has reached the maximum"
                + " allowed user limit of 2");
  }

  @Test
  void invalidDefinitionsPreventTheStartWithAOneLineError() throws Exception {
    try (EmbeddedBroker broker =
        loading("{\"users\":[{\"name\":\"a\",\"tags\":3}]}")
            .set("definitions.strict", "true")
            .set("log.console.level", "none")
            .launch()) {
      assertThat(broker.awaitExit()).isEqualTo(78);
      assertThat(broker.output())
          .containsExactly(
              "mayfly: cannot import definitions from "
                  + directory.resolve("definitions.json")
                  + ": users[0] ('a'): 'tags' is 3: expected a list of texts, or a text with"
                  + " commas");
    }
  }

  @Test
  void aStrictStartIsRefusedIfADefinitionCannotBeApplied() throws Exception {
    try (EmbeddedBroker broker =
        loading(
                "{\"vhosts\":[{\"name\":\"/\"}],\"queues\":[{\"vhost\":\"/\",\"name\":\"q\",\"type\":\"quorum\",\"durable\":false}],"
                    + "\"bindings\":[{\"vhost\":\"/\",\"source\":\"nope\",\"destination\":\"q\",\"destination_type\":\"queue\",\"routing_key\":\"\"}]}")
            .set("definitions.strict", "true")
            .set("log.console.level", "none")
            .launch()) {
      assertThat(broker.awaitExit()).isEqualTo(78);
      assertThat(broker.output())
          .containsExactly(
              "mayfly: cannot import definitions from "
                  + directory.resolve("definitions.json")
                  + ": queue 'q' in vhost '/': invalid property 'non-durable' for queue 'q' in vhost"
                  + " '/' (and 1 more)");
    }
  }

  @Test
  void definitionsThatAreWrongAreLeftOutAtTheStartWithAWarning() throws Exception {
    try (EmbeddedBroker broker =
        loading(DEFINITIONS.replaceFirst("\\[", "[{\"name\":\"a\",\"tags\":3},")).start()) {
      assertThat(broker.output())
          .anyMatch(
              line ->
                  line.contains("[warning]")
                      && line.endsWith(
                          "definitions: skipped vhosts[0] ('a'): 'tags' is 3: expected a list of"
                              + " texts, or a text with commas"));
    }
  }

  @Test
  void repeatedLoginFailuresAreDelayed() throws Exception {
    try (EmbeddedBroker broker = loading(DEFINITIONS).start()) {
      ConnectionFactory wrong = factory(broker, "bob", "small");
      wrong.setPassword("guess");
      for (int i = 0; i < 7; i++) {
        assertThatThrownBy(wrong::newConnection).isInstanceOf(AuthenticationFailureException.class);
      }
      long begin = System.nanoTime();
      assertThatThrownBy(wrong::newConnection)
          .isInstanceOf(AuthenticationFailureException.class)
          .hasMessageContaining("ACCESS_REFUSED - Login was refused using authentication");
      assertThat(System.nanoTime() - begin).isGreaterThan(400_000_000L);
      factory(broker, "bob", "small").newConnection().close();
    }
  }
}
