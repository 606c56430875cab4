package io.mayflymq.core.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.core.admin.AdministrationException.Reason;
import io.mayflymq.core.metadata.AwaitedLog;
import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataJournal;
import io.mayflymq.core.metadata.MetadataLog;
import io.mayflymq.core.metadata.VhostDefinition;
import io.mayflymq.core.policy.Dialect;
import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.routing.ExchangeType;
import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.Faults;
import io.mayflymq.core.runtime.ManualLoops;
import io.mayflymq.core.runtime.Shards;
import io.mayflymq.core.security.AccessControl;
import io.mayflymq.core.security.HashingAlgorithm;
import io.mayflymq.core.security.Limit;
import io.mayflymq.core.security.Limits;
import io.mayflymq.core.security.NamePattern;
import io.mayflymq.core.security.PasswordHash;
import io.mayflymq.core.security.Permission;
import io.mayflymq.core.security.Permissions;
import io.mayflymq.core.security.ResourceKind;
import io.mayflymq.core.security.SecurityState;
import io.mayflymq.core.security.Session;
import io.mayflymq.core.security.Sessions;
import io.mayflymq.core.security.Sessions.NodeLimits;
import io.mayflymq.core.security.TopicPermissions;
import io.mayflymq.core.security.User;
import io.mayflymq.core.security.VhostAccess;
import io.mayflymq.core.store.InMemoryStore;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.ObjectLimits;
import io.mayflymq.core.vhost.QueueDeclaration;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.core.vhost.partition.Partitions;
import io.mayflymq.protocol.types.AmqpException;
import io.mayflymq.protocol.types.FieldTable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AdministrationTest {
  @TempDir Path directory;

  private final ManualLoops loops = ManualLoops.of(2);
  private MetadataLog log;
  private Broker broker;
  private AccessControl accessControl;
  private Sessions sessions;

  /** Limits by the names of virtual hosts, which no other test has. */
  private static final VhostDefaults DEFAULTS =
      new VhostDefaults(
          List.of(),
          List.of(
              new DefaultLimits(
                  NamePattern.of("^bounded-a"), Limits.of(Map.of(Limit.MAX_QUEUES, 1))),
              new DefaultLimits(
                  NamePattern.of("^bounded-"), Limits.of(Map.of(Limit.MAX_CONNECTIONS, 2)))),
          List.of(
              new DefaultUser(
                  NamePattern.of("^peopled-"),
                  new User("resident", PasswordHash.NONE, List.of("management")),
                  Permissions.of("^c", "^w", "^r")),
              new DefaultUser(
                  NamePattern.of("^peopled-b"),
                  new User("neighbour", PasswordHash.NONE, List.of()),
                  Permissions.ALL)));

  private Administration administration;
  private boolean isNew;

  @BeforeEach
  void start() {
    log =
        new AwaitedLog(
            MetadataJournal.open(
                directory,
                MetadataJournal.Expected.NOTHING,
                new BrokerThreads(Faults.logged()),
                why -> {}));
    broker =
        new Broker(
            new Partitions(
                new Shards(loops.all(), loops.clock(), Faults.logged()),
                (partition, shard) -> new InMemoryStore()),
            log,
            loops.clock(),
            "/");
    accessControl = new AccessControl(SecurityState.EMPTY, Set.of(), loops.clock());
    sessions = new Sessions(accessControl);
    administration = new Administration(broker, log, accessControl, sessions, DEFAULTS);
    List<MetadataCommand> kept = log.recover();
    isNew = administration.recover(kept);
    loops.all().forEach(loop -> loop.runAtOnce(true));
    broker.recover(kept);
    loops.all().forEach(loop -> loop.runAtOnce(false));
  }

  @AfterEach
  void stop() {
    log.close();
  }

  private void restart() {
    stop();
    start();
  }

  private <T> T safe(CompletableFuture<T> change) {
    loops.settle();
    return change.join();
  }

  private void addVhost(String name) {
    safe(administration.vhosts().put(VhostDefinition.of(name)));
  }

  private void addUser(String name) {
    safe(administration.users().add(name, PasswordHash.of("secret"), List.of()));
  }

  private void grant(String user, String vhost) {
    safe(administration.permissions().set(user, vhost, ".*", ".*", ".*"));
  }

  private void declare(VirtualHost vhost, String queue) {
    safe(
        vhost.declareQueue(
            new QueueDeclaration(
                queue, true, false, false, FieldTable.EMPTY, this, null, false, false)));
  }

  private static void assertRefused(Reason reason, String message, ThrowingCallable change) {
    assertThatThrownBy(change)
        .isInstanceOfSatisfying(
            AdministrationException.class, e -> assertThat(e.reason()).isEqualTo(reason))
        .hasMessage(message);
  }

  @Test
  void everyAdministrativeChangeSurvivesARestart() {
    assertThat(isNew).isTrue();
    VhostDefinition orders =
        new VhostDefinition(
            "orders",
            "Örders",
            List.of("eu", "hot"),
            "classic",
            Optional.of(Dialect.V3_13),
            Limits.of(Map.of(Limit.MAX_QUEUES, 5, Limit.MAX_CONNECTIONS, -1)),
            true);
    assertThat(safe(administration.vhosts().put(orders))).isTrue();
    PasswordHash sha512 = PasswordHash.of(HashingAlgorithm.SHA512, "p");
    safe(administration.users().add("ann", sha512, List.of("b", "a")));
    safe(administration.users().setLimit("ann", Limit.MAX_CHANNELS, 7));
    safe(administration.users().add("bob", PasswordHash.NONE, List.of()));
    assertThat(safe(administration.permissions().set("ann", "orders", "^a", "", ".*"))).isTrue();
    assertThat(safe(administration.permissions().set("ann", "orders", "^a", "", ".*"))).isFalse();
    safe(administration.permissions().setTopic("ann", "orders", "x", "^{username}", "r"));
    safe(administration.globalParameters().set("zone", "{\"a\":1}"));

    restart();

    assertThat(isNew).isFalse();
    assertThat(administration.vhosts().list()).containsExactly(orders);
    assertThat(administration.users().list())
        .containsExactly(
            new User("ann", sha512, List.of("b", "a"), Limits.of(Map.of(Limit.MAX_CHANNELS, 7))),
            new User("bob", PasswordHash.NONE, List.of()));
    assertThat(administration.permissions().get("ann", "orders"))
        .isEqualTo(Permissions.of("^a", "", ".*"));
    assertThat(administration.permissions().listTopics())
        .containsExactly(
            new SecurityState.TopicPermissionEntry(
                "ann", "orders", "x", new TopicPermissions("^{username}", "r")));
    assertThat(administration.globalParameters().list()).isEqualTo(Map.of("zone", "{\"a\":1}"));
  }

  @Test
  void administrativeDeletionsSurviveARestart() {
    addVhost("v");
    addVhost("w");
    addUser("ann");
    addUser("bob");
    grant("ann", "v");
    grant("ann", "w");
    grant("bob", "w");
    safe(administration.permissions().setTopic("ann", "w", "x", "a", "b"));
    safe(administration.permissions().setTopic("bob", "v", "x", "a", "b"));
    safe(administration.permissions().setTopic("bob", "w", "y", "a", "b"));
    safe(administration.globalParameters().set("g", "1"));

    safe(administration.vhosts().delete("v"));
    safe(administration.users().delete("ann"));
    safe(administration.permissions().clearTopics("bob", "w"));
    safe(administration.globalParameters().clear("g"));
    restart();

    assertThat(administration.vhosts().list()).containsExactly(VhostDefinition.of("w"));
    assertThat(administration.users().list()).extracting(User::name).containsExactly("bob");
    assertThat(administration.permissions().list())
        .containsExactly(new SecurityState.PermissionEntry("bob", "w", Permissions.ALL));
    assertThat(administration.permissions().listTopics()).isEmpty();
    assertThat(administration.globalParameters().list()).isEmpty();
  }

  @Test
  void aProtectedVhostIsNotDeleted() {
    VhostAdministration vhosts = administration.vhosts();
    safe(vhosts.put(VhostDefinition.of("kept")));
    safe(vhosts.protect("kept", true));
    safe(vhosts.protect("kept", true));
    String refusal = "Refusing to delete virtual host 'kept' because it is protected from deletion";
    assertRefused(Reason.PROTECTED, refusal, () -> vhosts.delete("kept"));
    safe(vhosts.put(VhostDefinition.of("kept"))); // a change of the others does not lift it
    assertRefused(Reason.PROTECTED, refusal, () -> vhosts.delete("kept"));
    safe(vhosts.protect("kept", false));
    safe(vhosts.delete("kept"));
    assertRefused(
        Reason.NO_SUCH_VHOST,
        "Virtual host 'kept' does not exist",
        () -> vhosts.protect("kept", true));
  }

  @Test
  void aUserHasAtMost32Tags() {
    List<String> most = Collections.nCopies(32, "t");
    safe(administration.users().add("tagged", PasswordHash.NONE, most));
    List<String> more = Collections.nCopies(33, "t");
    String refusal = "A user can have at most 32 tags (received 33)";
    assertRefused(
        Reason.INVALID_TAG,
        refusal,
        () -> administration.users().put("tagged", PasswordHash.NONE, more));
    assertRefused(
        Reason.INVALID_TAG, refusal, () -> administration.users().setTags("tagged", more));
  }

  @Test
  void deletingAVhostDeletesAllItContains() {
    addVhost("v");
    addVhost("v2");
    for (String name : List.of("v", "v2")) {
      VirtualHost vhost = broker.virtualHost(name);
      safe(vhost.declareExchange(ExchangeDefinition.durable("x", ExchangeType.TOPIC), this));
      declare(vhost, "q");
      declare(vhost, "q2");
      safe(vhost.bind(Binding.toQueue("x", "q", "k"), this));
    }
    VirtualHost gone = broker.virtualHost("v");

    safe(administration.vhosts().delete("v"));

    assertThat(broker.virtualHost("v")).isNull();
    assertThat(gone.routing().queueCount()).isZero();
    assertThatThrownBy(() -> declare(gone, "late"))
        .isInstanceOf(AmqpException.class)
        .hasMessage("CONNECTION_FORCED - vhost 'v' is deleted");
    addVhost("v");
    restart();
    assertThat(broker.virtualHost("v").routing().queueCount()).isZero();
    assertThat(broker.virtualHost("v").routing().exchange("x")).isNull();
    assertThat(broker.virtualHost("v2").routing().queueCount()).isEqualTo(2);
    assertThat(broker.virtualHost("v2").routing().bindingsFrom("x")).hasSize(1);
  }

  @Test
  void vhostDeclaredAgainIsANewOne() {
    addVhost("v");
    declare(broker.virtualHost("v"), "q");
    CompletableFuture<Void> deleted = administration.vhosts().delete("v");
    CompletableFuture<Boolean> added = administration.vhosts().put(VhostDefinition.of("v"));
    CompletableFuture<?> declared =
        broker
            .virtualHost("v")
            .declareQueue(
                new QueueDeclaration(
                    "q", true, false, false, FieldTable.EMPTY, this, null, false, false));
    safe(deleted);
    assertThat(safe(added)).isTrue();
    safe(declared);

    restart();

    assertThat(broker.virtualHost("v").routing().queue("q")).isNotNull();
  }

  @Test
  void changingAVhostKeepsItsLimits() {
    addVhost("v");
    safe(administration.vhosts().setLimit("v", Limit.MAX_QUEUES, 1));
    VhostDefinition changed =
        new VhostDefinition(
            "v", "described", List.of("t"), "quorum", Optional.empty(), Limits.NONE, false);

    assertThat(safe(administration.vhosts().put(changed))).isFalse();

    assertThat(administration.vhosts().get("v"))
        .isEqualTo(changed.withLimits(Limits.of(Map.of(Limit.MAX_QUEUES, 1))));
    declare(broker.virtualHost("v"), "q1");
    declare(broker.virtualHost("v"), "q1");
    assertThatThrownBy(() -> declare(broker.virtualHost("v"), "q2"))
        .isInstanceOf(AmqpException.class)
        .hasMessage(
            "PRECONDITION_FAILED - cannot declare queue 'q2': queue limit in vhost 'v' (1) is"
                + " reached");
    safe(administration.vhosts().clearLimit("v", Limit.MAX_QUEUES));
    declare(broker.virtualHost("v"), "q2");
  }

  @Test
  void changingAUserKeepsItsLimitsAndPermissions() {
    addVhost("v");
    addUser("ann");
    grant("ann", "v");
    safe(administration.users().setLimit("ann", Limit.MAX_CHANNELS, 3));

    assertThat(safe(administration.users().put("ann", PasswordHash.NONE, List.of("a", "a"))))
        .isFalse();

    User ann = administration.users().get("ann");
    assertThat(ann.passwordHash()).isEqualTo(PasswordHash.NONE);
    assertThat(ann.tags()).containsExactly("a");
    assertThat(ann.limits().get(Limit.MAX_CHANNELS)).isEqualTo(3);
    assertThat(administration.permissions().get("ann", "v")).isEqualTo(Permissions.ALL);
  }

  @Test
  void limitsDeclaredWithAUserAreAddedToItsOtherLimits() {
    Limits channels = Limits.of(Map.of(Limit.MAX_CHANNELS, 3));
    Limits connections = Limits.of(Map.of(Limit.MAX_CONNECTIONS, 4));
    User ann = new User("ann", PasswordHash.NONE, List.of());

    assertThat(safe(administration.users().put(ann.withLimits(channels)))).isTrue();
    assertThat(safe(administration.users().put(ann.withLimits(connections)))).isFalse();

    assertThat(administration.users().get("ann").limits())
        .isEqualTo(channels.with(Limit.MAX_CONNECTIONS, 4));
    assertThatThrownBy(
            () -> administration.users().put(ann.withLimits(channels.with(Limit.MAX_QUEUES, 1))))
        .isInstanceOf(AdministrationException.class)
        .hasMessageContaining("max-queues");
    assertThat(administration.users().get("ann").limits().get(Limit.MAX_QUEUES)).isNull();
  }

  @Test
  void passwordOfAUserIsChecked() {
    addUser("ann");
    UserAdministration users = administration.users();
    assertThat(users.authenticate("ann", "secret")).isTrue();
    assertThat(users.authenticate("ann", "wrong")).isFalse();
    assertThat(users.authenticate("bob", "secret")).isFalse();
    safe(users.setPassword("ann", users.hash("other")));
    assertThat(users.authenticate("ann", "secret")).isFalse();
    assertThat(users.authenticate("ann", "other")).isTrue();
    safe(users.setPassword("ann", PasswordHash.NONE));
    assertThat(users.authenticate("ann", "")).isFalse();
    assertRefused(Reason.INVALID_PASSWORD, "the password must not be empty", () -> users.hash(""));
  }

  @Test
  void changedPermissionsApplyToOpenSessions() {
    addVhost("v");
    addUser("ann");
    grant("ann", "v");
    VhostAccess access = accessControl.checkVhostAccess("ann", "v", Map.of());
    assertThat(access.allows(ResourceKind.QUEUE, "q", Permission.READ)).isTrue();

    safe(administration.permissions().setGlobally("ann", ".*", ".*", "^r"));
    assertThat(access.allows(ResourceKind.QUEUE, "q", Permission.READ)).isFalse();

    safe(administration.permissions().clear("ann", "v"));
    assertThat(access.allows(ResourceKind.QUEUE, "r", Permission.READ)).isFalse();
  }

  private static final class Client implements Session {
    private final String user;
    private final String vhost;
    private final List<String> closed = new ArrayList<>();

    Client(String user, String vhost) {
      this.user = user;
      this.vhost = vhost;
    }

    @Override
    public String user() {
      return user;
    }

    @Override
    public String vhost() {
      return vhost;
    }

    @Override
    public void forceClose(String reason) {
      closed.add(reason);
    }
  }

  @Test
  void deletingAUserOrAVhostClosesItsConnections() {
    addVhost("v");
    addVhost("w");
    addUser("ann");
    addUser("bob");
    Client annAtV = new Client("ann", "v");
    Client annAtW = new Client("ann", "w");
    Client bobAtV = new Client("bob", "v");
    List.of(annAtV, annAtW, bobAtV).forEach(client -> sessions.enter(client, Limits.NONE));

    safe(administration.vhosts().delete("v"));
    assertThat(annAtV.closed).containsExactly("vhost 'v' is deleted");
    assertThat(bobAtV.closed).containsExactly("vhost 'v' is deleted");
    assertThat(annAtW.closed).isEmpty();
    sessions.leave(annAtV);

    safe(administration.users().delete("ann"));
    assertThat(annAtW.closed).containsExactly("user 'ann' is deleted");
    assertThat(annAtV.closed).hasSize(1);
  }

  @Test
  void connectionAndChannelLimitsAreEnforced() {
    addUser("ann");
    Limits one = Limits.of(Map.of(Limit.MAX_CONNECTIONS, 1));
    Client first = new Client("ann", "v");
    sessions.enter(first, one);
    assertThatThrownBy(() -> sessions.enter(new Client("bob", "v"), one))
        .hasMessage(
            "NOT_ALLOWED - access to vhost 'v' refused for user 'bob': connection limit (1) is"
                + " reached");
    safe(administration.users().setLimits("ann", one.with(Limit.MAX_CHANNELS, 2)));
    assertThatThrownBy(() -> sessions.enter(new Client("ann", "w"), Limits.NONE))
        .hasMessage(
            "NOT_ALLOWED - connection refused for user 'ann': user connection limit (1) is"
                + " reached");
    assertThat(sessions.connectionsTo("w")).isZero();
    sessions.openChannel("ann");
    sessions.openChannel("ann");
    assertThatThrownBy(() -> sessions.openChannel("ann"))
        .hasMessage(
            "NOT_ALLOWED - number of channels opened for user 'ann' has reached the maximum"
                + " allowed user limit of 2");
    sessions.closeChannels("ann", 2);
    sessions.openChannel("ann");
    sessions.leave(first);
    sessions.leave(first);
    assertThat(sessions.connectionsOf("ann")).isZero();
    sessions.enter(new Client("ann", "v"), one);
    safe(administration.users().setLimit("ann", Limit.MAX_CONNECTIONS, -1));
    sessions.enter(new Client("ann", "w"), Limits.NONE);
  }

  @Test
  void limitsOfTheNodeAreEnforced() {
    sessions.setNodeLimits("mayfly@here", new NodeLimits(2, 3));
    Client first = new Client("ann", "v");
    sessions.enter(first, Limits.NONE);
    sessions.enter(new Client("bob", "w"), Limits.NONE);
    assertThatThrownBy(() -> sessions.enter(new Client("cid", "x"), Limits.NONE))
        .hasMessage("NOT_ALLOWED - connection refused: node connection limit (2) is reached");
    sessions.leave(first);
    sessions.leave(first);
    sessions.enter(new Client("cid", "x"), Limits.NONE);
    assertThatThrownBy(() -> sessions.enter(first, Limits.NONE))
        .hasMessageContaining("node connection limit");

    sessions.openChannel("bob");
    sessions.openChannel("bob");
    sessions.openChannel("cid");
    assertThatThrownBy(() -> sessions.openChannel("cid"))
        .hasMessage(
            "NOT_ALLOWED - number of channels opened on node 'mayfly@here' has reached the maximum"
                + " allowed limit of 3");
    sessions.closeChannels("bob", 2);
    sessions.openChannel("cid");
    sessions.setNodeLimits("mayfly@here", NodeLimits.NONE);
    sessions.openChannel("cid");
    sessions.openChannel("cid");
    sessions.enter(first, Limits.NONE);
  }

  @Test
  void newVhostsGetTheFirstDefaultLimitsThatAreForThem() {
    addVhost("bounded-a");
    addVhost("bounded-b");
    addVhost("unbounded");
    Limits own = Limits.of(Map.of(Limit.MAX_QUEUES, 7));
    safe(administration.vhosts().put(VhostDefinition.of("bounded-c").withLimits(own)));
    assertThat(administration.vhosts().get("bounded-a").limits())
        .isEqualTo(Limits.of(Map.of(Limit.MAX_QUEUES, 1)));
    assertThat(administration.vhosts().get("bounded-b").limits())
        .isEqualTo(Limits.of(Map.of(Limit.MAX_CONNECTIONS, 2)));
    assertThat(administration.vhosts().get("unbounded").limits()).isEqualTo(Limits.NONE);
    assertThat(administration.vhosts().get("bounded-c").limits()).isEqualTo(own);
    restart();
    assertThat(administration.vhosts().get("bounded-a").limits())
        .isEqualTo(Limits.of(Map.of(Limit.MAX_QUEUES, 1)));
  }

  @Test
  void newVhostsGetTheDefaultUsersThatAreForThem() {
    addVhost("peopled-a");
    PermissionAdministration permissions = administration.permissions();
    assertThat(administration.users().list()).extracting(User::name).containsExactly("resident");
    assertThat(administration.users().get("resident").tags()).containsExactly("management");
    assertThat(permissions.get("resident", "peopled-a"))
        .isEqualTo(Permissions.of("^c", "^w", "^r"));
    safe(administration.users().put("resident", PasswordHash.of("own"), List.of("monitoring")));
    User changed = administration.users().get("resident");
    safe(permissions.clear("resident", "peopled-a"));
    addVhost("peopled-a");
    addVhost("peopled-b");
    restart();
    assertThat(administration.users().list())
        .extracting(User::name)
        .containsExactly("neighbour", "resident");
    assertThat(administration.users().get("resident")).isEqualTo(changed);
    assertThat(administration.permissions().get("resident", "peopled-a")).isNull();
    assertThat(administration.permissions().get("resident", "peopled-b")).isNotNull();
    assertThat(administration.permissions().get("neighbour", "peopled-b"))
        .isEqualTo(Permissions.ALL);
  }

  @Test
  void invalidRequestsAreRefusedWithTheirReason() {
    addVhost("v");
    addUser("ann");
    VhostAdministration vhosts = administration.vhosts();
    UserAdministration users = administration.users();
    PermissionAdministration permissions = administration.permissions();
    String longName = "é".repeat(128);

    assertRefused(
        Reason.NO_SUCH_VHOST, "Virtual host 'w' does not exist", () -> vhosts.delete("w"));
    assertRefused(
        Reason.INVALID_NAME,
        "the name of a virtual host must not be empty",
        () -> vhosts.put(VhostDefinition.of("")));
    assertRefused(
        Reason.INVALID_NAME,
        "the name of a virtual host must not be longer than 255 bytes: '" + longName + "'",
        () -> vhosts.put(VhostDefinition.of(longName)));
    assertRefused(
        Reason.INVALID_QUEUE_TYPE,
        "Unsupported default queue type 'fast': expected classic, quorum or stream",
        () ->
            vhosts.put(
                new VhostDefinition(
                    "w", "", List.of(), "fast", Optional.empty(), Limits.NONE, false)));
    assertRefused(
        Reason.INVALID_LIMIT,
        "Unrecognised terms [{<<\"max-channels\">>,1}] in limits",
        () -> vhosts.setLimit("v", Limit.MAX_CHANNELS, 1));
    assertRefused(
        Reason.USER_EXISTS,
        "User \"ann\" already exists",
        () -> users.add("ann", PasswordHash.NONE, List.of()));
    assertRefused(
        Reason.NO_SUCH_USER, "User \"x\" does not exist", () -> users.setTags("x", List.of()));
    assertRefused(
        Reason.INVALID_TAG,
        "invalid tag 'a,b': expected 1 to 255 bytes without a comma",
        () -> users.setTags("ann", List.of("ok", "a,b")));
    assertRefused(
        Reason.INVALID_LIMIT,
        "Unrecognised terms [{<<\"max-queues\">>,2}] in user-limits",
        () -> users.setLimit("ann", Limit.MAX_QUEUES, 2));
    assertRefused(
        Reason.INVALID_PATTERN,
        "invalid regular expression '(': Unclosed group",
        () -> permissions.set("ann", "v", "", "(", ""));
    assertRefused(
        Reason.NO_SUCH_VHOST,
        "Virtual host 'w' does not exist",
        () -> permissions.set("ann", "w", "", "", ""));
    assertRefused(
        Reason.NO_SUCH_USER, "User \"x\" does not exist", () -> permissions.clear("x", "v"));
    assertRefused(
        Reason.NO_SUCH_PARAMETER,
        "Parameter does not exist",
        () -> administration.globalParameters().clear("g"));

    restart();
    assertThat(vhosts.list()).hasSize(1);
    assertThat(administration.users().get("ann").tags()).isEmpty();
    assertThat(administration.permissions().list()).isEmpty();
  }

  @Test
  void definitionsMayTakeAQuarterOfTheMemoryOfMetadata() {
    broker.setLimits(new ObjectLimits(100, 100, 1000, 400_000, 400_000));
    addVhost("v");
    addUser("u");
    String json = '"' + "x".repeat(40_000) + '"';
    safe(administration.globalParameters().set("a", json));
    safe(administration.parameters().set(new Parameter("v", "shovel", "b", json)));
    String refusal =
        "metadata limit of users, permissions, virtual hosts and parameters (100000 bytes) is"
            + " reached";
    assertRefused(Reason.NO_ROOM, refusal, () -> administration.globalParameters().set("c", json));
    assertRefused(
        Reason.NO_ROOM,
        refusal,
        () -> administration.parameters().set(new Parameter("v", "shovel", "c", json)));
    assertRefused(
        Reason.NO_ROOM,
        refusal,
        () -> administration.permissions().set("u", "v", "x".repeat(2_000), ".*", ".*"));
    safe(administration.globalParameters().set("a", json));
    safe(administration.parameters().clear("v", "shovel", "b"));
    safe(administration.globalParameters().set("c", json));
    safe(administration.globalParameters().clear("a"));
    safe(administration.permissions().set("u", "v", "x".repeat(2_000), ".*", ".*"));
    safe(administration.vhosts().delete("v"));
    safe(administration.globalParameters().set("a", json));
  }
}
