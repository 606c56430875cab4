package io.mayflymq.it.connection;

import static io.mayflymq.it.harness.RawWriter.method;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.map;

import com.rabbitmq.client.AuthenticationFailureException;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.impl.CredentialsProvider;
import com.rabbitmq.client.impl.DefaultCredentialsRefreshService;
import com.rabbitmq.client.impl.DefaultCredentialsRefreshService.DefaultCredentialsRefreshServiceBuilder;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.RawClient;
import io.mayflymq.it.harness.RawFrame;
import io.mayflymq.it.harness.RawWriter;
import io.mayflymq.it.harness.Target;
import java.io.DataInputStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the handshake from the first byte to an open connection, and its errors. */
@BlackBox
class HandshakeIT {
  private static final String REFUSED =
      "ACCESS_REFUSED - Login was refused using authentication mechanism %s. For details see the"
          + " broker logfile.";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET / HTTP/1.1\r\n\r\n",
        "AMQP\0\1\0\0",
        "AMQP\1\1\0\12",
        "AMQP\0\0\11\2",
        "NOT AMQP"
      })
  void aWrongProtocolHeaderIsAnsweredWithTheRightOne(String header, Target target)
      throws Exception {
    try (RawClient client = new RawClient(target.port())) {
      client.raw(header.getBytes(US_ASCII));
      assertThat(client.readToEnd()).containsExactly('A', 'M', 'Q', 'P', 0, 0, 9, 1);
    }
  }

  @Test
  void startOffersVersionMechanismsAndLocale(Target target) throws Exception {
    try (RawClient client = new RawClient(target.port())) {
      RawFrame start = client.start();
      assertThat(start.channel()).isZero();
      DataInputStream arguments = start.arguments();
      assertThat(arguments.readUnsignedByte()).isZero();
      assertThat(arguments.readUnsignedByte()).isEqualTo(9);
      arguments.skipNBytes(arguments.readInt());
      assertThat(longString(arguments).split(" ", -1)).contains("PLAIN", "AMQPLAIN");
      assertThat(longString(arguments)).isEqualTo("en_US");
    }
  }

  private static String longString(DataInputStream in) throws Exception {
    return new String(in.readNBytes(in.readInt()), US_ASCII);
  }

  @Test
  void serverPropertiesNameEveryCapability(Amqp amqp) throws Exception {
    Map<String, Object> properties = amqp.connection().getServerProperties();
    assertThat(properties)
        .containsKeys("product", "version", "platform", "cluster_name", "information", "copyright");
    assertThat(properties.get("capabilities"))
        .asInstanceOf(map(String.class, Object.class))
        .containsAllEntriesOf(
            Map.of(
                "publisher_confirms",
                true,
                "exchange_exchange_bindings",
                true,
                "basic.nack",
                true,
                "consumer_cancel_notify",
                true,
                "connection.blocked",
                true,
                "consumer_priorities",
                true,
                "authentication_failure_close",
                true,
                "per_consumer_qos",
                true));
  }

  @Test
  void serverPropertiesNameDirectReplyTo(Amqp amqp) throws Exception {
    assertThat(amqp.connection().getServerProperties().get("capabilities"))
        .asInstanceOf(map(String.class, Object.class))
        .containsEntry("direct_reply_to", true);
  }

  @Test
  @MayflyOnly("it is who we are")
  void serverPropertiesNameTheProductAndTheProfile(Amqp amqp) throws Exception {
    assertThat(amqp.connection().getServerProperties())
        .hasEntrySatisfying("product", value -> assertThat(value).hasToString("MayflyMQ"))
        .hasEntrySatisfying("version", value -> assertThat(value).hasToString("4.3.6"));
  }

  @Test
  void tuneOffersTheDefaults(Target target) throws Exception {
    try (RawClient client = new RawClient(target.port())) {
      DataInputStream tune = client.login().arguments();
      assertThat(tune.readUnsignedShort()).as("channel_max").isEqualTo(2047);
      assertThat(tune.readInt()).as("frame_max").isEqualTo(131_072);
      assertThat(tune.readUnsignedShort()).as("heartbeat").isEqualTo(60);
    }
  }

  @ParameterizedTest
  @CsvSource({"2047, 4095", "2047, 100", "2047, 131073", "2048, 131072", "65535, 131072"})
  void limitsOutsideTheOfferAreRefused(int channelMax, int frameMax, Target target)
      throws Exception {
    try (RawClient client = new RawClient(target.port())) {
      client.tune(channelMax, frameMax, 0);
      client.expectRefusal(530);
    }
  }

  @Test
  void lowerLimitsAreAccepted(Target target) throws Exception {
    try (RawClient client = new RawClient(target.port())) {
      client.tune(1, 4096, 580);
      client.openVirtualHost("/");
      client.assertAlive(1);
    }
  }

  @Test
  void aFrameOverTheNegotiatedLimitIsRefused(Target target) throws Exception {
    try (RawClient client = new RawClient(target.port())) {
      client.tune(2047, 4096, 0);
      client.openVirtualHost("/");
      client.channelOpen(1);
      client.sendPublish(1, "nowhere").sendHeader(1, 10_000).sendBody(1, new byte[4097]);
      client.expectConnectionClose(501);
    }
  }

  @Test
  void framesAreSmallBeforeTheLogin(Target target) throws Exception {
    try (RawClient client = new RawClient(target.port())) {
      client.start();
      client.startOk(
          "PLAIN",
          "\0guest\0guest",
          new RawWriter().shortString("long").uint8('S').longString("x".repeat(9_000)));
      client.expectRefusal(501);
    }
  }

  @Test
  void badCredentialsAreAnsweredWithCloseIfTheClientHasTheCapability(Target target)
      throws Exception {
    badLogin(target, "PLAIN", "\0guest\0wrong");
    badLogin(target, "PLAIN", "\0nobody\0guest");
    badLogin(target, "AMQPLAIN", amqplain("guest", "wrong"));
  }

  private static void badLogin(Target target, String mechanism, String response) throws Exception {
    try (RawClient client = new RawClient(target.port())) {
      client.start();
      client.startOk(mechanism, response, capable());
      assertThat(client.expectConnectionClose(403).text())
          .isEqualTo(String.format(REFUSED, mechanism));
    }
  }

  @Test
  void badCredentialsDisconnectOtherClientsWithoutAMethod(Target target) throws Exception {
    try (RawClient client = new RawClient(target.port())) {
      client.start();
      client.startOk("PLAIN", "\0guest\0wrong", new RawWriter());
      client.expectEnd();
    }
  }

  @ParameterizedTest
  @CsvSource({"NOPE, x", "ANONYMOUS, x", "PLAIN, no zero octets", "AMQPLAIN, no table"})
  void malformedSaslResponsesAreRefused(String mechanism, String response, Target target)
      throws Exception {
    try (RawClient client = new RawClient(target.port())) {
      client.start();
      client.startOk(mechanism, response, capable());
      client.expectRefusal(403, 501, 502, 503, 530);
    }
  }

  @Test
  void amqplainLogsIn(Target target) throws Exception {
    try (RawClient client = new RawClient(target.port())) {
      client.start();
      client.startOk("AMQPLAIN", amqplain("guest", "guest"), new RawWriter());
      client.expect(10, 30);
    }
  }

  @Test
  void theJavaClientGetsAnAuthenticationFailure(Target target) {
    ConnectionFactory factory = target.factory();
    factory.setPassword("wrong");
    assertThatThrownBy(factory::newConnection)
        .isInstanceOf(AuthenticationFailureException.class)
        .hasMessage(REFUSED, "PLAIN");
  }

  @ParameterizedTest
  @ValueSource(strings = {"nope", "", "/nope"})
  void anUnknownVirtualHostIsNotAllowed(String virtualHost, Target target) throws Exception {
    try (RawClient client = new RawClient(target.port())) {
      client.tune(2047, 131_072, 0);
      RawFrame.Close close = client.sendOpen(virtualHost).expectConnectionClose(530);
      assertThat(close.text()).isEqualTo("NOT_ALLOWED - vhost " + virtualHost + " not found");
      assertThat(close.classId()).isEqualTo(10);
      assertThat(close.methodId()).isEqualTo(40);
    }
  }

  @Test
  void handshakeMethodsOutOfOrderAreRefused(Target target) throws Exception {
    try (RawClient client = new RawClient(target.port())) {
      client.start();
      client.tuneOk(2047, 131_072, 0).expectRefusal(503, 504, 505);
    }
    try (RawClient client = new RawClient(target.port())) {
      client.login();
      client.sendOpen("/").expectRefusal(503, 504, 505);
    }
    try (RawClient client = new RawClient(target.port())) {
      client.tune(2047, 131_072, 0);
      client.sendChannelOpen(1).expectRefusal(503, 504, 505);
    }
  }

  @Test
  void aSecondHandshakeIsRefused(Target target) throws Exception {
    try (RawClient client = RawClient.open(target.port())) {
      client.sendOpen("/").expectConnectionClose(503, 504);
    }
  }

  @Test
  void brokenFramesBeforeTheLoginAreRefused(Target target) throws Exception {
    try (RawClient client = new RawClient(target.port())) {
      client.start();
      byte[] frame = RawClient.encode(RawFrame.METHOD, 0, (byte) 0, (byte) 10, (byte) 0, (byte) 11);
      frame[frame.length - 1] = 1;
      client.raw(frame).expectRefusal(501, 502);
    }
  }

  @Test
  void theHandshakeCanArriveByteByByte(Target target) throws Exception {
    try (RawClient client = new RawClient(target.port())) {
      for (byte octet : new byte[] {'A', 'M', 'Q', 'P', 0, 0, 9, 1}) {
        client.raw(octet);
      }
      client.expect(10, 10);
      byte[] startOk =
          RawClient.encode(
              RawFrame.METHOD,
              0,
              method(10, 11)
                  .emptyTable()
                  .shortString("PLAIN")
                  .longString("\0guest\0guest")
                  .shortString("en_US")
                  .toBytes());
      for (byte octet : startOk) {
        client.raw(octet);
      }
      client.expect(10, 30);
    }
  }

  @Test
  void connectionCloseIsAnsweredAndTheSocketIsClosed(Target target) throws Exception {
    try (RawClient client = RawClient.openChannel(target.port())) {
      client.method(0, method(10, 50).uint16(200).shortString("bye").uint16(0).uint16(0));
      client.expect(10, 51);
      client.finish();
    }
  }

  /** Some clients take an end of the stream for an error, also after close-ok. */
  @Test
  void theSocketIsTheClientsToCloseAfterCloseOk(Target target) throws Exception {
    try (RawClient client = RawClient.openChannel(target.port())) {
      client.method(0, method(10, 50).uint16(200).shortString("bye").uint16(0).uint16(0));
      client.expect(10, 51);
      assertThat(client.isSilentFor(500)).isTrue();
      client.finish();
    }
  }

  /** As a login with a token needs it. */
  @Test
  void aPasswordMayBeLongerThanTheSmallestFrame(Target target) throws Exception {
    try (RawClient client = new RawClient(target.port())) {
      client.start();
      client.startOk("PLAIN", "\0guest\0" + "x".repeat(7_000), capable());
      assertThat(client.expectConnectionClose(403).text())
          .isEqualTo(String.format(REFUSED, "PLAIN"));
    }
  }

  @Test
  void methodsAfterConnectionCloseAreIgnored(Target target) throws Exception {
    try (RawClient client = RawClient.openChannel(target.port())) {
      client.method(0, method(10, 50).uint16(200).shortString("bye").uint16(0).uint16(0));
      client.expect(10, 51);
      for (int i = 0; i < 10_000; i++) {
        client.sendPublish(1, "nowhere").sendHeader(1, 1).sendBody(1, (byte) 1);
      }
      client.finish();
    }
  }

  @Test
  void aSecretCanBeUpdated(Target target) throws Exception {
    try (RawClient client = RawClient.open(target.port())) {
      client.method(0, method(10, 70).longString("guest").shortString("because"));
      client.expect(10, 71);
    }
  }

  @Test
  void anotherSecretOfAUserWithAPasswordHasNoEffect(Target target) throws Exception {
    try (RawClient client = RawClient.openChannel(target.port())) {
      for (String secret : new String[] {"not the password", ""}) {
        client.method(0, method(10, 70).longString(secret).shortString("because"));
        client.expect(10, 71);
      }
      client.queueDeclare(1, "");
    }
    RawClient.open(target.port()).close();
  }

  /** As programs do whose token expires. */
  @Test
  void aClientRenewsItsSecretByItself(Target target) throws Exception {
    ConnectionFactory factory = target.factory();
    CountDownLatch renewals = new CountDownLatch(3);
    factory.setCredentialsProvider(new Expiring(renewals));
    DefaultCredentialsRefreshService service =
        new DefaultCredentialsRefreshServiceBuilder()
            .refreshDelayStrategy(left -> Duration.ofMillis(10))
            .build();
    factory.setCredentialsRefreshService(service);
    try (Connection connection = factory.newConnection()) {
      assertThat(renewals.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
      assertThat(connection.createChannel().queueDeclare().getQueue()).isNotEmpty();
    } finally {
      service.close();
    }
  }

  /** A password that expires, as far as the client knows. */
  private record Expiring(CountDownLatch renewals) implements CredentialsProvider {
    @Override
    public String getUsername() {
      return "guest";
    }

    @Override
    public String getPassword() {
      return "guest";
    }

    @Override
    public Duration getTimeBeforeExpiration() {
      return Duration.ofSeconds(1);
    }

    @Override
    public void refresh() {
      renewals.countDown();
    }
  }

  @Test
  void clientPropertiesOfEveryTypeAreAccepted(Target target) throws Exception {
    ConnectionFactory factory = target.factory();
    factory.getClientProperties().put("number", 7L);
    factory.getClientProperties().put("table", Map.of("inner", Map.of()));
    factory.getClientProperties().put("list", List.of(1, "two"));
    try (Connection connection = factory.newConnection("a name with ä and 😀")) {
      assertThat(connection.isOpen()).isTrue();
    }
  }

  private static String amqplain(String user, String password) {
    byte[] table =
        new RawWriter()
            .shortString("LOGIN")
            .uint8('S')
            .longString(user)
            .shortString("PASSWORD")
            .uint8('S')
            .longString(password)
            .toBytes();
    return new String(table, US_ASCII);
  }

  /** Client properties with the capability {@code authentication_failure_close}. */
  private static RawWriter capable() {
    RawWriter capabilities =
        new RawWriter().shortString("authentication_failure_close").uint8('t').uint8(1);
    return new RawWriter().shortString("capabilities").uint8('F').table(capabilities);
  }
}
