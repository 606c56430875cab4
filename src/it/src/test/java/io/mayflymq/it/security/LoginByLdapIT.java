package io.mayflymq.it.security;

import static io.mayflymq.it.harness.ChannelErrors.assertChannelError;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AuthenticationFailureException;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.DefaultSaslConfig;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Broker;
import io.mayflymq.it.harness.BrokerProcess;
import io.mayflymq.it.harness.Certificate;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Logging in and rights by a real OpenLDAP. */
@BlackBox
@OwnBroker
class LoginByLdapIT {
  private static final String OF_ANN = "password-of-ann";
  private static final String OF_BOB = "password-of-bob";
  private static final String PEOPLE = "ou=people," + Slapd.BASE;
  private static final String ANN = "uid=ann," + PEOPLE;
  private static final String PATTERN = "uid=${username}," + PEOPLE;
  private static final String IS_ADMIN = "{in_group, \"cn=admins,ou=groups,dc=example,dc=com\"}";

  @TempDir static Path directory;

  private static Certificate certificate;
  private static Slapd slapd;

  /** One whose queries ask as an account, with the broker's own users behind it. */
  private static EmbeddedBroker broker;

  @BeforeAll
  static void start() throws Exception {
    Slapd.requireInstalled();
    certificate = Certificate.withRsaKey("CN=ldap");
    slapd = Slapd.start(Files.createDirectory(directory.resolve("slapd")), certificate);
    broker =
        withAccount(builder(slapd))
            .set("auth_backends.2", "internal")
            .set("auth_ldap.group_lookup_base", "ou=groups,dc=example,dc=com")
            .set("auth_ldap.log", true)
            .set("log.console.level", "debug")
            .set(
                "auth_ldap.queries.tags",
                "[{administrator, %s}, {management, {constant, true}}]".formatted(IS_ADMIN))
            .set(
                "auth_ldap.queries.vhost_access",
                "{'or', [%s, {exists, \"cn=${vhost}-guests,ou=vhosts,dc=example,dc=com\"}, %s]}"
                    .formatted(
                        "{in_group, \"cn=${vhost}-users,ou=vhosts,dc=example,dc=com\"}",
                        "{equals, \"${username}\", \"bob\"}"))
            .set(
                "auth_ldap.queries.resource_access",
                """
                {for, [{permission, configure, {in_group_nested, "cn=all,ou=groups,dc=example,dc=com"}},
                       {permission, write,
                        {'and', [{'not', {in_group, "cn=none,ou=groups,dc=example,dc=com"}},
                                 {'or', [{match, "${name}", "^amq\\\\."},
                                         {equals, "${name}",
                                          {attribute, "${user_dn}", "description"}}]}]}},
                       {permission, read, {'or', [{match, "${name}", "^${username}-"},
                                               {equals, "${resource}", "exchange"}]}}]}"""
                    .replace("\n", " "))
            .set(
                "auth_ldap.queries.topic_access",
                "{match, {string, \"${routing_key}\"}, {string, \"^${username}\\\\.\"}}")
            .start();
  }

  private static EmbeddedBroker.Builder builder(Slapd asked) {
    return EmbeddedBroker.builder()
        .set("auth_backends.1", "ldap")
        .set("auth_ldap.servers.1", "127.0.0.1")
        .set("auth_ldap.port", asked.port())
        .set("auth_ldap.timeout", 60_000)
        .set("auth_ldap.user_dn_pattern", PATTERN);
  }

  private static EmbeddedBroker.Builder withAccount(EmbeddedBroker.Builder builder) {
    return builder
        .set("auth_ldap.other_bind.user_dn", Slapd.SERVICE)
        .set("auth_ldap.other_bind.password", Slapd.SERVICE_PASSWORD);
  }

  @AfterAll
  static void stop() {
    if (broker != null) {
      broker.close();
      assertNoPasswords(broker);
    }
    if (slapd != null) {
      slapd.close();
    }
  }

  private static void assertNoPasswords(Broker asked) {
    assertThat(asked.output())
        .noneMatch(line -> line.contains("password-of-") || line.contains(Slapd.SERVICE_PASSWORD));
  }

  private static ConnectionFactory factory(Broker at, String user, String password) {
    ConnectionFactory factory = at.factory();
    factory.setUsername(user);
    factory.setPassword(password);
    factory.setAutomaticRecoveryEnabled(false);
    factory.setHandshakeTimeout(Patience.MILLIS);
    factory.setConnectionTimeout(Patience.MILLIS);
    factory.setChannelRpcTimeout(Patience.MILLIS);
    return factory;
  }

  private static void assertIn(Broker at, String user, String password) throws Exception {
    factory(at, user, password).newConnection().close();
  }

  private static void assertRefused(Broker at, String user, String password) {
    assertThatThrownBy(() -> factory(at, user, password).newConnection().close())
        .isInstanceOf(AuthenticationFailureException.class)
        .hasMessageContaining(
            "ACCESS_REFUSED - Login was refused using authentication mechanism PLAIN. For details"
                + " see the broker logfile.");
  }

  // Logins

  @Test
  void aUserOfTheDirectoryIsInAndOthersAreNot() throws Exception {
    assertIn(broker, "ann", OF_ANN);
    assertRefused(broker, "ann", "password-of-nobody");
    broker.awaitLine(
        "ldap: user 'ann' - refused: the directory refuses the bind of '%s': invalid credentials"
            .formatted(ANN));
    assertRefused(broker, "eve", OF_ANN);
    assertIn(broker, "guest", "guest");
    assertNoPasswords(broker);
  }

  @Test
  void anEmptyPasswordIsNotSent() {
    long before = slapd.asked("uid=bob");
    assertRefused(broker, "bob", "");
    broker.awaitLine(
        "user 'bob' - refused: unauthenticated bind not allowed: the password is empty");
    assertThat(slapd.asked("uid=bob")).isEqualTo(before);
    assertRefused(broker, "", OF_BOB);
  }

  @Test
  void anEntryWithoutAPasswordIsNoUser() {
    assertRefused(broker, "nopass", "anything");
  }

  @Test
  void oddNamesAreNames() throws Exception {
    try (EmbeddedBroker own = builder(slapd).start()) {
      assertIn(own, "Lee, Jürgen", "password-of-lee");
      assertRefused(own, "ann,ou=people", OF_ANN);
      assertRefused(own, "*", OF_ANN);
    }
  }

  @ParameterizedTest
  @CsvSource({"as_user", "anon", "account"})
  void theEntryIsLookedUp(String as) throws Exception {
    EmbeddedBroker.Builder builder =
        builder(slapd)
            .set("auth_ldap.dn_lookup_attribute", "mail")
            .set("auth_ldap.dn_lookup_base", PEOPLE)
            .set("auth_ldap.user_dn_pattern", "${username}@example.com")
            .set("auth_ldap.queries.vhost_access", IS_ADMIN);
    switch (as) {
      case "account" ->
          builder
              .set("auth_ldap.dn_lookup_bind.user_dn", Slapd.SERVICE)
              .set("auth_ldap.dn_lookup_bind.password", Slapd.SERVICE_PASSWORD);
      case "as_user" -> builder.set("auth_ldap.user_bind_pattern", PATTERN);
      default -> builder.set("auth_ldap.dn_lookup_bind", as);
    }
    try (EmbeddedBroker own = builder.start()) {
      if (as.equals("anon")) {
        // This directory shows nothing to those who have no name.
        assertRefused(own, "ann", OF_ANN);
        own.awaitLine(
            "the directory answers a search at '%s' by 'insufficient access rights"
                .formatted(PEOPLE));
        return;
      }
      assertIn(own, "ann", OF_ANN);
      assertRefused(own, "ann", OF_BOB);
      assertThatThrownBy(() -> assertIn(own, "bob", OF_BOB))
          .isInstanceOf(IOException.class)
          .hasStackTraceContaining("access to vhost '/' refused for user 'bob'");
    }
  }

  @Test
  void anAccountThatIsRefusedIsNoFaultOfTheUser() throws Exception {
    try (EmbeddedBroker own =
        builder(slapd)
            .set("auth_ldap.dn_lookup_attribute", "uid")
            .set("auth_ldap.dn_lookup_base", PEOPLE)
            .set("auth_ldap.user_dn_pattern", "${username}")
            .set("auth_ldap.dn_lookup_bind.user_dn", Slapd.SERVICE)
            .set("auth_ldap.dn_lookup_bind.password", "password-of-yesterday")
            .start()) {
      assertRefused(own, "ann", OF_ANN);
      own.awaitLine(
          "ldap: user 'ann' - no answer: the directory refuses the account of"
              + " auth_ldap.dn_lookup_bind, '%s': invalid credentials".formatted(Slapd.SERVICE));
      assertNoPasswords(own);
    }
  }

  @Test
  void aUserOfACertificateHasToHaveAnEntry() throws Exception {
    int port = Broker.freePort();
    Certificate ann = Certificate.of("CN=ann");
    Certificate eve = Certificate.of("CN=eve");
    Path authorities = directory.resolve("clients.pem");
    Files.writeString(
        authorities,
        Files.readString(ann.writeCertificate(directory.resolve("ann.pem")))
            + Files.readString(eve.writeCertificate(directory.resolve("eve.pem"))));
    try (EmbeddedBroker encrypted =
        withAccount(builder(slapd))
            .set("auth_mechanisms.1", "EXTERNAL")
            .set("ssl_cert_login_from", "common_name")
            .set("listeners.ssl.default", "127.0.0.1:" + port)
            .set(
                "ssl_options.certfile",
                certificate.writeCertificate(directory.resolve("broker.pem")))
            .set("ssl_options.keyfile", certificate.writeKey(directory.resolve("broker.key")))
            .set("ssl_options.cacertfile", authorities)
            .set("ssl_options.verify", "verify_peer")
            .set("auth_ldap.queries.vhost_access", IS_ADMIN)
            .start()) {
      ConnectionFactory factory = encrypted.factory();
      factory.setPort(port);
      factory.setSaslConfig(DefaultSaslConfig.EXTERNAL);
      factory.useSslProtocol(certificate.trustedBy(ann));
      factory.newConnection().close();
      factory.useSslProtocol(certificate.trustedBy(eve));
      assertThatThrownBy(factory::newConnection).isInstanceOf(AuthenticationFailureException.class);
      encrypted.awaitLine("there is no entry 'uid=eve,%s'".formatted(PEOPLE));
    }
  }

  // Rights

  @Test
  void queriesDecideAsTheyAreWritten() throws Exception {
    try (Connection connection = factory(broker, "ann", OF_ANN).newConnection()) {
      Channel channel = connection.createChannel();
      channel.queueDeclare("ann-orders", false, true, true, null);
      channel.queueBind("ann-orders", "amq.fanout", "");
      channel.basicGet("ann-orders", true);
      Channel second = connection.createChannel();
      assertChannelError(
          second,
          403,
          "ACCESS_REFUSED - read access to queue 'orders' in vhost '/' refused for user 'ann'",
          () -> {
            second.queueDeclare("orders", false, true, true, null);
            second.basicGet("orders", true);
          });
      Channel third = connection.createChannel();
      third.basicPublish("amq.topic", "ann.a", null, new byte[1]);
      assertChannelError(
          third,
          403,
          "ACCESS_REFUSED - write access to topic 'bob.a' in exchange 'amq.topic' in vhost '/'"
              + " refused for user 'ann'",
          () -> {
            third.basicPublish("amq.topic", "bob.a", null, new byte[1]);
            third.queueDeclarePassive("ann-orders");
          });
    }
    try (Connection connection = factory(broker, "bob", OF_BOB).newConnection()) {
      Channel channel = connection.createChannel();
      assertChannelError(
          channel,
          403,
          "ACCESS_REFUSED - configure access to queue 'bob-q' in vhost '/' refused for user 'bob'",
          () -> channel.queueDeclare("bob-q", false, true, true, null));
    }
    try (Connection guest = factory(broker, "guest", "guest").newConnection()) {
      guest.createChannel().queueDeclare("anything", false, true, true, null);
    }
    broker.awaitLine("(member=%s) of 'cn=/-users,ou=vhosts,dc=example,dc=com': yes".formatted(ANN));
  }

  @Test
  void aVirtualHostWithoutAGroupIsAPlainNo() throws Exception {
    ControlCommand.of(broker).run("add_vhost", "ungrouped");
    ConnectionFactory factory = factory(broker, "ann", OF_ANN);
    factory.setVirtualHost("ungrouped");
    assertThatThrownBy(factory::newConnection)
        .hasStackTraceContaining(
            "NOT_ALLOWED - access to vhost 'ungrouped' refused for user 'ann'");
    factory = factory(broker, "bob", OF_BOB);
    factory.setVirtualHost("ungrouped");
    factory.newConnection().close();
    assertThat(broker.output())
        .noneMatch(line -> line.contains("'ungrouped'") && line.contains("backend ldap"));
  }

  @ParameterizedTest
  @CsvSource({"as_user, false", "account, true"})
  void aQuerySeesWhatItsAccountMaySee(String as, boolean isIn) throws Exception {
    EmbeddedBroker.Builder builder =
        builder(slapd)
            .set(
                "auth_ldap.queries.vhost_access",
                "{in_group, \"cn=secret,ou=hidden,dc=example,dc=com\"}");
    try (EmbeddedBroker own = (as.equals("account") ? withAccount(builder) : builder).start()) {
      if (isIn) {
        assertIn(own, "ann", OF_ANN);
      } else {
        assertThatThrownBy(() -> assertIn(own, "ann", OF_ANN))
            .hasStackTraceContaining("access to vhost '/' refused for user 'ann'");
      }
    }
  }

  @Test
  void theManagementApiHasTheTagsOfTheDirectory() throws Exception {
    Http ann = Http.as(broker.httpPort(), "ann", OF_ANN);
    assertThat(ann.get("whoami").json().toString())
        .isEqualTo(
            "{\"name\":\"ann\",\"tags\":[\"administrator\",\"management\"],"
                + "\"is_internal_user\":false}");
    assertThat(ann.get("users").status()).isEqualTo(200);
    Http bob = Http.as(broker.httpPort(), "bob", OF_BOB);
    assertThat(bob.get("whoami").json().path("tags").toString()).isEqualTo("[\"management\"]");
    assertThat(bob.get("users").status()).isEqualTo(401);
    assertThat(Http.as(broker.httpPort(), "bob", OF_ANN).get("whoami").status()).isEqualTo(401);
  }

  // TLS

  /** The certificate of the directory is for 127.0.0.1, and none that Java trusts. */
  @ParameterizedTest
  @CsvSource({
    "use_ssl, 127.0.0.1, true, verify_peer, wildcard, true",
    "use_ssl, 127.0.0.1, false, verify_peer, wildcard, false",
    "use_ssl, 127.0.0.1, false, verify_none, wildcard, true",
    "use_ssl, localhost, true, verify_peer, wildcard, false",
    "use_ssl, localhost, true, verify_peer, none, true",
    "use_starttls, 127.0.0.1, true, verify_peer, wildcard, true",
    "use_starttls, 127.0.0.1, false, verify_peer, wildcard, false",
    "use_starttls, 127.0.0.1, false, verify_none, wildcard, true",
    "use_starttls, localhost, true, verify_peer, wildcard, false",
  })
  void theDirectoryProvesItselfByTls(
      String key, String host, boolean isTrusted, String verify, String hostNames, boolean isIn)
      throws Exception {
    EmbeddedBroker.Builder builder =
        builder(slapd)
            .set("auth_ldap.servers.1", host)
            .set("auth_ldap.port", key.equals("use_ssl") ? slapd.tlsPort() : slapd.port())
            .set("auth_ldap." + key, true)
            .set("auth_ldap.ssl_options.verify", verify)
            .set("auth_ldap.ssl_options.hostname_verification", hostNames);
    if (isTrusted) {
      builder.set(
          "auth_ldap.ssl_options.cacertfile",
          certificate.writeCertificate(directory.resolve("ldap.pem")));
    }
    try (EmbeddedBroker own = builder.start()) {
      if (isIn) {
        assertIn(own, "ann", OF_ANN);
        assertIn(own, "ann", OF_ANN);
      } else {
        long before = slapd.asked("BIND dn=\"uid=ann");
        assertRefused(own, "ann", OF_ANN);
        own.awaitLine("no TLS: ");
        assertThat(slapd.asked("BIND dn=\"uid=ann")).isEqualTo(before);
      }
    }
  }

  @Test
  void aServerWithoutStarttlsGetsNoPassword() throws Exception {
    Path place = Files.createDirectory(directory.resolve("plain"));
    try (Slapd plain = Slapd.startWithoutTls(place);
        EmbeddedBroker own = builder(plain).set("auth_ldap.use_starttls", true).start()) {
      assertRefused(own, "ann", OF_ANN);
      own.awaitLine("it refuses STARTTLS: ");
      assertThat(plain.asked("BIND")).isZero();
    }
  }

  // Failures

  @Test
  void aServerThatIsDownIsLeftOutAndComesBackByItself() throws Exception {
    Path place = Files.createDirectory(directory.resolve("second"));
    try (Slapd first = Slapd.startWithoutTls(place);
        EmbeddedBroker own =
            withAccount(builder(slapd))
                .set("auth_ldap.servers.1", "127.0.0.1:" + first.port())
                .set("auth_ldap.servers.2", "127.0.0.1:" + slapd.port())
                .set("auth_ldap.queries.vhost_access", IS_ADMIN)
                .start()) {
      assertIn(own, "ann", OF_ANN);
      assertThat(first.asked("BIND dn=\"uid=ann")).isPositive();
      first.stop();
      long before = slapd.asked("BIND dn=\"uid=ann");
      assertIn(own, "ann", OF_ANN);
      assertThat(slapd.asked("BIND dn=\"uid=ann")).isGreaterThan(before);
      first.restart();
      long binds = first.asked("BIND dn=\"uid=ann");
      assertIn(own, "ann", OF_ANN);
      assertThat(first.asked("BIND dn=\"uid=ann")).isGreaterThan(binds);
    }
  }

  @Test
  void aDirectoryThatIsDownIsAFailureAtOnceAndTheNextBackendIsAsked() throws Exception {
    int gone = Broker.freePort();
    try (EmbeddedBroker own =
        builder(slapd).set("auth_backends.2", "internal").set("auth_ldap.port", gone).start()) {
      assertRefused(own, "ann", OF_ANN);
      own.awaitLine(
          "ldap: user 'ann' - no answer: 127.0.0.1:%d: cannot connect: Connection refused"
              .formatted(gone));
      assertIn(own, "guest", "guest");
    }
  }

  @Test
  void aPausedDirectoryIsAFailureInTimeAndNoOtherClientWaits() throws Exception {
    Path place = Files.createDirectory(directory.resolve("paused"));
    try (Slapd paused = Slapd.startWithoutTls(place);
        EmbeddedBroker own =
            builder(paused)
                .set("auth_backends.1", "internal")
                .set("auth_backends.2", "ldap")
                .set("auth_ldap.timeout", 3_000)
                .set("handshake_timeout", 1_000)
                .start();
        Connection other = factory(own, "guest", "guest").newConnection()) {
      assertIn(own, "ann", OF_ANN);
      paused.pause();
      Channel channel = other.createChannel();
      String queue = channel.queueDeclare().getQueue();
      channel.confirmSelect();
      long began = System.nanoTime();
      Thread login = new Thread(() -> assertRefused(own, "ann", OF_ANN), "login");
      login.start();
      int rounds = 0;
      while (login.isAlive()) {
        channel.basicPublish("", queue, null, new byte[16]);
        channel.waitForConfirmsOrDie(Patience.MILLIS);
        assertThat(channel.basicGet(queue, true)).isNotNull();
        rounds++;
      }
      assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began)).isGreaterThan(2_900);
      assertThat(rounds).isGreaterThan(20);
      own.awaitLine(
          "user 'ann' - no answer: 127.0.0.1:%d: no answer within".formatted(paused.port()));
      paused.resume();
      await().atMost(Patience.TIME).ignoreExceptions().until(() -> isIn(own, "ann", OF_ANN));
    }
  }

  private static boolean isIn(Broker at, String user, String password) throws Exception {
    assertIn(at, user, password);
    return true;
  }

  @Test
  void aSilentServerIsFollowedByTheNext() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        EmbeddedBroker own =
            builder(slapd)
                .set("auth_ldap.servers.1", "127.0.0.1:" + silent.getLocalPort())
                .set("auth_ldap.servers.2", "127.0.0.1:" + slapd.port())
                .set("auth_ldap.timeout", 6_000)
                .start()) {
      assertIn(own, "ann", OF_ANN);
      own.awaitLine(
          "LDAP server 127.0.0.1:%d did not answer in time: it is asked after the others for 30 s"
              .formatted(silent.getLocalPort()));
      long began = System.nanoTime();
      assertIn(own, "bob", OF_BOB);
      assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began)).isLessThan(2_900);
    }
  }

  // The cache, the start

  @Test
  void theCacheIsInFrontOfTheDirectory() throws Exception {
    try (EmbeddedBroker cached =
        withAccount(builder(slapd))
            .set("auth_backends.1", "cache")
            .set("auth_cache.cached_backend", "ldap")
            .set("auth_cache.cache_ttl", 3_600_000)
            .set("auth_ldap.queries.vhost_access", IS_ADMIN)
            .start()) {
      String bind = "BIND dn=\"%s\" method".formatted(ANN);
      long before = slapd.asked(bind);
      for (int i = 0; i < 5; i++) {
        assertIn(cached, "ann", OF_ANN);
      }
      assertThat(slapd.asked(bind)).isEqualTo(before + 1);
      assertRefused(cached, "ann", "password-of-mallory");
      ControlCommand.of(cached).run("clear_auth_backend_cache", "--user", "ann");
      assertIn(cached, "ann", OF_ANN);
      assertThat(slapd.asked(bind)).isEqualTo(before + 3);
    }
  }

  @Test
  void theDirectoryChecksPasswordsAndTheBrokerDecides() throws Exception {
    try (EmbeddedBroker own =
        builder(slapd)
            .set("auth_backends.1", "internal")
            .set("auth_backends.2.authn", "ldap")
            .set("auth_backends.2.authz", "internal")
            .start()) {
      assertRefused(own, "ann", OF_ANN);
      ControlCommand control = ControlCommand.of(own);
      control.run("add_user", "ann", "of-the-broker");
      control.run("set_permissions", "ann", "^ann-", "", "");
      try (Connection connection = factory(own, "ann", OF_ANN).newConnection()) {
        connection.createChannel().queueDeclare("ann-q", false, true, true, null);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "auth_ldap.queries.vhost_access = {in_grp, \"cn=a\"}"
            + " ; key 'auth_ldap.queries.vhost_access', column 2: unknown query 'in_grp'",
        "auth_ldap.queries.tags = [{administrator, {constant, yes}}]"
            + " ; key 'auth_ldap.queries.tags', column 18: expected {constant, true}",
        "auth_ldap.ssl_options.cacertfile = missing.pem"
            + " ; auth_ldap.ssl_options.cacertfile: cannot read missing.pem",
        "auth_ldap.dn_lookup_bind.user_dn = cn=a"
            + " ; key 'auth_ldap.dn_lookup_bind.user_dn' is set and key",
      })
  void whatCannotBeUsedStopsTheStart(String line) {
    String[] parts = line.split(" ; ");
    String[] setting = parts[0].split(" = ");
    try (EmbeddedBroker broken =
        builder(slapd).set("auth_ldap.use_ssl", true).set(setting[0], setting[1]).launch()) {
      assertThat(broken.awaitExit()).isEqualTo(78);
      assertThat(broken.output()).anyMatch(each -> each.contains(parts[1]));
    }
  }

  @Test
  void aBrokerWithoutItHasNothingOfIt() throws Exception {
    Path loaded = directory.resolve("classes.log");
    try (BrokerProcess plain =
        BrokerProcess.builder().jvm("-Xlog:class+load:file=" + loaded).start()) {
      plain.factory().newConnection().close();
      assertThat(Files.readAllLines(loaded))
          .anyMatch(line -> line.contains("io.mayflymq.server.auth.AuthChain "))
          .noneMatch(line -> line.matches(".* io\\.mayflymq\\.server\\.auth\\.ldap\\.[A-Z].*"))
          .noneMatch(line -> line.contains("com.unboundid."));
    }
  }
}
