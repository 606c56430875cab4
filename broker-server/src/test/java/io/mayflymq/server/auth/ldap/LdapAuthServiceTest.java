package io.mayflymq.server.auth.ldap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.unboundid.ldap.listener.InMemoryDirectoryServer;
import com.unboundid.ldap.listener.InMemoryDirectoryServerConfig;
import com.unboundid.ldap.listener.InMemoryListenerConfig;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedSearchRequest;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedSimpleBindRequest;
import com.unboundid.ldap.listener.interceptor.InMemoryOperationInterceptor;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.Faults;
import io.mayflymq.core.security.Permission;
import io.mayflymq.core.security.ResourceKind;
import io.mayflymq.server.auth.Answer;
import io.mayflymq.server.auth.AuthenticatedUser;
import io.mayflymq.server.auth.LoginState;
import io.mayflymq.server.auth.Question;
import io.mayflymq.server.config.Configuration;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LdapAuthServiceTest {
  private static final int SECONDS = 60;
  private static final int LONG_MILLIS = 60_000;
  private static final String ANN = "uid=ann,ou=people,dc=example";
  private static final String PATTERN =
      "auth_ldap.user_dn_pattern=uid=${username},ou=people,dc=example";
  private static final String ACCOUNT = "cn=service,dc=example";
  private static final String[] OTHER_BIND = {
    "auth_ldap.other_bind.user_dn=" + ACCOUNT, "auth_ldap.other_bind.password=of-the-service"
  };
  private static final String IN_STAFF = "{in_group, \"cn=staff,ou=groups,dc=example\"}";

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<AutoCloseable> opened = new CopyOnWriteArrayList<>();
  private final Requests requests = new Requests();
  private InMemoryDirectoryServer directory;

  /** What a directory was asked; it can be held. */
  private static final class Requests extends InMemoryOperationInterceptor {
    final List<String> asked = new CopyOnWriteArrayList<>();
    volatile CountDownLatch gate = new CountDownLatch(0);
    volatile ResultCode bindResult = ResultCode.SUCCESS;

    @Override
    public void processSimpleBindRequest(InMemoryInterceptedSimpleBindRequest request)
        throws LDAPException {
      asked.add("bind " + request.getRequest().getBindDN());
      hold();
      if (!bindResult.equals(ResultCode.SUCCESS)) {
        throw new LDAPException(bindResult, "as the test wants it");
      }
    }

    @Override
    public void processSearchRequest(InMemoryInterceptedSearchRequest request) {
      asked.add("search " + request.getRequest().getBaseDN());
      hold();
    }

    private void hold() {
      try {
        gate.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @BeforeEach
  void start() throws Exception {
    directory = directory(0);
  }

  private InMemoryDirectoryServer directory(int port) throws Exception {
    InMemoryDirectoryServerConfig config = new InMemoryDirectoryServerConfig("dc=example");
    config.setListenerConfigs(
        InMemoryListenerConfig.createLDAPConfig(
            "test", InetAddress.getLoopbackAddress(), port, null));
    config.setSchema(null);
    config.addInMemoryOperationInterceptor(requests);
    InMemoryDirectoryServer server = new InMemoryDirectoryServer(config);
    server.add("dn: dc=example", "objectClass: domain", "dc: example");
    server.add("dn: ou=people,dc=example", "objectClass: organizationalUnit", "ou: people");
    server.add("dn: ou=groups,dc=example", "objectClass: organizationalUnit", "ou: groups");
    server.add(
        "dn: " + ACCOUNT, "objectClass: person", "cn: service", "userPassword: of-the-service");
    person(server, "ann", "of-ann");
    person(server, "bob", "of-bob");
    server.add(
        "dn: cn=staff,ou=groups,dc=example",
        "objectClass: groupOfNames",
        "cn: staff",
        "member: " + ANN);
    server.startListening();
    opened.add(() -> server.shutDown(true));
    return server;
  }

  private static void person(InMemoryDirectoryServer server, String uid, String password)
      throws Exception {
    server.add(
        "dn: uid=" + uid + ",ou=people,dc=example",
        "objectClass: person",
        "uid: " + uid,
        "mail: " + uid + "@example.com",
        "userPassword: " + password);
  }

  @AfterEach
  void stop() throws Exception {
    requests.gate.countDown();
    for (AutoCloseable each : opened) {
      each.close();
    }
    threads.shutdownNow();
  }

  private LdapAuthService service(int timeoutMillis, List<Integer> ports, String... sets)
      throws Exception {
    List<String> all = new ArrayList<>(List.of("auth_backends.1=ldap"));
    for (int port : ports) {
      all.add("auth_ldap.servers.%d=127.0.0.1:%d".formatted(all.size(), port));
    }
    all.add("auth_ldap.timeout=" + timeoutMillis);
    all.addAll(List.of(sets));
    LdapAuthService service =
        LdapAuthService.start(
            Configuration.load(Optional.empty(), Map.of(), all)
                .settings()
                .auth()
                .ldap()
                .orElseThrow(),
            new BrokerThreads(Faults.logged()));
    opened.add(0, service);
    return service;
  }

  private LdapAuthService service(String... sets) throws Exception {
    return service(LONG_MILLIS, List.of(directory.getListenPort()), sets);
  }

  private static Answer get(CompletableFuture<Answer> answer) throws Exception {
    return answer.get(SECONDS, TimeUnit.SECONDS);
  }

  private static Answer login(LdapAuthService service, String user, String password)
      throws Exception {
    return get(service.ask(new Question.Login(user, password)));
  }

  private static AuthenticatedUser user(String name, LoginState state) {
    return new AuthenticatedUser(name, List.of(), List.of(), "ldap", "ldap", state);
  }

  private static Question vhost(AuthenticatedUser user, String vhost) {
    return new Question.Vhost(user, vhost, "127.0.0.1");
  }

  private static void assertRefused(Answer answer, String reason) {
    assertThat(answer.kind()).as(answer.reason()).isEqualTo(Answer.Kind.REFUSED);
    assertThat(answer.reason()).isEqualTo(reason);
  }

  private static void assertFailed(Answer answer, String reason) {
    assertThat(answer.kind()).as(answer.reason()).isEqualTo(Answer.Kind.FAILED);
    assertThat(answer.reason()).contains(reason);
  }

  // Logins

  @Test
  void aUserIsBoundByThePattern() throws Exception {
    LdapAuthService service = service(PATTERN);
    Answer answer = login(service, "ann", "of-ann");
    assertThat(answer.isAllowed()).isTrue();
    assertThat(answer.tags()).isEmpty();
    assertThat(answer.state().facts()).containsExactly(ANN);
    assertThat(answer.state().secret()).isEqualTo("of-ann");
    assertThat(requests.asked).containsExactly("bind " + ANN);
    Answer wrong = login(service, "ann", "wrong");
    assertThat(wrong.kind()).isEqualTo(Answer.Kind.REFUSED);
    assertThat(wrong.reason())
        .startsWith("the directory refuses the bind of '" + ANN + "': invalid credentials");
  }

  @Test
  void whatProvesNothingIsNotSent() throws Exception {
    LdapAuthService service = service(PATTERN);
    assertRefused(
        login(service, "ann", ""), "unauthenticated bind not allowed: the password is empty");
    assertRefused(login(service, "", "x"), "the user name is empty");
    assertRefused(login(service, " ", "x"), "the user name is empty");
    assertFailed(login(service, "ann", null), "needs an account in auth_ldap.other_bind");
    assertThat(requests.asked).isEmpty();
  }

  @Test
  void anEntryIsLookedUpByAnAccountBefore() throws Exception {
    LdapAuthService service =
        service(
            "auth_ldap.dn_lookup_attribute=mail",
            "auth_ldap.dn_lookup_base=ou=people,dc=example",
            "auth_ldap.dn_lookup_bind.user_dn=" + ACCOUNT,
            "auth_ldap.dn_lookup_bind.password=of-the-service");
    assertThat(login(service, "ann@example.com", "of-ann").state().facts()).containsExactly(ANN);
    assertThat(requests.asked)
        .containsExactly("bind " + ACCOUNT, "search ou=people,dc=example", "bind " + ANN);
    assertRefused(
        login(service, "eve@example.com", "of-ann"),
        "no entry below 'ou=people,dc=example' has 'eve@example.com' as its mail");
    // Values are not part of the filter.
    assertRefused(
        login(service, "*", "of-ann"), "no entry below 'ou=people,dc=example' has '*' as its mail");
    assertRefused(
        login(service, "ann@example.com)(uid=*", "of-ann"),
        "no entry below 'ou=people,dc=example' has 'ann@example.com)(uid=*' as its mail");
    // The account's connection is used again.
    assertThat(requests.asked).filteredOn(each -> each.equals("bind " + ACCOUNT)).hasSize(1);
  }

  @Test
  void anEntryIsLookedUpByTheUserAfterwards() throws Exception {
    LdapAuthService service =
        service(
            "auth_ldap.user_bind_pattern=uid=${username},ou=people,dc=example",
            "auth_ldap.dn_lookup_attribute=uid",
            "auth_ldap.dn_lookup_base=dc=example");
    assertThat(login(service, "ann", "of-ann").state().facts()).containsExactly(ANN);
    assertThat(requests.asked).containsExactly("bind " + ANN, "search dc=example");
  }

  @Test
  void severalEntriesLetNobodyIn() throws Exception {
    directory.add(
        "dn: uid=ann,ou=groups,dc=example",
        "objectClass: person",
        "uid: ann",
        "userPassword: of-ann");
    LdapAuthService service =
        service(
            "auth_ldap.dn_lookup_attribute=uid",
            "auth_ldap.dn_lookup_base=dc=example",
            "auth_ldap.dn_lookup_bind=anon");
    assertFailed(
        login(service, "ann", "of-ann"),
        "several entries below 'dc=example' have 'ann' as their uid");
  }

  @Test
  void anAccountThatIsRefusedIsToldFromAUserWhoIs() throws Exception {
    LdapAuthService service =
        service(
            PATTERN,
            "auth_ldap.other_bind.user_dn=" + ACCOUNT,
            "auth_ldap.other_bind.password=old-password",
            "auth_ldap.queries.vhost_access=" + IN_STAFF);
    AuthenticatedUser ann = user("ann", login(service, "ann", "of-ann").state());
    for (int i = 0; i < 2; i++) {
      Answer answer = get(service.ask(vhost(ann, "/")));
      assertFailed(
          answer,
          "the directory refuses the account of auth_ldap.other_bind, '" + ACCOUNT + "': invalid");
      assertThat(answer.reason()).doesNotContain("old-password");
    }
    // A connection that is not bound is not used for the account.
    assertThat(requests.asked).filteredOn(each -> each.startsWith("search")).isEmpty();
  }

  @Test
  void aLoginWithoutAPasswordNeedsAnEntry() throws Exception {
    LdapAuthService service =
        service(Stream.concat(Stream.of(PATTERN), Stream.of(OTHER_BIND)).toArray(String[]::new));
    Answer answer = login(service, "ann", null);
    assertThat(answer.isAllowed()).isTrue();
    assertThat(answer.state().secret()).isNull();
    assertRefused(login(service, "eve", null), "there is no entry 'uid=eve,ou=people,dc=example'");
  }

  @Test
  void tagsAreThoseWhoseQueriesHold() throws Exception {
    LdapAuthService service =
        service(
            PATTERN,
            "auth_ldap.other_bind=anon",
            "auth_ldap.queries.tags=[{administrator, "
                + IN_STAFF
                + "}, {management, {constant, true}},"
                + " {monitoring, {exists, \"${ad_user}\"}}]");
    assertThat(login(service, "ann", "of-ann").tags())
        .containsExactly("administrator", "management");
    assertThat(login(service, "bob", "of-bob").tags()).containsExactly("management");
  }

  // Rights

  @Test
  void rightsAreAskedAsTheUser() throws Exception {
    LdapAuthService service =
        service(
            PATTERN,
            "auth_ldap.queries.vhost_access=" + IN_STAFF,
            "auth_ldap.queries.resource_access={for, [{permission, write, "
                + IN_STAFF
                + "}, {permission, read, {match, \"${name}\", \"^${username}-\"}}]}");
    AuthenticatedUser ann = user("ann", login(service, "ann", "of-ann").state());
    AuthenticatedUser bob = user("bob", login(service, "bob", "of-bob").state());
    requests.asked.clear();
    assertThat(get(service.ask(vhost(ann, "/"))).isAllowed()).isTrue();
    assertThat(requests.asked)
        .containsExactly("bind " + ANN, "search cn=staff,ou=groups,dc=example");
    assertRefused(get(service.ask(vhost(bob, "/"))), "");
    assertThat(get(service.ask(queue(ann, "ann-q", Permission.READ))).isAllowed()).isTrue();
    assertThat(get(service.ask(queue(ann, "q", Permission.WRITE))).isAllowed()).isTrue();
    assertRefused(get(service.ask(queue(ann, "q", Permission.READ))), "");
    assertFailed(
        get(service.ask(queue(ann, "q", Permission.CONFIGURE))),
        "a 'for' of the query has no branch for permission = 'configure'");
    // All routing keys by default, for which nothing is asked.
    requests.asked.clear();
    assertThat(
            service
                .ask(new Question.Topic(ann, "/", "amq.topic", Permission.READ, "a.b"))
                .getNow(null)
                .isAllowed())
        .isTrue();
    assertThat(requests.asked).isEmpty();
    // Another node of a cluster has the name, and not the password.
    assertFailed(
        get(
            service.ask(
                vhost(user("ann", new LoginState(LoginState.NEVER, List.of(ANN), null)), "/"))),
        "this node has not got the password of the user");
  }

  private static Question queue(AuthenticatedUser user, String name, Permission permission) {
    return new Question.Resource(user, "/", ResourceKind.QUEUE, name, permission);
  }

  @Test
  void aPasswordThatHasChangedEndsTheRightsOfItsUser() throws Exception {
    LdapAuthService service = service(PATTERN, "auth_ldap.queries.vhost_access=" + IN_STAFF);
    AuthenticatedUser ann = user("ann", login(service, "ann", "of-ann").state());
    directory.modify(
        "dn: " + ANN, "changetype: modify", "replace: userPassword", "userPassword: new");
    Answer answer = get(service.ask(vhost(ann, "/")));
    assertThat(answer.kind()).isEqualTo(Answer.Kind.REFUSED);
    assertThat(answer.reason()).startsWith("the directory refuses the bind of '" + ANN + "'");
  }

  @Test
  void nestedGroupsAreSearchedBelowTheirBase() throws Exception {
    directory.add(
        "dn: cn=all,ou=groups,dc=example",
        "objectClass: groupOfNames",
        "cn: all",
        "member: CN=Staff,OU=Groups,DC=Example",
        "member: cn=all,ou=groups,dc=example");
    LdapAuthService service =
        service(
            PATTERN,
            "auth_ldap.other_bind=anon",
            "auth_ldap.group_lookup_base=ou=groups,dc=example",
            "auth_ldap.queries.vhost_access={in_group_nested, \"CN=${vhost},ou=groups,dc=example\"}");
    AuthenticatedUser ann = user("ann", login(service, "ann", "of-ann").state());
    AuthenticatedUser bob = user("bob", login(service, "bob", "of-bob").state());
    assertThat(get(service.ask(vhost(ann, "all"))).isAllowed()).isTrue();
    assertThat(get(service.ask(vhost(ann, "staff"))).isAllowed()).isTrue();
    assertRefused(get(service.ask(vhost(ann, "other"))), "");
    assertRefused(get(service.ask(vhost(bob, "all"))), "");
  }

  // Servers

  @Test
  void equalQuestionsOfTheSameMomentAreAskedOnce() throws Exception {
    LdapAuthService service = service(PATTERN);
    requests.gate = new CountDownLatch(1);
    List<CompletableFuture<Answer>> answers = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      answers.add(service.ask(new Question.Login("ann", "of-ann")));
    }
    requests.gate.countDown();
    for (CompletableFuture<Answer> each : answers) {
      assertThat(get(each).isAllowed()).isTrue();
    }
    assertThat(requests.asked).hasSize(1);
  }

  @Test
  void thereAreNoMoreConnectionsThanConfigured() throws Exception {
    LdapAuthService service =
        service(
            PATTERN,
            "auth_ldap.connection_pool_size=3",
            "auth_ldap.other_bind=anon",
            "auth_ldap.queries.tags=[{management, " + IN_STAFF + "}]");
    List<CompletableFuture<Answer>> answers = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      answers.add(service.ask(new Question.Login("ann", "wrong-" + i)));
      answers.add(service.ask(new Question.Login("ann", "of-ann")));
    }
    for (CompletableFuture<Answer> each : answers) {
      get(each);
      assertThat(service.connections()).isLessThanOrEqualTo(3);
    }
  }

  @Test
  void aConnectionThatTheServerHasClosedIsReplaced() throws Exception {
    LdapAuthService service = service(PATTERN);
    assertThat(login(service, "ann", "of-ann").isAllowed()).isTrue();
    int port = directory.getListenPort();
    directory.shutDown(true);
    directory = directory(port);
    assertThat(login(service, "ann", "of-ann").isAllowed()).isTrue();
    assertThat(service.connections()).isEqualTo(1);
  }

  @Test
  void aServerThatIsDownLeavesTheQuestionToTheNext() throws Exception {
    int gone;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      gone = socket.getLocalPort();
    }
    LdapAuthService service =
        service(LONG_MILLIS, List.of(gone, directory.getListenPort()), PATTERN);
    assertThat(login(service, "ann", "of-ann").isAllowed()).isTrue();
    LdapAuthService alone = service(LONG_MILLIS, List.of(gone), PATTERN);
    assertFailed(
        login(alone, "ann", "of-ann"),
        "127.0.0.1:%d: cannot connect: Connection refused".formatted(gone));
    assertThat(alone.connections()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"BUSY", "UNAVAILABLE"})
  void aServerThatIsBusyLeavesTheQuestionToTheNext(String result) throws Exception {
    requests.bindResult = result.equals("BUSY") ? ResultCode.BUSY : ResultCode.UNAVAILABLE;
    assertFailed(
        login(service(PATTERN), "ann", "of-ann"),
        "127.0.0.1:%d: it answers '%s: as the test wants it'"
            .formatted(directory.getListenPort(), requests.bindResult.getName()));
  }

  /** A server that does something with each connection, and nothing more. */
  private ServerSocket server(Behaviour behaviour) throws IOException {
    ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    opened.add(server);
    threads.execute(
        () -> {
          while (!server.isClosed()) {
            try {
              Socket socket = server.accept();
              opened.add(0, socket);
              threads.execute(
                  () -> {
                    try {
                      behaviour.with(socket);
                    } catch (IOException | InterruptedException e) {
                      // The client has given up, or the test is over.
                      Thread.onSpinWait();
                    }
                  });
            } catch (IOException e) {
              return;
            }
          }
        });
    return server;
  }

  private interface Behaviour {
    void with(Socket socket) throws IOException, InterruptedException;
  }

  @Test
  void aSilentServerHasAPartOfTheTimeAndIsAskedLastThen() throws Exception {
    List<Socket> connections = new CopyOnWriteArrayList<>();
    ServerSocket silent = server(connections::add);
    LdapAuthService service =
        service(4_000, List.of(silent.getLocalPort(), directory.getListenPort()), PATTERN);
    long began = System.nanoTime();
    assertThat(login(service, "ann", "of-ann").isAllowed()).isTrue();
    assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began))
        .isGreaterThanOrEqualTo(1_900);
    assertThat(connections).hasSize(1);
    for (int i = 0; i < 5; i++) {
      assertThat(login(service, "bob", "of-bob").isAllowed()).isTrue();
    }
    assertThat(connections).hasSize(1);
  }

  @Test
  void aSilentServerAloneIsAFailureInTime() throws Exception {
    ServerSocket silent = server(socket -> {});
    LdapAuthService service = service(500, List.of(silent.getLocalPort()), PATTERN);
    Answer answer = login(service, "ann", "of-ann");
    assertFailed(answer, "127.0.0.1:%d: no answer within ".formatted(silent.getLocalPort()));
    assertThat(service.connections()).isZero();
  }

  /** Each byte comes within the time of a read; all together take too long. */
  @Test
  void aServerThatSendsAByteNowAndThenIsAFailureInTime() throws Exception {
    ServerSocket slow =
        server(
            socket -> {
              // The beginning of a good answer to the bind, with a text of 115 bytes.
              socket
                  .getOutputStream()
                  .write(new byte[] {0x30, 0x7f, 2, 1, 1, 0x61, 0x7a, 0x0a, 1, 0, 4, 0, 4, 0x73});
              while (true) {
                socket.getOutputStream().write('a');
                socket.getOutputStream().flush();
                TimeUnit.MILLISECONDS.sleep(50);
              }
            });
    LdapAuthService service = service(1_000, List.of(slow.getLocalPort()), PATTERN);
    assertFailed(
        login(service, "ann", "of-ann"),
        "127.0.0.1:%d: no answer within ".formatted(slow.getLocalPort()));
  }

  @Test
  void whatIsNoLdapLetsNobodyIn() throws Exception {
    ServerSocket liar =
        server(
            socket -> {
              socket.getInputStream().read(new byte[1024]);
              socket
                  .getOutputStream()
                  .write("HTTP/1.1 200 OK\r\n\r\nallow".getBytes(StandardCharsets.US_ASCII));
              socket.close();
            });
    LdapAuthService service = service(5_000, List.of(liar.getLocalPort()), PATTERN);
    assertThat(login(service, "ann", "of-ann").kind()).isEqualTo(Answer.Kind.FAILED);
  }

  @Test
  void aMessageThatIsTooLongLetsNobodyIn() throws Exception {
    ServerSocket liar =
        server(
            socket -> {
              socket.getInputStream().read(new byte[1024]);
              socket.getOutputStream().write(new byte[] {0x30, (byte) 0x84, 0x7f, -1, -1, -1});
              socket.getOutputStream().write(new byte[1 << 16]);
            });
    LdapAuthService service = service(5_000, List.of(liar.getLocalPort()), PATTERN);
    assertThat(login(service, "ann", "of-ann").kind()).isEqualTo(Answer.Kind.FAILED);
  }

  @Test
  void closingEndsWhatIsUnderWay() throws Exception {
    ServerSocket silent = server(socket -> {});
    LdapAuthService service = service(LONG_MILLIS, List.of(silent.getLocalPort()), PATTERN);
    CompletableFuture<Answer> answer = service.ask(new Question.Login("ann", "of-ann"));
    service.close();
    assertFailed(get(answer), "the broker is stopping");
    assertFailed(login(service, "bob", "x"), "the broker is stopping");
  }

  @Test
  void aConnectionThatIsNotUsedIsClosed() throws Exception {
    LdapAuthService service = service(PATTERN, "auth_ldap.idle_timeout=50");
    login(service, "ann", "of-ann");
    await().until(() -> service.connections() == 0);
  }
}
