package io.mayflymq.server.management;

import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.server.alarm.ResourceMonitors;
import io.mayflymq.server.auth.oauth2.AuthorizationCode;
import io.mayflymq.server.config.ClusterSettings;
import io.mayflymq.server.config.LiveConfiguration;
import io.mayflymq.server.config.ManagementSettings;
import io.mayflymq.server.config.ServerSettings;
import io.mayflymq.server.http.HttpServer;
import io.mayflymq.server.http.HttpService;
import io.mayflymq.server.http.PathPrefix;
import io.mayflymq.server.management.api.Body;
import io.mayflymq.server.management.api.Principal;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import io.mayflymq.server.management.auth.AuthAttempts;
import io.mayflymq.server.management.auth.Authenticator;
import io.mayflymq.server.management.auth.CodeLogin;
import io.mayflymq.server.management.auth.HostCheck;
import io.mayflymq.server.management.auth.LoginSessions;
import io.mayflymq.server.management.auth.SessionAuthenticator;
import io.mayflymq.server.management.auth.UserAuthenticator;
import io.mayflymq.server.management.cluster.QuestionService;
import io.mayflymq.server.management.json.Node;
import io.mayflymq.server.management.page.PageService;
import io.mayflymq.server.management.resource.ManagedBroker;
import io.mayflymq.server.management.resource.ServerLimits;
import io.mayflymq.server.net.AmqpServer;
import io.mayflymq.server.tls.ReloadingTls;
import io.mayflymq.server.tls.TlsException;
import io.netty.channel.Channel;
import io.netty.util.NetUtil;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The management API of a running broker. It listens where the configuration says, and is also
 * served by the control server.
 */
public final class ManagementServer implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(ManagementServer.class);

  private final ControlServer controlServer;
  private final StatisticsSampler sampler;
  private final Access access;
  private final HttpServer server;
  private final QuestionService answers;
  private InetSocketAddress plain;
  private InetSocketAddress encrypted;

  /** Removes the listener for changes of the configuration. */
  private Runnable forget = () -> {};

  /** Makes the routes; null until there is what they are about. */
  private Supplier<Routes> making;

  /** Null until the first request. */
  private Routes routes;

  private Supplier<Optional<String>> welcome = Optional::empty;

  /**
   * How users are recognized.
   *
   * @param requests what has come to the server's own ports
   * @param control what has come to the control server with a name and a password
   */
  private record Access(Authenticator requests, Authenticator control) {}

  private ManagementServer(
      ManagementSettings settings,
      ControlServer controlServer,
      StatisticsSampler sampler,
      Access access,
      UnaryOperator<HttpService> pageLogin,
      BrokerThreads threads) {
    this.controlServer = controlServer;
    this.sampler = sampler;
    this.access = access;
    this.server =
        new HttpServer(
            "management",
            ServerLimits.api(settings),
            below(
                settings.pathPrefix(),
                new PageService(
                    pageLogin.apply(
                        new ApiService(
                            access.requests(),
                            Map.of("/api/", new ApiService.Part(this::api, false)),
                            threads.faults())))),
            threads);
    this.answers =
        new QuestionService(() -> routes().questions(), ServerLimits.nodes(settings), threads);
  }

  /** Returns where the management page is, and how to log in; nothing if it listens nowhere. */
  public Optional<String> welcome() {
    return welcome.get();
  }

  /** Answers the questions that other nodes of the cluster ask. */
  public CompletableFuture<byte[]> answer(String node, byte[] question) {
    return answers.answer(node, question);
  }

  private static HttpService below(String pathPrefix, HttpService service) {
    return pathPrefix.isEmpty() ? service : new PathPrefix(pathPrefix, service);
  }

  /**
   * Starts to listen, and lets the control server serve the same API.
   *
   * @param broker what it manages
   * @param amqp what listens for clients of AMQP
   * @param monitors what watches memory and disk
   * @param provider how users of the page log in by a provider of tokens; empty if they do not
   * @param threads makes its threads
   * @throws IOException if it cannot listen; the message says where and why
   */
  public static ManagementServer start(
      LiveConfiguration configuration,
      ManagedBroker broker,
      AmqpServer amqp,
      ResourceMonitors monitors,
      Optional<AuthorizationCode> provider,
      ControlServer controlServer,
      BrokerThreads threads)
      throws IOException {
    ServerSettings settings = configuration.settings();
    AuthAttempts attempts = new AuthAttempts();
    LoginSessions sessions =
        new LoginSessions(
            name -> broker.accessControl().state().user(name), InstantSource.system());
    SessionAuthenticator authenticator =
        new SessionAuthenticator(
            new UserAuthenticator(
                broker.logins(),
                broker.accessControl(),
                attempts,
                settings.management().pageLogin().refusesPasswords()),
            sessions,
            broker.accessControl());
    ManagementServer server =
        new ManagementServer(
            settings.management(),
            controlServer,
            StatisticsSampler.start(
                broker.broker(), settings.management().statisticsIntervalMillis(), threads),
            new Access(
                new HostCheck(
                    authenticator,
                    login ->
                        login instanceof Authenticator.Login.Accepted accepted
                            && broker.accessControl().isLoopbackUser(accepted.principal().user()),
                    () -> configuration.settings().management().allowedHosts()),
                authenticator.users()),
            api ->
                provider
                    .<HttpService>map(
                        at ->
                            new CodeLogin(
                                api, at, broker.logins(), sessions, InstantSource.system()))
                    .orElse(api),
            threads);
    try {
      server.listen(configuration);
      Node node =
          new Node(
              server.listeners(amqp, configuration),
              settings.dataDir(),
              settings.log().path().orElse(null),
              settings.auth().mechanisms(),
              configuration.files(),
              amqp.maintenance()::isDrained);
      server.making =
          () ->
              new Routes(configuration, broker, node, amqp, monitors, attempts, sessions, threads);
      server.start();
      server.welcome =
          () ->
              Welcome.line(
                  server.plain,
                  server.encrypted,
                  settings.management().pathPrefix(),
                  broker.accessControl());
      return server;
    } catch (IOException | RuntimeException e) {
      server.close();
      throw e;
    }
  }

  private void start() {
    controlServer.serve(this);
    server.start();
    announce("HTTP", plain);
    announce("HTTPS", encrypted);
  }

  private static void announce(String protocol, InetSocketAddress address) {
    if (address != null) {
      LOGGER.info("listening for {} on {}", protocol, NetUtil.toSocketAddressString(address));
    }
  }

  private void listen(LiveConfiguration configuration) throws IOException {
    ManagementSettings settings = configuration.settings().management();
    if (settings.address().isPresent()) {
      plain = listen("HTTP", "management.tcp.port", settings.address().get(), null);
    }
    if (settings.tlsAddress().isPresent()) {
      try {
        ReloadingTls tls = ReloadingTls.load(() -> configuration.settings().management().tls());
        forget = configuration.onChange(changed -> tls.look());
        encrypted =
            listen("HTTPS", "management.ssl.port", settings.tlsAddress().get(), tls::encrypt);
      } catch (TlsException e) {
        throw new IOException(e.getMessage(), e);
      }
    }
  }

  private InetSocketAddress listen(
      String protocol, String key, InetSocketAddress wanted, Consumer<Channel> encryption)
      throws IOException {
    try {
      return server.listen(wanted, encryption);
    } catch (IOException e) {
      throw new IOException(
          "cannot listen for %s on %s (key %s): %s"
              .formatted(protocol, NetUtil.toSocketAddressString(wanted), key, e.getMessage()),
          e);
    }
  }

  private List<Node.Listener> listeners(AmqpServer amqp, LiveConfiguration configuration) {
    List<Node.Listener> listeners = new ArrayList<>();
    amqp.addresses().forEach(at -> listeners.add(Node.Listener.amqp(at)));
    amqp.tlsAddresses()
        .forEach(
            at -> listeners.add(Node.Listener.amqps(at, () -> configuration.settings().tls())));
    if (plain != null) {
      listeners.add(Node.Listener.http(plain));
    }
    if (encrypted != null) {
      listeners.add(
          Node.Listener.https(encrypted, () -> configuration.settings().management().tls()));
    }
    ClusterSettings cluster = configuration.settings().cluster();
    cluster
        .listener()
        .ifPresent(
            at ->
                listeners.add(
                    Node.Listener.clustering(
                        at.address(),
                        cluster.tls().certificate().isPresent() ? cluster::tls : null)));
    return listeners;
  }

  /**
   * Answers a request of the process that the broker runs in, as one with the token of the control
   * file. Any thread may call.
   *
   * @param path behind {@code /api/}, encoded, with the query
   * @param body JSON; empty for none
   * @return its body is a value that {@link JsonBody} can write, or null
   */
  public Response ask(String method, String path, byte[] body) {
    int question = path.indexOf('?');
    String plain = question < 0 ? path : path.substring(0, question);
    try {
      Request request =
          new Request(
              method,
              Request.split(plain),
              Map.of(),
              Request.parseQuery(question < 0 ? null : path.substring(question + 1)),
              Map.of(),
              false,
              new Body(body),
              Principal.CONTROL);
      RequestRouter.Found found = api().find(method, request.path());
      return found instanceof RequestRouter.Found.Handled route
          ? route.handler().handle(request.with(route.parameters(), request.body()))
          : ((RequestRouter.Found.Answered) found).response();
    } catch (RuntimeException e) {
      return Response.refusal(e).orElseThrow(() -> e);
    }
  }

  /** Returns where it listens for clients without TLS, if it does. */
  public Optional<InetSocketAddress> address() {
    return Optional.ofNullable(plain);
  }

  /**
   * Returns what answers. It is made by the first request: a start does not wait for the handlers
   * of some three hundred routes, most of which are never called.
   */
  private synchronized Routes routes() {
    if (routes == null) {
      routes = making.get();
    }
    return routes;
  }

  /** Returns the router for {@code /api/}. */
  RequestRouter api() {
    return routes().api();
  }

  /** Returns the router for {@code /control/}. */
  RequestRouter control() {
    return routes().control();
  }

  /** Returns what authenticates users by their passwords. */
  Authenticator authenticator() {
    return access.control();
  }

  /** Accepts no more requests. */
  @Override
  public void close() {
    forget.run();
    controlServer.serve(null);
    sampler.close();
    answers.close();
    server.close();
    closeRoutes();
  }

  private synchronized void closeRoutes() {
    if (routes != null) {
      routes.close();
    }
  }
}
