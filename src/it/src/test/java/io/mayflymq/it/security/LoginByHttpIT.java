package io.mayflymq.it.security;

import static io.mayflymq.it.harness.ChannelErrors.assertChannelError;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AlreadyClosedException;
import com.rabbitmq.client.AuthenticationFailureException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.DefaultSaslConfig;
import com.rabbitmq.client.GetResponse;
import io.mayflymq.it.cluster.ClusterNodes;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Broker;
import io.mayflymq.it.harness.BrokerProcess;
import io.mayflymq.it.harness.Certificate;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.RawClient;
import io.mayflymq.it.harness.RawWriter;
import io.mayflymq.it.security.AuthServiceStub.Asked;
import io.mayflymq.it.security.AuthServiceStub.Reply;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Logging in and rights by a service that is asked by HTTP, with internal users behind it. */
@BlackBox
@OwnBroker
class LoginByHttpIT {
  private static final String PASSWORD = "hunter2-of-the-client";
  private static final int REQUEST_TIMEOUT_MILLIS = 120_000;
  private static final int HANDSHAKE_TIMEOUT_MILLIS = 2_000;

  @TempDir static Path directory;

  private static Certificate certificate;
  private static AuthServiceStub service;
  private static EmbeddedBroker broker;

  /** What {@link #grants} allows besides logins and virtual hosts. */
  private final Set<String> denied = ConcurrentHashMap.newKeySet();

  @BeforeAll
  static void start() throws Exception {
    service = new AuthServiceStub();
    certificate = Certificate.of("CN=auth");
    broker =
        with(EmbeddedBroker.builder(), service)
            .set("auth_backends.1", "http")
            .set("auth_backends.2", "internal")
            .set("auth_http.request_timeout", REQUEST_TIMEOUT_MILLIS)
            .set("handshake_timeout", HANDSHAKE_TIMEOUT_MILLIS)
            .start();
  }

  private static EmbeddedBroker.Builder with(
      EmbeddedBroker.Builder builder, AuthServiceStub asked) {
    for (String path : List.of("user", "vhost", "resource", "topic")) {
      builder.set("auth_http." + path + "_path", asked.url(path));
    }
    return builder;
  }

  @AfterAll
  static void stop() {
    broker.close();
    service.close();
  }

  /** Users other than guest log in by {@link #PASSWORD}, and may do what is not denied. */
  @BeforeEach
  void grants() {
    service.replies(
        asked -> {
          if (asked.path().equals("user")) {
            boolean good =
                PASSWORD.equals(asked.field("password"))
                    && !asked.field("username").equals("guest");
            return Reply.text(good ? "allow management" : "deny wrong password");
          }
          return Reply.text(denied.contains(key(asked)) ? "deny not this" : "allow");
        });
  }

  private static String key(Asked asked) {
    return switch (asked.path()) {
      case "vhost" -> "vhost " + asked.field("vhost");
      case "resource" ->
          asked.field("permission") + " " + asked.field("resource") + " " + asked.field("name");
      default -> asked.field("permission") + " topic " + asked.field("routing_key");
    };
  }

  @AfterEach
  void calm() {
    service.letGo();
    service.pause(0);
  }

  private static ConnectionFactory factory(EmbeddedBroker at, String user, String password) {
    ConnectionFactory factory = at.factory();
    factory.setUsername(user);
    factory.setPassword(password);
    factory.setAutomaticRecoveryEnabled(false);
    factory.setHandshakeTimeout(Patience.MILLIS);
    factory.setConnectionTimeout(Patience.MILLIS);
    factory.setChannelRpcTimeout(Patience.MILLIS);
    return factory;
  }

  private static Connection connect(String user) throws Exception {
    return factory(broker, user, PASSWORD).newConnection();
  }

  private static void assertRefused(EmbeddedBroker at, String user, String password) {
    assertThatThrownBy(() -> factory(at, user, password).newConnection().close())
        .isInstanceOf(AuthenticationFailureException.class)
        .hasMessageContaining(
            "ACCESS_REFUSED - Login was refused using authentication mechanism PLAIN. For details"
                + " see the broker logfile.");
  }

  @Test
  void aLoginAsksForTheUserAndTheVirtualHost() throws Exception {
    try (Connection connection = connect("Jürgen & Söhne")) {
      assertThat(connection.isOpen()).isTrue();
    }
    List<Asked> asked =
        service.asked().stream()
            .filter(each -> each.field("username").equals("Jürgen & Söhne"))
            .toList();
    assertThat(asked).extracting(Asked::path).containsExactly("user", "vhost");
    assertThat(asked.get(0).method()).isEqualTo("GET");
    assertThat(asked.get(0).fields())
        .isEqualTo(Map.of("username", "Jürgen & Söhne", "password", PASSWORD));
    assertThat(asked.get(1).fields())
        .isEqualTo(
            Map.of(
                "username",
                "Jürgen & Söhne",
                "vhost",
                "/",
                "ip",
                "127.0.0.1",
                "tags",
                "management"));
  }

  @Test
  void theNextBackendIsAskedAfterARefusal() throws Exception {
    try (Connection connection = factory(broker, "guest", "guest").newConnection()) {
      connection.createChannel().queueDeclare("internal-user", false, true, true, null);
    }
    assertThat(service.asked("user", "guest")).isNotEmpty();
    assertThat(service.asked("vhost", "guest")).isEmpty();
  }

  @Test
  void aRefusalIsTheUsualOneAndTheLogHasAllReasonsInOneLineWithoutThePassword() {
    assertRefused(broker, "mallory", "wrong-" + PASSWORD);
    broker.awaitLine(
        "PLAIN login refused: http: user 'mallory' - refused: wrong password; internal: user"
            + " 'mallory' - invalid credentials");
    assertThat(broker.output()).noneMatch(line -> line.contains(PASSWORD));
  }

  @ParameterizedTest
  @ValueSource(strings = {"allowed", "", "maybe", "allow-all"})
  void anUnknownReplyIsARefusal(String reply) {
    service.replies(asked -> Reply.text(reply));
    assertRefused(broker, "mallory", PASSWORD);
  }

  @Test
  void aReplyThatRepeatsThePasswordDoesNotBringItIntoTheLog() {
    service.replies(asked -> Reply.text("deny no user has " + asked.field("password")));
    assertRefused(broker, "echo", PASSWORD);
    broker.awaitLine("user 'echo' - refused: no user has (not shown)");
    assertThat(broker.output()).noneMatch(line -> line.contains(PASSWORD));
  }

  @Test
  void aRedirectIsNotFollowed() throws Exception {
    try (AuthServiceStub other = new AuthServiceStub()) {
      other.replies(asked -> Reply.text("allow administrator"));
      service.replies(asked -> new Reply(302, "", other.url("user")));
      assertRefused(broker, "redirected", PASSWORD);
      assertThat(other.asked()).isEmpty();
      broker.awaitLine("user 'redirected' - no answer: the service answered with status 302");
    }
  }

  @Test
  void connectionsToTheServiceAreKeptOpen() throws Exception {
    for (int i = 0; i < 20; i++) {
      connect("again").close();
    }
    // A question is answered before the next one is asked, so one connection will do.
    assertThat(service.asked("user", "again")).hasSize(20);
    assertThat(service.asked("user", "again").stream().map(Asked::port).distinct().count())
        .isLessThanOrEqualTo(5);
  }

  @Test
  void aClientThatWaitsForTheServiceIsNotCutAndOthersGoOn() throws Exception {
    int clients = 300;
    ExecutorService threads = Executors.newFixedThreadPool(clients);
    try (Connection other = factory(broker, "guest", "guest").newConnection()) {
      Channel channel = other.createChannel();
      String queue = channel.queueDeclare().getQueue();
      channel.confirmSelect();
      service.hold();
      List<Future<Boolean>> logins = new ArrayList<>();
      for (int i = 0; i < clients; i++) {
        String user = "client-" + i;
        logins.add(
            threads.submit(
                () -> {
                  try (Connection connection = connect(user)) {
                    return connection.isOpen();
                  }
                }));
      }
      await().atMost(Patience.TIME).until(() -> service.held() >= 32);
      long began = System.nanoTime();
      // While no login is answered, messages make their rounds.
      for (int i = 0; i < 500; i++) {
        channel.basicPublish("", queue, null, new byte[16]);
        channel.waitForConfirmsOrDie(Patience.MILLIS);
        assertThat(channel.basicGet(queue, true)).isNotNull();
      }
      assertThat(logins).noneMatch(Future::isDone);
      long over = TimeUnit.MILLISECONDS.toNanos(HANDSHAKE_TIMEOUT_MILLIS + 500);
      TimeUnit.NANOSECONDS.sleep(Math.max(0, over - (System.nanoTime() - began)));
      service.pause(100);
      service.letGo();
      for (Future<Boolean> login : logins) {
        assertThat(login.get(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void aServiceThatSaysNothingIsAFailureAfterItsTime() throws Exception {
    try (EmbeddedBroker own =
        with(EmbeddedBroker.builder(), service)
            .set("auth_backends.1", "http")
            .set("auth_backends.2", "internal")
            .set("auth_http.request_timeout", 3_000)
            .set("handshake_timeout", 1_000)
            .start()) {
      service.hold();
      long began = System.nanoTime();
      assertRefused(own, "silence", PASSWORD);
      assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began))
          .isGreaterThanOrEqualTo(2_900);
      own.awaitLine("user 'silence' - no answer: no answer within 3000 ms");
    }
  }

  /** What a broken server sends to each client before it closes the connection. */
  private static ServerSocket broken(byte[] answer) throws IOException {
    ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread thread =
        new Thread(
            () -> {
              while (!server.isClosed()) {
                try (Socket socket = server.accept()) {
                  socket.getInputStream().read(new byte[8192]);
                  for (int i = 0; i < 10_000; i++) {
                    socket.getOutputStream().write(answer);
                  }
                } catch (IOException e) {
                  // The client has seen enough, or the test is over.
                  Thread.onSpinWait();
                }
              }
            },
            "broken-service");
    thread.setDaemon(true);
    thread.start();
    return server;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\u0000\u0001 no HTTP at all",
        "HTTP/1.1 200 OK\r\n\r\nallow administrator ",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\nallow ",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nallow",
      })
  void whatIsNoProperReplyLetsNobodyIn(String answer) throws Exception {
    try (ServerSocket server = broken(answer.getBytes(StandardCharsets.ISO_8859_1));
        EmbeddedBroker own =
            EmbeddedBroker.builder()
                .set("auth_backends.1.authn", "http")
                .set("auth_backends.1.authz", "internal")
                .set("auth_backends.2", "internal")
                .set("auth_http.request_timeout", 5_000)
                .set("auth_http.user_path", "http://127.0.0.1:" + server.getLocalPort() + "/")
                .start()) {
      assertRefused(own, "mallory", PASSWORD);
      factory(own, "guest", "guest").newConnection().close();
    }
  }

  @Test
  void aServiceThatIsDownLeavesTheInternalUsersIn() throws Exception {
    AuthServiceStub gone = new AuthServiceStub();
    gone.close();
    try (EmbeddedBroker own =
        with(EmbeddedBroker.builder(), gone)
            .set("auth_backends.1", "http")
            .set("auth_backends.2", "internal")
            .start()) {
      assertRefused(own, "mallory", PASSWORD);
      own.awaitLine("http: user 'mallory' - no answer: cannot connect to 127.0.0.1:");
      factory(own, "guest", "guest").newConnection().close();
    }
  }

  @Test
  void aBrokerWithItsOwnUsersOnlyHasNothingOfIt() throws Exception {
    Path loaded = directory.resolve("classes.log");
    try (BrokerProcess plain =
        BrokerProcess.builder().jvm("-Xlog:class+load:file=" + loaded).start()) {
      Connection connection = plain.factory().newConnection();
      connection.createChannel().queueDeclare("q", false, true, true, null);
      connection.close();
      assertThat(plain.http().get("overview").status()).isEqualTo(200);
      assertThat(Files.readAllLines(loaded))
          .anyMatch(line -> line.contains("io.mayflymq.server.auth.AuthChain "))
          .noneMatch(line -> line.contains("io.mayflymq.server.auth.http."))
          .noneMatch(line -> line.contains(" java.net.http."))
          .noneMatch(line -> line.contains("jdk.internal.net.http."));
    }
  }

  /**
   * The certificate of the service is for 127.0.0.1, and none that Java trusts. It wants one of the
   * broker too.
   */
  @ParameterizedTest
  @CsvSource({
    "127.0.0.1, true, verify_peer, wildcard, true",
    "127.0.0.1, false, verify_peer, wildcard, false",
    "127.0.0.1, false, verify_none, wildcard, true",
    "localhost, true, verify_peer, wildcard, false",
    "localhost, true, verify_peer, none, true",
    "localhost, false, verify_peer, none, false",
  })
  void theServiceProvesItselfByTls(
      String host, boolean isTrusted, String verify, String hostNames, boolean isIn)
      throws Exception {
    try (AuthServiceStub own = AuthServiceStub.encrypted(certificate.trustedBy(certificate))) {
      own.replies(asked -> Reply.text("allow"));
      Path file = certificate.writeCertificate(directory.resolve("service.pem"));
      EmbeddedBroker.Builder builder =
          EmbeddedBroker.builder()
              .set("auth_backends.1.authn", "http")
              .set("auth_backends.1.authz", "internal")
              .set("auth_http.user_path", "https://%s:%d/auth/user".formatted(host, own.port()))
              .set("auth_http.ssl_options.verify", verify)
              .set("auth_http.ssl_options.hostname_verification", hostNames)
              .set("auth_http.ssl_options.certfile", file)
              .set(
                  "auth_http.ssl_options.keyfile",
                  certificate.writeKey(directory.resolve("service.key")));
      if (isTrusted) {
        builder.set("auth_http.ssl_options.cacertfile", file);
      }
      try (EmbeddedBroker encrypted = builder.start()) {
        if (isIn) {
          factory(encrypted, "guest", PASSWORD).newConnection().close();
          assertThat(own.asked()).hasSize(1);
        } else {
          assertRefused(encrypted, "guest", PASSWORD);
          encrypted.awaitLine("user 'guest' - no answer: no TLS with " + host);
          assertThat(own.asked()).isEmpty();
        }
      }
    }
  }

  @Test
  void aUserOfACertificateIsAskedForWithoutAPassword() throws Exception {
    int port = Broker.freePort();
    try (AuthServiceStub own = new AuthServiceStub();
        EmbeddedBroker encrypted =
            with(EmbeddedBroker.builder(), own)
                .set("auth_backends.1", "http")
                .set("auth_mechanisms.1", "EXTERNAL")
                .set("ssl_cert_login_from", "common_name")
                .set("listeners.ssl.default", "127.0.0.1:" + port)
                .set(
                    "ssl_options.certfile",
                    certificate.writeCertificate(directory.resolve("broker.pem")))
                .set("ssl_options.keyfile", certificate.writeKey(directory.resolve("broker.key")))
                .set("ssl_options.cacertfile", directory.resolve("broker.pem"))
                .set("ssl_options.verify", "verify_peer")
                .start()) {
      own.replies(asked -> Reply.text("allow"));
      ConnectionFactory factory = encrypted.factory();
      factory.setPort(port);
      factory.useSslProtocol(certificate.trustedBy(certificate));
      factory.setSaslConfig(DefaultSaslConfig.EXTERNAL);
      factory.newConnection().close();
      assertThat(own.asked()).extracting(Asked::path).containsExactly("user", "vhost");
      assertThat(own.asked().get(0).fields()).isEqualTo(Map.of("username", "auth"));
    }
  }

  @Test
  void aCertificateThatCannotBeReadStopsTheStart() {
    try (EmbeddedBroker broken =
        with(EmbeddedBroker.builder(), service)
            .set("auth_backends.1", "http")
            .set("auth_http.user_path", "https://127.0.0.1/auth/user")
            .set("auth_http.ssl_options.cacertfile", "missing.pem")
            .launch()) {
      assertThat(broken.awaitExit()).isEqualTo(78);
      assertThat(broken.output())
          .anyMatch(
              line ->
                  line.contains(
                      "auth_http.ssl_options.cacertfile: cannot read missing.pem: no such"));
    }
  }

  // Rights

  @Test
  void aVirtualHostIsRefusedAsAlways() {
    denied.add("vhost /");
    assertThatThrownBy(() -> connect("ann"))
        .isInstanceOf(IOException.class)
        .hasRootCauseMessage(
            "connection error; protocol method: #method<connection.close>(reply-code=530,"
                + " reply-text=NOT_ALLOWED - access to vhost '/' refused for user 'ann',"
                + " class-id=10, method-id=40)");
    broker.awaitLine("access to vhost '/' refused for user 'ann': backend http: not this");
  }

  @Test
  void aRightIsAskedForWhenItIsUsedFirst() throws Exception {
    try (Connection connection = connect("first")) {
      Channel channel = connection.createChannel();
      channel.confirmSelect();
      channel.queueDeclare("first", false, true, true, null);
      for (int i = 0; i < 3; i++) {
        channel.basicPublish("", "first", null, new byte[1]);
      }
      channel.waitForConfirmsOrDie(Patience.MILLIS);
      assertThat(channel.messageCount("first")).isEqualTo(3);
      assertThat(channel.basicGet("first", true)).isNotNull();
    }
    assertThat(service.asked("resource", "first"))
        .extracting(LoginByHttpIT::key)
        .containsExactly(
            "configure queue first",
            "write exchange amq.default",
            "write queue first",
            "read queue first");
    assertThat(service.asked("resource", "first").get(0).fields())
        .isEqualTo(
            Map.of(
                "username",
                "first",
                "vhost",
                "/",
                "resource",
                "queue",
                "name",
                "first",
                "permission",
                "configure",
                "tags",
                "management"));
  }

  @Test
  void aQueueThatTheBrokerNamesIsAskedForOnce() throws Exception {
    service.pause(20);
    try (Connection connection = connect("named")) {
      String queue = connection.createChannel().queueDeclare().getQueue();
      assertThat(service.asked("resource", "named"))
          .extracting(LoginByHttpIT::key)
          .containsExactly("configure queue " + queue);
    }
  }

  @Test
  void refusalsAreTheBrokersOwnAndSayNoMore() throws Exception {
    denied.add("write exchange amq.fanout");
    denied.add("read queue rights");
    denied.add("write topic a.b");
    try (Connection connection = connect("ann")) {
      connection.createChannel().queueDeclare("rights", false, true, true, null);
      Channel publisher = connection.createChannel();
      assertChannelError(
          publisher,
          403,
          "ACCESS_REFUSED - write access to exchange 'amq.fanout' in vhost '/' refused for user"
              + " 'ann'",
          () -> publisher.basicPublish("amq.fanout", "", null, new byte[1]));
      Channel consumer = connection.createChannel();
      assertChannelError(
          consumer,
          403,
          "ACCESS_REFUSED - read access to queue 'rights' in vhost '/' refused for user 'ann'",
          () -> consumer.basicConsume("rights", (tag, delivery) -> {}, tag -> {}));
      Channel topics = connection.createChannel();
      assertChannelError(
          topics,
          403,
          "ACCESS_REFUSED - write access to topic 'a.b' in exchange 'amq.topic' in vhost '/'"
              + " refused for user 'ann'",
          () -> topics.basicPublish("amq.topic", "a.b", null, new byte[1]));
      Channel allowed = connection.createChannel();
      allowed.confirmSelect();
      allowed.basicPublish("amq.topic", "a.c", null, new byte[1]);
      allowed.waitForConfirmsOrDie(Patience.MILLIS);
    }
    broker.awaitLine("backend http: not this");
    Asked topic =
        service.asked("topic", "ann").stream()
            .filter(each -> "a.b".equals(each.field("routing_key")))
            .findFirst()
            .orElseThrow();
    assertThat(topic.fields())
        .isEqualTo(
            Map.of(
                "username",
                "ann",
                "vhost",
                "/",
                "resource",
                "topic",
                "name",
                "amq.topic",
                "permission",
                "write",
                "tags",
                "management",
                "routing_key",
                "a.b",
                "variable_map.username",
                "ann",
                "variable_map.vhost",
                "/"));
  }

  @Test
  void aServiceThatFailsRefusesWithoutItsStatus() throws Exception {
    try (Connection connection = connect("ann")) {
      service.replies(asked -> new Reply(500, "secret stack trace", null));
      Channel channel = connection.createChannel();
      assertChannelError(
          channel,
          403,
          "ACCESS_REFUSED - configure access to queue 'q' in vhost '/' refused for user 'ann'",
          () -> channel.queueDeclare("q", false, true, true, null));
      broker.awaitLine("backend http: the service answered with status 500");
      assertThat(broker.output()).noneMatch(line -> line.contains("secret stack trace"));
    }
  }

  /** Commands go to the broker at once; each first use of an exchange waits for its answer. */
  @Test
  void commandsKeepTheirOrderWhileAnswersAreAwaited() throws Exception {
    service.pause(30);
    try (Connection connection = connect("ordered")) {
      Channel channel = connection.createChannel();
      channel.queueDeclare("ordered", false, true, true, null);
      channel.confirmSelect();
      List<String> exchanges = List.of("", "amq.direct", "amq.fanout", "amq.topic", "amq.headers");
      for (String exchange : exchanges.subList(1, 5)) {
        channel.queueBind("ordered", exchange, "ordered");
      }
      int messages = 200;
      for (int i = 0; i < messages; i++) {
        String exchange = exchanges.get(i % exchanges.size());
        channel.basicPublish(
            exchange, "ordered", null, Integer.toString(i).getBytes(StandardCharsets.UTF_8));
      }
      channel.waitForConfirmsOrDie(Patience.MILLIS);
      for (int i = 0; i < messages; i++) {
        GetResponse got = channel.basicGet("ordered", true);
        assertThat(new String(got.getBody(), StandardCharsets.UTF_8))
            .isEqualTo(Integer.toString(i));
      }
    }
  }

  @Test
  void othersGoOnWhileAnAnswerAboutARightIsAwaited() throws Exception {
    try (Connection waiting = connect("waiting");
        Connection other = factory(broker, "guest", "guest").newConnection()) {
      Channel slow = waiting.createChannel();
      slow.confirmSelect();
      Channel channel = other.createChannel();
      String queue = channel.queueDeclare().getQueue();
      service.hold();
      slow.basicPublish(
          "", queue, null, "from the one that waits".getBytes(StandardCharsets.UTF_8));
      await().atMost(Patience.TIME).until(() -> service.held() == 1);
      for (int i = 0; i < 200; i++) {
        channel.basicPublish("", queue, null, new byte[1]);
        assertThat(channel.basicGet(queue, true)).isNotNull();
      }
      service.letGo();
      slow.waitForConfirmsOrDie(Patience.MILLIS);
      assertThat(channel.basicGet(queue, true).getBody())
          .isEqualTo("from the one that waits".getBytes(StandardCharsets.UTF_8));
    }
  }

  @Test
  void aClientThatGoesWhileItsAnswerIsAwaitedLeavesNothing() throws Exception {
    try (Connection other = factory(broker, "guest", "guest").newConnection()) {
      Connection gone = connect("gone");
      Channel channel = gone.createChannel();
      service.hold();
      channel.basicPublish("amq.fanout", "", null, new byte[1]);
      await().atMost(Patience.TIME).until(() -> service.held() == 1);
      gone.abort(0);
      service.letGo();
      await()
          .atMost(Patience.TIME)
          .untilAsserted(
              () ->
                  assertThat(broker.http().get("connections").json().findValuesAsText("user"))
                      .doesNotContain("gone"));
      assertThat(other.isOpen()).isTrue();
    }
    assertThat(broker.complaints()).isEmpty();
  }

  @Test
  void whatAConnectionWasAllowedIsAskedAgainWhenItIsForgotten() throws Exception {
    try (Connection connection = connect("forgotten")) {
      Channel channel = connection.createChannel();
      channel.confirmSelect();
      for (int i = 0; i < 3; i++) {
        publish(channel);
      }
      assertThat(service.asked("resource", "forgotten")).hasSize(1);
      ControlCommand.of(broker).run("clear_auth_backend_cache", "--user", "forgotten");
      publish(channel);
      assertThat(service.asked("resource", "forgotten")).hasSize(2);
      denied.add("write exchange amq.fanout");
      ControlCommand.of(broker).run("clear_auth_backend_cache");
      assertThatThrownBy(() -> publish(channel))
          .isInstanceOfAny(AlreadyClosedException.class, IOException.class, RuntimeException.class);
    }
  }

  @Test
  void whatAConnectionWasAllowedIsAskedAgainWithANewSecret() throws Exception {
    try (RawClient client = new RawClient(broker.port())) {
      client.start();
      client.startOk("PLAIN", "\0renewed\0" + PASSWORD, new RawWriter()).expect(10, 30);
      client.tuneOk(10, 131_072, 0);
      client.openVirtualHost("/");
      client.channelOpen(1);
      client.queueDeclare(1, "renewed");
      client.queueDeclare(1, "renewed");
      assertThat(service.asked("resource", "renewed")).hasSize(1);
      client
          .method(0, RawWriter.method(10, 70).longString("another").shortString("it is time"))
          .expect(10, 71);
      client.queueDeclare(1, "renewed");
      assertThat(service.asked("resource", "renewed")).hasSize(2);
    }
  }

  private static void publish(Channel channel) throws Exception {
    channel.basicPublish("amq.fanout", "", null, new byte[1]);
    channel.waitForConfirmsOrDie(Patience.MILLIS);
  }

  // The management API

  @Test
  void theApiIsForUsersOfTheServiceWithATagAndTheirVirtualHosts() throws Exception {
    broker.http().put("vhosts/other", "{}");
    denied.add("vhost other");
    denied.add("write exchange amq.fanout");
    Http ann = Http.as(broker.httpPort(), "ann", PASSWORD);
    Http.Reply who = ann.get("whoami");
    assertThat(who.status()).isEqualTo(200);
    assertThat(who.json().path("is_internal_user").asBoolean()).isFalse();
    assertThat(who.json().path("tags").get(0).asText()).isEqualTo("management");
    assertThat(ann.get("vhosts").json().findValuesAsText("name"))
        .contains("/")
        .doesNotContain("other");
    assertThat(ann.get("queues/other").status()).isEqualTo(404);
    assertThat(ann.put("queues/%2F/by-http", "{}").status()).isEqualTo(201);
    String message =
        "{\"properties\":{},\"routing_key\":\"by-http\",\"payload\":\"x\","
            + "\"payload_encoding\":\"string\"}";
    assertThat(
            ann.post("exchanges/%2F/amq.default/publish", message)
                .json()
                .path("routed")
                .asBoolean())
        .isTrue();
    assertThat(ann.post("exchanges/%2F/amq.fanout/publish", message).status()).isEqualTo(400);
    assertThat(ann.delete("queues/%2F/by-http").status()).isEqualTo(204);
    assertThat(Http.as(broker.httpPort(), "ann", "wrong").get("whoami").status()).isEqualTo(401);
    assertThat(broker.http().get("whoami").json().path("is_internal_user").asBoolean()).isTrue();
  }

  @Test
  void theApisOthersAreAnsweredWhileALoginIsAwaited() throws Exception {
    service.replies(asked -> Reply.text("deny"));
    Http guest = broker.http();
    assertThat(guest.get("whoami").status()).isEqualTo(200);
    CountDownLatch answered = new CountDownLatch(1);
    service.replies(
        asked -> {
          if (asked.field("username").equals("slow")) {
            try {
              answered.await(Patience.SECONDS, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
            return Reply.text("allow management");
          }
          return Reply.text("deny");
        });
    ExecutorService threads = Executors.newFixedThreadPool(30);
    try {
      List<Future<Integer>> waiting = new ArrayList<>();
      for (int i = 0; i < 30; i++) {
        String password = "p" + i;
        waiting.add(
            threads.submit(
                () -> Http.as(broker.httpPort(), "slow", password).get("whoami").status()));
      }
      await().atMost(Patience.TIME).until(() -> service.asked("user", "slow").size() == 30);
      for (int i = 0; i < 50; i++) {
        assertThat(guest.get("overview").status()).isEqualTo(200);
      }
      assertThat(waiting).noneMatch(Future::isDone);
      answered.countDown();
      for (Future<Integer> each : waiting) {
        assertThat(each.get(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo(200);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void theFormOfALoginAsksTheServiceToo() throws Exception {
    String type = "application/x-www-form-urlencoded";
    Http anonymous = broker.http().anonymous();
    Http.Reply good = anonymous.post("login", type, "username=ann&password=" + PASSWORD);
    assertThat(good.status()).isEqualTo(200);
    assertThat(good.json().path("user").path("is_internal_user").asBoolean()).isFalse();
    assertThat(anonymous.post("login", type, "username=ann&password=no").status()).isEqualTo(401);
  }

  @Test
  void metricsCountAnswers() throws Exception {
    int port = Broker.freePort();
    try (AuthServiceStub own = new AuthServiceStub();
        EmbeddedBroker counting =
            with(EmbeddedBroker.builder(), own)
                .set("auth_backends.1", "http")
                .set("prometheus.tcp.port", port)
                .start()) {
      own.replies(asked -> Reply.text("wrong".equals(asked.field("password")) ? "deny" : "allow"));
      factory(counting, "ann", PASSWORD).newConnection().close();
      assertRefused(counting, "ann", "wrong");
      String metrics =
          HttpClient.newHttpClient()
              .send(
                  HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics"))
                      .build(),
                  HttpResponse.BodyHandlers.ofString())
              .body();
      assertThat(metrics.lines())
          .contains(
              "mayfly_auth_backend_answers_total{answer=\"allowed\",backend=\"http\"} 2",
              "mayfly_auth_backend_answers_total{answer=\"refused\",backend=\"http\"} 1",
              "mayfly_auth_backend_answers_total{answer=\"failed\",backend=\"http\"} 0")
          .anyMatch(
              line ->
                  line.startsWith("mayfly_auth_backend_answer_seconds_total{backend=\"http\"} "));
    }
  }

  // The cache, POST, disclosure

  private static EmbeddedBroker cached(AuthServiceStub asked) {
    return with(EmbeddedBroker.builder(), asked)
        .set("auth_backends.1", "cache")
        .set("auth_backends.2", "internal")
        .set("auth_cache.cached_backend", "http")
        .set("auth_cache.cache_ttl", 3_600_000)
        .set("auth_http.http_method", "post")
        .set("auth_http.authorization_failure_disclosure", true)
        .start();
  }

  @Test
  void theCacheIsAskedOncePerUserAndPasswordUntilItIsCleared() throws Exception {
    Function<Asked, Reply> replies =
        asked ->
            Reply.text(
                asked.path().equals("user") && !PASSWORD.equals(asked.field("password"))
                    ? "deny"
                    : asked.path().equals("resource") ? "deny only on Sundays" : "allow");
    try (AuthServiceStub own = new AuthServiceStub();
        EmbeddedBroker second = cached(own)) {
      own.replies(replies);
      for (int i = 0; i < 5; i++) {
        factory(second, "Ann B", PASSWORD).newConnection().close();
      }
      assertThat(own.asked()).extracting(Asked::path).containsExactly("user", "vhost");
      assertThat(own.asked().get(0).method()).isEqualTo("POST");
      assertThat(own.asked().get(0).field("username")).isEqualTo("Ann B");
      assertRefused(second, "Ann B", "wrong");
      assertThat(own.asked("user", "Ann B")).hasSize(2);
      ControlCommand.of(second).run("clear_auth_backend_cache");
      try (Connection connection = factory(second, "Ann B", PASSWORD).newConnection()) {
        assertThat(own.asked("user", "Ann B")).hasSize(3);
        Channel channel = connection.createChannel();
        assertChannelError(
            channel,
            403,
            "ACCESS_REFUSED - configure access to queue 'q' in vhost '/' refused for user 'Ann B'"
                + " by backend rabbit_auth_backend_cache: only on Sundays",
            () -> channel.queueDeclare("q", false, true, true, null));
      }
    }
  }

  @Test
  void theNodesOfAClusterHaveCachesThatAreClearedTogether() throws Exception {
    try (AuthServiceStub own = new AuthServiceStub();
        ClusterNodes cluster = new ClusterNodes(directory.resolve("cluster"), 2)) {
      own.replies(asked -> Reply.text(asked.path().equals("user") ? "allow management" : "allow"));
      cluster
          .set("auth_backends.1", "cache")
          .set("auth_cache.cached_backend", "http")
          .set("auth_cache.cache_ttl", 3_600_000);
      for (String path : List.of("user", "vhost", "resource", "topic")) {
        cluster.set("auth_http." + path + "_path", own.url(path));
      }
      cluster.startAll();
      for (int i = 0; i < 4; i++) {
        factory((EmbeddedBroker) cluster.node(i % 2), "ann", PASSWORD).newConnection().close();
      }
      assertThat(own.asked("user", "ann")).hasSize(2);
      ControlCommand.of(cluster.node(0)).run("clear_auth_backend_cache", "--user", "ann");
      for (int i = 0; i < 4; i++) {
        factory((EmbeddedBroker) cluster.node(i % 2), "ann", PASSWORD).newConnection().close();
      }
      assertThat(own.asked("user", "ann")).hasSize(4);
      // A list asks other nodes on behalf of the user.
      try (Connection there =
          factory((EmbeddedBroker) cluster.node(1), "ann", PASSWORD).newConnection()) {
        Channel channel = there.createChannel();
        channel.queueDeclare("there", false, true, true, null);
        channel.basicPublish("", "there", null, new byte[1]);
        Http here = Http.as(cluster.node(0).httpPort(), "ann", PASSWORD);
        await()
            .atMost(Patience.TIME)
            .untilAsserted(
                () ->
                    assertThat(here.get("queues/%2F/there").json().path("messages").asInt())
                        .isEqualTo(1));
        assertThat(here.get("queues").json().findValuesAsText("name")).contains("there");
      }
    }
  }
}
