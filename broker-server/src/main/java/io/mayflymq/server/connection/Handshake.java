package io.mayflymq.server.connection;

import static io.mayflymq.core.deprecation.DeprecatedFeature.FRAME_MAX_BELOW_8192;

import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.security.AuthenticationResult.Refused;
import io.mayflymq.core.security.LoginAttempts;
import io.mayflymq.core.security.SaslMechanism;
import io.mayflymq.core.security.SaslResponse;
import io.mayflymq.core.security.Session;
import io.mayflymq.core.security.VhostAccess;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.protocol.codec.FrameLimits;
import io.mayflymq.protocol.method.ConnectionMethod;
import io.mayflymq.protocol.method.Method;
import io.mayflymq.protocol.types.ConnectionException;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.ReplyCode;
import io.mayflymq.server.auth.AuthChain;
import io.mayflymq.server.auth.AuthenticatedUser;
import io.mayflymq.server.auth.LoginAttempt;
import io.mayflymq.server.auth.LoginResult;
import io.mayflymq.server.channel.ClientQuirks;
import io.mayflymq.server.config.AuthBackendKeys;
import io.mayflymq.server.config.ProtocolSettings;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The handshake from {@code connection.start} to {@code connection.open-ok} (AMQP 0-9-1 section
 * 2.2.4): authentication, tuning and the choice of the virtual host. Discarded when it is complete.
 */
final class Handshake {
  /**
   * The delay of connection.start: about as long as a busy RabbitMQ takes to send it. The Netty
   * layer of the Java client before 5.34 sends its header before it is ready for the answer, and
   * closes the connection if the answer arrives too early.
   */
  private static final long START_PAUSE_MILLIS = 5;

  /** A part of this broker, which needs no user. */
  private static final AuthenticatedUser INNER_USER =
      new AuthenticatedUser(
          SaslMechanism.Inner.USER, List.of(), List.of(), AuthBackendKeys.INTERNAL);

  private static final FieldValue GOES_BY_THE_SPECIFICATION = FieldValue.of("py-amqp");

  /** The result of a handshake. */
  record Opened(
      VirtualHost vhost,
      AuthenticatedUser user,
      VhostAccess access,
      Session session,
      FieldTable clientProperties,
      String mechanism,
      ConnectionView.Tuning tuning) {
    /** Returns whether the client announces this extension of the protocol. */
    boolean hasCapability(String capability) {
      return Handshake.hasCapability(clientProperties, capability);
    }

    /** Returns the client's interpretation of the protocol. */
    ClientQuirks client() {
      return new ClientQuirks(
          hasCapability("consumer_cancel_notify"),
          GOES_BY_THE_SPECIFICATION.equals(clientProperties.get("product")));
    }
  }

  /** What the handshake needs from its connection. */
  interface Steps {
    /** Sends a method; does nothing if the connection has ended. */
    void send(Method method);

    void tuned(ConnectionView.Tuning tuning);

    /** The connection is open; does nothing but release the session if it has ended. */
    void opened(Opened opened);

    /** Handles no further method until a future is done; then continues with its value. */
    <T> void await(CompletableFuture<T> future, Consumer<T> then);

    void forceClose(String reason);

    /**
     * Ends the connection because the credentials were wrong.
     *
     * @param error the error for the client; null if it lacks the capability for it
     * @param pauseMillis how long to delay the answer
     */
    void refused(ConnectionException error, long pauseMillis);
  }

  private enum Expects {
    START_OK,
    TUNE_OK,
    OPEN,
    NOTHING
  }

  private final ConnectionEnvironment environment;
  private final ProtocolSettings settings;
  private final ConnectionLog log;
  private final SocketPeer peer;
  private final Shard home;
  private final Steps steps;
  private boolean started;
  private Expects expects = Expects.START_OK;

  /** Null before the login. */
  private AuthenticatedUser user;

  private String mechanismName = "";

  /** Whether it is a part of this broker, with all permissions. */
  private boolean isUnrestricted;

  private ConnectionView.Tuning tuning;
  private FieldTable clientProperties = FieldTable.EMPTY;

  Handshake(
      ConnectionEnvironment environment,
      ConnectionLog log,
      SocketPeer peer,
      Shard home,
      Steps steps) {
    this.environment = environment;
    this.settings = environment.settings();
    this.log = log;
    this.peer = peer;
    this.home = home;
    this.steps = steps;
  }

  /** Schedules {@code connection.start}; called when the protocol header was received. */
  void begin() {
    home.loop().schedule(() -> home.run(this::start), START_PAUSE_MILLIS);
  }

  private void start() {
    if (started) {
      return;
    }
    started = true;
    String mechanisms = offered().map(SaslMechanism::name).collect(Collectors.joining(" "));
    FieldTable properties =
        ServerProperties.of(
            environment.broker().dialect(), ClusterName.of(environment.parameters()));
    steps.send(new ConnectionMethod.Start(0, 9, properties, mechanisms, "en_US"));
  }

  /**
   * Returns the offered mechanisms: EXTERNAL only on connections that can have a client
   * certificate.
   */
  private Stream<SaslMechanism> offered() {
    return environment.mechanisms().stream()
        .filter(mechanism -> peer.isEncrypted() || !(mechanism instanceof SaslMechanism.External));
  }

  void onMethod(Method method) {
    start();
    if (method instanceof ConnectionMethod.StartOk startOk && expects == Expects.START_OK) {
      authenticate(startOk);
    } else if (method instanceof ConnectionMethod.TuneOk tuneOk && expects == Expects.TUNE_OK) {
      tune(tuneOk);
    } else if (method instanceof ConnectionMethod.Open open && expects == Expects.OPEN) {
      open(open);
    } else if (expects == Expects.OPEN) {
      throw new ConnectionException(
          ReplyCode.CHANNEL_ERROR, "unexpected method in connection state opening");
    } else {
      throw new ConnectionException(
          ReplyCode.COMMAND_INVALID,
          "unexpected method during the handshake: %d.%d"
              .formatted(method.classId(), method.methodId()));
    }
  }

  private void authenticate(ConnectionMethod.StartOk startOk) {
    clientProperties = startOk.clientProperties();
    SaslMechanism mechanism =
        offered()
            .filter(offered -> offered.name().equals(startOk.mechanism()))
            .findFirst()
            .orElseThrow(
                () ->
                    new ConnectionException(
                        ReplyCode.COMMAND_INVALID,
                        "unknown authentication mechanism '%s'".formatted(startOk.mechanism())));
    SaslResponse response = mechanism.parse(startOk.response());
    if (response instanceof SaslResponse.Malformed malformed) {
      throw new ConnectionException(ReplyCode.SYNTAX_ERROR, malformed.detail());
    }
    expects = Expects.NOTHING;
    steps.await(authenticate(mechanism, response), result -> authenticated(mechanism, result));
  }

  /** Returns the result of the login; it never fails. */
  private CompletableFuture<LoginResult> authenticate(
      SaslMechanism mechanism, SaslResponse response) {
    AuthChain logins = environment.logins();
    if (response instanceof SaslResponse.Login login) {
      return logins.login(LoginAttempt.of(login.credentials()), peer.address());
    } else if (response instanceof SaslResponse.Proved proved) {
      isUnrestricted = proved.user().isEmpty();
      return isUnrestricted
          ? CompletableFuture.completedFuture(new LoginResult.Accepted(INNER_USER))
          : logins.loginInternal(proved.user(), peer.address());
    }
    String name = peer.name((SaslMechanism.External) mechanism);
    return name == null
        ? CompletableFuture.completedFuture(
            new LoginResult.Refused(new Refused("", peer.namelessness())))
        : logins.login(LoginAttempt.proved(name), peer.address());
  }

  private void authenticated(SaslMechanism mechanism, LoginResult result) {
    environment
        .accessControl()
        .attempts()
        .count(LoginAttempts.Protocol.AMQP091, result instanceof LoginResult.Accepted);
    if (result instanceof LoginResult.Refused refused) {
      refused(mechanism, refused.refusal());
      return;
    }
    user = ((LoginResult.Accepted) result).user();
    log.loggedIn(user.name());
    mechanismName = mechanism.name();
    logLogin(mechanism, user.name(), null);
    expects = Expects.TUNE_OK;
    steps.send(
        new ConnectionMethod.Tune(
            settings.channelMax(), settings.frameMax(), settings.heartbeatSeconds()));
  }

  private void refused(SaslMechanism mechanism, Refused refused) {
    log.loginRefused(refused.logText(mechanism.name()));
    logLogin(mechanism, refused.username(), refused.reason());
    steps.refused(
        hasCapability(clientProperties, "authentication_failure_close")
            ? new ConnectionException(
                ReplyCode.ACCESS_REFUSED, Refused.clientText(mechanism.name()))
            : null,
        refused.pauseMillis());
  }

  private void logLogin(SaslMechanism mechanism, String who, String refusal) {
    environment
        .broker()
        .events()
        .happened(
            new ConnectionEvent.Authentication(
                log.sockets(), peer, mechanism.name(), who, refusal));
  }

  private static boolean hasCapability(FieldTable clientProperties, String capability) {
    return clientProperties.get("capabilities") instanceof FieldValue.Table table
        && FieldValue.Bool.TRUE.equals(table.table().get(capability));
  }

  private void tune(ConnectionMethod.TuneOk tuneOk) {
    long frameMax = tuneOk.frameMax();
    requireNegotiable("frame_max", frameMax, FrameLimits.MIN_FRAME_MAX, settings.frameMax());
    if (frameMax != 0
        && frameMax < FrameLimits.LEAST_OF_RABBITMQ_4
        && !environment.broker().deprecatedFeatures().use(FRAME_MAX_BELOW_8192)) {
      throw tooLow("frame_max", frameMax, FrameLimits.LEAST_OF_RABBITMQ_4);
    }
    requireNegotiable("channel_max", tuneOk.channelMax(), 1, settings.channelMax());
    expects = Expects.OPEN;
    tuning =
        new ConnectionView.Tuning(
            tuneOk.channelMax(), (int) Math.min(Integer.MAX_VALUE, frameMax), tuneOk.heartbeat());
    steps.tuned(tuning);
  }

  /**
   * Checks a tuned value: a client may ask for less than was offered, and for no limit only if none
   * was offered.
   */
  private static void requireNegotiable(String what, long asked, long least, long offered) {
    if (asked != 0 && asked < least) {
      throw tooLow(what, asked, least);
    }
    if (offered != 0 && (asked == 0 || asked > offered)) {
      throw new ConnectionException(
          ReplyCode.NOT_ALLOWED,
          "negotiated %s = %s is higher than the maximum allowed value (%d)"
              .formatted(what, asked == 0 ? "0 (no limit)" : Long.toString(asked), offered));
    }
  }

  private static ConnectionException tooLow(String what, long asked, long least) {
    return new ConnectionException(
        ReplyCode.NOT_ALLOWED,
        "negotiated %s = %d is lower than the minimum allowed value (%d)"
            .formatted(what, asked, least));
  }

  private void open(ConnectionMethod.Open open) {
    String path = open.virtualHost();
    if (!isUnrestricted) {
      environment.sessions().requireOpen();
    }
    VirtualHost vhost = environment.broker().virtualHost(path);
    if (vhost == null) {
      throw noVhost(path);
    }
    String shortage = environment.memory().shortageFor(path);
    if (shortage != null) {
      throw VhostAccess.noEntrance(user.name(), path, ": " + shortage);
    }
    Session session = new OpenSession(user.name(), path, steps::forceClose);
    environment.sessions().enter(session, vhost.definition().limits());
    expects = Expects.NOTHING;
    steps.await(enter(path), refusal -> entered(path, vhost, session, refusal));
  }

  /** Returns what refuses the entrance; null if nothing does. */
  private CompletableFuture<ConnectionException> enter(String path) {
    return isUnrestricted
        ? CompletableFuture.completedFuture(null)
        : environment.logins().enter(user, path, peer.address());
  }

  private void entered(
      String path, VirtualHost vhost, Session session, ConnectionException refusal) {
    try {
      if (refusal != null) {
        throw refusal;
      }
      VhostAccess access =
          isUnrestricted
              ? environment.accessControl().unrestrictedAccess(user.name(), path)
              : environment.logins().access(user, path);
      if (environment.broker().virtualHost(path) != vhost) {
        throw noVhost(path);
      }
      steps.opened(
          new Opened(vhost, user, access, session, clientProperties, mechanismName, tuning));
    } catch (ConnectionException e) {
      environment.sessions().leave(session);
      throw e;
    }
  }

  private static ConnectionException noVhost(String path) {
    return new ConnectionException(ReplyCode.NOT_ALLOWED, "vhost %s not found".formatted(path));
  }

  private record OpenSession(String user, String vhost, Consumer<String> closer)
      implements Session {
    @Override
    public void forceClose(String reason) {
      closer.accept(reason);
    }

    @Override
    public boolean equals(Object other) {
      return this == other;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(this);
    }
  }
}
