package io.mayflymq.it.security;

import static io.mayflymq.it.harness.Amqp.bytes;
import static io.mayflymq.it.harness.ChannelErrors.assertChannelError;
import static io.mayflymq.it.harness.ChannelErrors.assertConnectionError;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AuthenticationFailureException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.impl.CredentialsProvider;
import com.rabbitmq.client.impl.CredentialsRefreshService;
import com.rabbitmq.client.impl.DefaultCredentialsRefreshService.DefaultCredentialsRefreshServiceBuilder;
import com.rabbitmq.client.impl.OAuth2ClientCredentialsGrantCredentialsProvider.OAuth2ClientCredentialsGrantCredentialsProviderBuilder;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Broker;
import io.mayflymq.it.harness.Certificate;
import io.mayflymq.it.harness.ChannelErrors;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OpenIdProvider;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Logging in by tokens of a provider, with internal users behind them. */
@BlackBox
@OwnBroker
class LoginByTokenIT {
  private static final String ALL =
      "broker.read:*/*/* broker.write:*/*/* broker.configure:*/* broker.tag:management";

  @TempDir static Path directory;

  private static Certificate certificate;
  private static Path authority;
  private static TokenIssuer issuer;
  private static EmbeddedBroker broker;

  private final Tokens client = new Tokens();
  private Connection connection;

  @BeforeAll
  static void start() throws Exception {
    certificate = Certificate.of("CN=login");
    authority = certificate.writeCertificate(directory.resolve("login.pem"));
    issuer = new TokenIssuer(certificate.trustedBy(certificate));
    broker = with(EmbeddedBroker.builder(), issuer.url()).set("log.console.level", "debug").start();
  }

  private static EmbeddedBroker.Builder with(EmbeddedBroker.Builder builder, String url) {
    return builder
        .set("auth_backends.1", "oauth2")
        .set("auth_backends.2", "internal")
        .set("auth_oauth2.resource_server_id", "broker")
        .set("auth_oauth2.issuer", url)
        .set("auth_oauth2.clock_tolerance", 0)
        .set("auth_oauth2.https.cacertfile", authority);
  }

  @AfterAll
  static void stop() {
    broker.close();
    issuer.close();
  }

  @AfterEach
  void close() {
    if (connection != null) {
      connection.abort();
    }
  }

  private Connection connect(EmbeddedBroker at, String password) throws Exception {
    ConnectionFactory factory = at.factory();
    client.token = password;
    factory.setCredentialsProvider(client);
    factory.setCredentialsRefreshService(client);
    factory.setAutomaticRecoveryEnabled(false);
    factory.setHandshakeTimeout(Patience.MILLIS);
    factory.setChannelRpcTimeout(Patience.MILLIS);
    connection = factory.newConnection();
    return connection;
  }

  private Connection connect(String token) throws Exception {
    return connect(broker, token);
  }

  /** Sends a newer token, as the Java client does when it refreshes one. */
  private void updateSecret(String token) throws Exception {
    client.token = token;
    client.refresh.call();
  }

  /** What the client gets its tokens from. */
  private static final class Tokens implements CredentialsProvider, CredentialsRefreshService {
    String token;
    Callable<Boolean> refresh;

    @Override
    public String getUsername() {
      return "ignored";
    }

    @Override
    public String getPassword() {
      return token;
    }

    @Override
    public Duration getTimeBeforeExpiration() {
      return Duration.ofDays(1);
    }

    @Override
    public String register(CredentialsProvider provider, Callable<Boolean> action) {
      refresh = action;
      return "";
    }

    @Override
    public void unregister(CredentialsProvider provider, String registration) {
      refresh = null;
    }

    @Override
    public boolean isApproachingExpiration(Duration left) {
      return false;
    }
  }

  private static Http http(String user, String password) {
    return Http.as(broker.httpPort(), user, password);
  }

  @Test
  void aTokenHasTheNameAndTheRightsOfItsUser() throws Exception {
    Channel channel =
        connect(
                issuer.token(
                    "ann",
                    "broker.configure:%2F/ann.* broker.write:%2F/amq.default broker.write:%2F/ann.*"
                        + " broker.read:%2F/ann.*"))
            .createChannel();
    channel.queueDeclare("ann.orders", false, false, false, null);
    channel.basicPublish("", "ann.orders", null, bytes("one"));
    await()
        .untilAsserted(
            () -> {
              GetResponse got = channel.basicGet("ann.orders", true);
              assertThat(got).isNotNull();
            });
    assertThat(http("guest", "guest").get("connections").json().findValuesAsText("user"))
        .contains("ann");
    Channel other = connection.createChannel();
    assertChannelError(
        other,
        403,
        "ACCESS_REFUSED - configure access to queue 'bob.orders' in vhost '/' refused for user 'ann'",
        () -> other.queueDeclare("bob.orders", false, false, false, null));
  }

  @Test
  void topicExchangesNeedTheThirdPartOfAScope() throws Exception {
    connect(
        issuer.token(
            "ann",
            "broker.write:*/amq.topic/eu.* broker.write:*/amq.direct broker.write:*/events"));
    Channel channel = connection.createChannel();
    channel.confirmSelect();
    channel.basicPublish("amq.topic", "eu.a", null, new byte[0]);
    channel.waitForConfirms(Patience.MILLIS);
    Channel other = connection.createChannel();
    assertChannelError(
        other,
        403,
        "ACCESS_REFUSED - write access to topic 'us.a' in exchange 'amq.topic' in vhost '/' refused for user 'ann'",
        () -> other.basicPublish("amq.topic", "us.a", null, new byte[0]));
  }

  @Test
  void aTokenWithoutAScopeForItMayNotEnterAVirtualHost() {
    assertThatThrownBy(() -> connect(issuer.token("ann", "broker.read:other/*")))
        .isInstanceOf(IOException.class)
        .hasStackTraceContaining("access to vhost '/' refused for user 'ann'");
  }

  @Test
  void wrongTokensAreRefusedAndTheLogSaysWhyWithoutThem() throws Exception {
    String expired = issuer.token("ann", ALL, Map.of("exp", Instant.now().getEpochSecond() - 10));
    String forOthers = issuer.token("ann", ALL, Map.of("aud", "shop"));
    String forged = issuer.token("ann", ALL).substring(0, 200) + "AAAA";
    for (String token : new String[] {expired, forOthers, forged, "no-token-at-all"}) {
      assertThatThrownBy(() -> connect(token)).isInstanceOf(AuthenticationFailureException.class);
    }
    broker.awaitLine("oauth2: user 'ignored' - refused: the token has expired at ");
    broker.awaitLine("refused: the token is for [shop] (aud), expected [broker]; internal: ");
    broker.awaitLine("refused: the password is no token (JWT)");
    assertThat(broker.output())
        .noneMatch(line -> line.contains(expired.substring(0, 40)))
        .noneMatch(line -> line.contains("no-token-at-all"));
  }

  @Test
  void usersOfTheBrokerLogInBehind() throws Exception {
    ConnectionFactory factory = broker.factory();
    factory.setUsername("guest");
    factory.setPassword("guest");
    factory.newConnection().close();
  }

  @Test
  void aTokenMayBeLong() throws Exception {
    connect(issuer.token("ann", ALL, Map.of("groups", "x".repeat(5_000))));
    assertThat(connection.isOpen()).isTrue();
    String longer = issuer.token("ann", ALL, Map.of("groups", "x".repeat(20_000)));
    assertThatThrownBy(() -> connect(longer))
        .hasStackTraceContaining("{frame_too_large,")
        .hasStackTraceContaining(",8184}");
    try (EmbeddedBroker wide =
        with(EmbeddedBroker.builder(), issuer.url()).set("initial_frame_max", 65_536).start()) {
      connect(wide, longer).close();
    }
  }

  // The end of a token

  @Test
  void theConnectionEndsWithTheToken() throws Exception {
    connect(issuer.token("ann", ALL, Map.of("exp", Instant.now().getEpochSecond() + 2)));
    assertConnectionError(connection, 320, "CONNECTION_FORCED - credential expired");
  }

  @Test
  void aNewerTokenMovesTheEnd() throws Exception {
    long end = Instant.now().getEpochSecond() + 3;
    connect(issuer.token("ann", ALL, Map.of("exp", end)));
    updateSecret(issuer.token("ann", ALL));
    await().until(() -> Instant.now().getEpochSecond() > end + 1);
    connection.createChannel().close();
    updateSecret(issuer.token("ann", ALL, Map.of("exp", Instant.now().getEpochSecond() + 1)));
    ChannelErrors.awaitShutdown(connection);
  }

  @Test
  void aNewerTokenWithFewerRightsCancelsConsumersAndRefusesFromThenOn() throws Exception {
    Channel channel = connect(issuer.token("ann", ALL)).createChannel();
    for (String queue : new String[] {"kept", "lost"}) {
      channel.queueDeclare(queue, false, true, false, null);
    }
    CountDownLatch cancelled = new CountDownLatch(1);
    channel.basicConsume(
        "lost",
        false,
        "tag",
        new DefaultConsumer(channel) {
          @Override
          public void handleCancel(String tag) {
            cancelled.countDown();
          }
        });
    channel.basicConsume("kept", false, new DefaultConsumer(channel));
    updateSecret(
        issuer.token("ann", "broker.read:*/kept broker.write:*/amq.default broker.configure:*/*"));
    assertThat(cancelled.await(Patience.MILLIS, TimeUnit.MILLISECONDS)).isTrue();
    assertThat(channel.consumerCount("kept")).isEqualTo(1);
    broker.awaitLine("Cancelling consumer 'tag' on queue 'lost' in vhost '/': read access refused");
    channel.basicPublish("", "kept", null, new byte[0]);
    Channel other = connection.createChannel();
    assertChannelError(
        other,
        403,
        "ACCESS_REFUSED - write access to exchange 'amq.direct' in vhost '/' refused for user 'ann'",
        () -> other.basicPublish("amq.direct", "x", null, new byte[0]));
  }

  @Test
  void aNewerTokenOfAnotherUserOrOfNoUseEndsTheConnection() throws Exception {
    connect(issuer.token("ann", ALL));
    assertUpdateRefused(issuer.token("bob", ALL), "New secret was refused by one of the backends");
    connect(issuer.token("ann", ALL));
    assertUpdateRefused("garbage", "Secret update failed");
    connect(issuer.token("ann", ALL));
    assertUpdateRefused(
        issuer.token("ann", "broker.tag:management"), "access to vhost '/' refused for user 'ann'");
  }

  private void assertUpdateRefused(String token, String text) throws Exception {
    updateSecret(token);
    assertConnectionError(connection, 530, "NOT_ALLOWED - " + text);
  }

  /** The Java client gets its tokens from a real provider, and refreshes them. */
  @Test
  void aClientThatRefreshesItsTokensStaysConnected() throws Exception {
    int seconds = 15;
    try (OpenIdProvider provider =
            new OpenIdProvider(certificate, directory, ALL, seconds, "http://127.0.0.1/");
        EmbeddedBroker fresh = with(EmbeddedBroker.builder(), provider.url()).start()) {
      SSLContext trust = certificate.trusted();
      ConnectionFactory factory = fresh.factory();
      factory.setAutomaticRecoveryEnabled(false);
      factory.setCredentialsProvider(
          new OAuth2ClientCredentialsGrantCredentialsProviderBuilder()
              .tokenEndpointUri(provider.url() + "/token")
              .clientId("application")
              .clientSecret("app-secret")
              .parameter("scope", ALL)
              .tls()
              .sslContext(trust)
              .builder()
              .build());
      factory.setCredentialsRefreshService(
          new DefaultCredentialsRefreshServiceBuilder()
              // So often that a busy machine cannot miss all that a token lasts.
              .refreshDelayStrategy(left -> Duration.ofSeconds(1))
              .approachingExpirationStrategy(left -> true)
              .build());
      connection = factory.newConnection();
      Channel channel = connection.createChannel();
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds + 1L);
      await().atMost(Patience.TIME).until(() -> System.nanoTime() > end);
      channel.queueDeclare("refreshed", false, true, true, null);
      assertThat(
              Http.as(fresh.httpPort(), "guest", "guest")
                  .get("connections")
                  .json()
                  .findValuesAsText("user"))
          .containsExactly("application");
    }
  }

  // The management API

  @Test
  void theApiTakesTokensAsBearerAndAsPassword() throws Exception {
    String token = issuer.token("ann", "broker.read:eu*/* broker.tag:management");
    Http bearer = Http.withToken("http://127.0.0.1:" + broker.httpPort(), token);
    for (Http http : new Http[] {bearer, http("any", token)}) {
      Http.Reply who = http.get("whoami");
      assertThat(who.status()).isEqualTo(200);
      assertThat(who.json().get("name").asText()).isEqualTo("ann");
      assertThat(who.json().get("is_internal_user").asBoolean()).isFalse();
    }
    http("guest", "guest").put("vhosts/eu-1", "{}");
    assertThat(bearer.get("vhosts").json().findValuesAsText("name")).containsExactly("eu-1");
    assertThat(Http.withToken("http://127.0.0.1:" + broker.httpPort(), "x").get("whoami").status())
        .isEqualTo(401);
    assertThat(http("any", issuer.token("ann", "broker.read:*/*")).get("overview").status())
        .isEqualTo(401);
  }

  @Test
  void theApiMayHaveBackendsOfItsOwn() throws Exception {
    EmbeddedBroker.Builder apart =
        EmbeddedBroker.builder()
            .set("auth_backends.1", "internal")
            .set("http_dispatch.auth_backends.1", "oauth2")
            .set("auth_oauth2.resource_server_id", "broker")
            .set("auth_oauth2.issuer", issuer.url())
            .set("auth_oauth2.https.cacertfile", authority);
    String token = issuer.token("ann", ALL);
    try (EmbeddedBroker both = apart.start()) {
      String url = "http://127.0.0.1:" + both.httpPort();
      assertThat(Http.withToken(url, token).get("whoami").json().get("name").asText())
          .isEqualTo("ann");
      assertThat(Http.as(both.httpPort(), "guest", "guest").get("whoami").status()).isEqualTo(401);
      both.factory().newConnection().close();
      assertThatThrownBy(() -> connect(both, token))
          .isInstanceOf(AuthenticationFailureException.class);
    }
  }

  // Keys

  @Test
  void aNewKeyIsFetchedWhenATokenNamesIt() throws Exception {
    try (TokenIssuer own = new TokenIssuer(certificate.trustedBy(certificate));
        EmbeddedBroker fresh = with(EmbeddedBroker.builder(), own.url()).start()) {
      connect(fresh, own.token("ann", ALL)).close();
      connect(fresh, own.token("ann", ALL)).close();
      assertThat(own.fetches()).isEqualTo(1);
      String old = own.token("ann", ALL);
      own.rotate("second");
      await()
          .ignoreExceptions()
          .until(
              () -> {
                connect(fresh, own.token("ann", ALL)).close();
                return true;
              });
      assertThatThrownBy(() -> connect(fresh, old))
          .isInstanceOf(AuthenticationFailureException.class);
    }
  }

  @Test
  void aProviderThatIsDownAtTheStartIsAskedWhenItIsUp() throws Exception {
    int port = Broker.freePort();
    try (EmbeddedBroker fresh =
        with(EmbeddedBroker.builder(), "https://127.0.0.1:" + port).start()) {
      String early;
      try (TokenIssuer before = new TokenIssuer(certificate.trustedBy(certificate))) {
        early = before.token("ann", ALL);
      }
      assertThatThrownBy(() -> connect(fresh, early))
          .isInstanceOf(AuthenticationFailureException.class);
      fresh.awaitLine("cannot be fetched: cannot connect to 127.0.0.1:" + port);
      try (TokenIssuer late = new TokenIssuer(certificate.trustedBy(certificate), port)) {
        await()
            .ignoreExceptions()
            .until(
                () -> {
                  connect(fresh, late.token("ann", ALL)).close();
                  return true;
                });
      }
    }
  }

  @Test
  void aProviderWithACertificateThatIsNotTrustedIsNotBelieved() throws Exception {
    Path other = Certificate.of("CN=other").writeCertificate(directory.resolve("other.pem"));
    try (EmbeddedBroker fresh =
        with(EmbeddedBroker.builder(), issuer.url())
            .set("auth_oauth2.https.cacertfile", other)
            .start()) {
      assertThatThrownBy(() -> connect(fresh, issuer.token("ann", ALL)))
          .isInstanceOf(AuthenticationFailureException.class);
      fresh.awaitLine("no TLS with 127.0.0.1:" + issuer.port());
    }
  }

  @Test
  void whatIsMissingInTheConfigurationStopsTheStart() {
    try (EmbeddedBroker broken =
        EmbeddedBroker.builder().set("auth_backends.1", "oauth2").launch()) {
      assertThat(broken.awaitExit()).isEqualTo(78);
      assertThat(broken.output())
          .anyMatch(line -> line.contains("key 'auth_oauth2.resource_server_id' is not set"))
          .anyMatch(line -> line.contains("key 'auth_oauth2.issuer' is not set"));
    }
  }
}
