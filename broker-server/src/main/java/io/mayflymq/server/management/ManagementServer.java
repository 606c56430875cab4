package io.mayflymq.server.management;

import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.server.alarm.ResourceMonitors;
import io.mayflymq.server.config.ClusterSettings;
import io.mayflymq.server.config.LiveConfiguration;
import io.mayflymq.server.config.ManagementSettings;
import io.mayflymq.server.config.ServerSettings;
import io.mayflymq.server.http.BodyLimit;
import io.mayflymq.server.http.HttpServer;
import io.mayflymq.server.http.HttpService;
import io.mayflymq.server.http.PathPrefix;
import io.mayflymq.server.management.api.Body;
import io.mayflymq.server.management.api.BodyLimits;
import io.mayflymq.server.management.api.MessageMemory;
import io.mayflymq.server.management.api.OpenApi;
import io.mayflymq.server.management.api.Principal;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import io.mayflymq.server.management.api.TextBody;
import io.mayflymq.server.management.auth.AuthAttempts;
import io.mayflymq.server.management.auth.Authenticator;
import io.mayflymq.server.management.auth.HostCheck;
import io.mayflymq.server.management.auth.LoginSessions;
import io.mayflymq.server.management.auth.SessionAuthenticator;
import io.mayflymq.server.management.auth.UserAuthenticator;
import io.mayflymq.server.management.cluster.QuestionService;
import io.mayflymq.server.management.json.Node;
import io.mayflymq.server.management.page.PageService;
import io.mayflymq.server.management.resource.AuthResource;
import io.mayflymq.server.management.resource.BindingResource;
import io.mayflymq.server.management.resource.BrowseResource;
import io.mayflymq.server.management.resource.ClockResource;
import io.mayflymq.server.management.resource.ConnectionResource;
import io.mayflymq.server.management.resource.ConsumerResource;
import io.mayflymq.server.management.resource.ControlResource;
import io.mayflymq.server.management.resource.DeathResource;
import io.mayflymq.server.management.resource.DefinitionsResource;
import io.mayflymq.server.management.resource.ExchangeResource;
import io.mayflymq.server.management.resource.FeatureResource;
import io.mayflymq.server.management.resource.ForcedShrinkResource;
import io.mayflymq.server.management.resource.GlobalParameterResource;
import io.mayflymq.server.management.resource.HealthResource;
import io.mayflymq.server.management.resource.LimitResource;
import io.mayflymq.server.management.resource.MaintenanceResource;
import io.mayflymq.server.management.resource.ManagedBroker;
import io.mayflymq.server.management.resource.MessageResource;
import io.mayflymq.server.management.resource.OverviewResource;
import io.mayflymq.server.management.resource.ParameterResource;
import io.mayflymq.server.management.resource.PermissionResource;
import io.mayflymq.server.management.resource.PolicyResource;
import io.mayflymq.server.management.resource.QueueResource;
import io.mayflymq.server.management.resource.RebalanceResource;
import io.mayflymq.server.management.resource.RedriveResource;
import io.mayflymq.server.management.resource.ReplicaResource;
import io.mayflymq.server.management.resource.ScheduleResource;
import io.mayflymq.server.management.resource.ServerLimits;
import io.mayflymq.server.management.resource.SessionResource;
import io.mayflymq.server.management.resource.ShovelResource;
import io.mayflymq.server.management.resource.TopicPermissionResource;
import io.mayflymq.server.management.resource.UserResource;
import io.mayflymq.server.management.resource.VhostResource;
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
import java.util.stream.Collectors;
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
  private final RequestRouter api = new RequestRouter();
  private final RequestRouter control = new RequestRouter();
  private final RequestRouter questions = new RequestRouter();
  private final HttpServer server;
  private final QuestionService answers;
  private InetSocketAddress plain;
  private InetSocketAddress encrypted;

  /** Removes the listener for changes of the configuration. */
  private Runnable forget = () -> {};

  private Runnable endRebalancing = () -> {};

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
                    new ApiService(
                        access.requests(),
                        Map.of("/api/", new ApiService.Part(() -> api, false)),
                        threads.faults()))),
            threads);
    this.answers = new QuestionService(questions, ServerLimits.nodes(settings), threads);
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
   * @param threads makes its threads
   * @throws IOException if it cannot listen; the message says where and why
   */
  public static ManagementServer start(
      LiveConfiguration configuration,
      ManagedBroker broker,
      AmqpServer amqp,
      ResourceMonitors monitors,
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
            new UserAuthenticator(broker.accessControl(), attempts),
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
      new SessionResource(broker, sessions).addTo(server.api);
      server.addResources(broker, node, attempts, monitors, settings);
      new ClockResource(broker).addTo(server.api);
      RebalanceResource rebalance = new RebalanceResource(broker.broker(), broker.nodes(), threads);
      rebalance.addTo(server.api);
      server.endRebalancing = rebalance::close;
      server.api.get("openapi.json", request -> Response.ok(OpenApi.of(server.api).document()));
      server.api.get("config/effective", request -> effective(configuration, request));
      ControlResource control = new ControlResource(broker, node, monitors, settings.memory());
      control.addTo(server.control);
      control.addQuestionsTo(server.questions);
      new MaintenanceResource(amqp).addTo(server.control);
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

  /** Shows all keys as a file would have them; RabbitMQ shows Erlang's terms. */
  private static Response effective(LiveConfiguration configuration, Request request) {
    request.principal().requireAdministrator();
    return Response.ok(
        new TextBody(
            configuration.effective().stream()
                .map(setting -> "%s = %s\n".formatted(setting.key(), setting.value()))
                .collect(Collectors.joining())));
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

  private void addResources(
      ManagedBroker managed,
      Node node,
      AuthAttempts attempts,
      ResourceMonitors monitors,
      ServerSettings settings) {
    OverviewResource overview =
        new OverviewResource(managed, node, monitors, settings.cluster().tags());
    overview.addTo(api);
    overview.addQuestionsTo(questions);
    new HealthResource(managed, node, settings.cluster().formation()).addTo(api);
    new AuthResource(attempts).addTo(api);
    new FeatureResource(managed).addTo(api);
    new UserResource(managed).addTo(api);
    new PermissionResource(managed).addTo(api);
    new TopicPermissionResource(managed).addTo(api);
    VhostResource vhosts = new VhostResource(managed);
    vhosts.addTo(api);
    vhosts.addQuestionsTo(questions);
    new LimitResource(managed).addTo(api);
    new GlobalParameterResource(managed).addTo(api);
    BodyLimit large = BodyLimits.large(ServerLimits.largestBody(settings.management()));
    new DefinitionsResource(managed, large).addTo(api);
    ConnectionResource connections = new ConnectionResource(managed);
    connections.addTo(api);
    connections.addQuestionsTo(questions);
    ConsumerResource consumers = new ConsumerResource(managed);
    consumers.addTo(api);
    consumers.addQuestionsTo(questions);
    ExchangeResource exchanges = new ExchangeResource(managed);
    exchanges.addTo(api);
    exchanges.addQuestionsTo(questions);
    QueueResource queues = new QueueResource(managed);
    queues.addTo(api);
    queues.addQuestionsTo(questions);
    ReplicaResource replicas = new ReplicaResource(managed);
    replicas.addTo(api);
    replicas.addQuestionsTo(questions);
    new ForcedShrinkResource(managed).addTo(api);
    ScheduleResource schedules = new ScheduleResource(managed);
    schedules.addTo(api);
    schedules.addQuestionsTo(questions);
    MessageMemory messages = ServerLimits.messages();
    BrowseResource browse = new BrowseResource(managed, messages);
    browse.addTo(api);
    browse.addQuestionsTo(questions);
    DeathResource deaths = new DeathResource(managed);
    deaths.addTo(api);
    deaths.addQuestionsTo(questions);
    RedriveResource redrives = new RedriveResource(managed);
    redrives.addTo(api);
    redrives.addQuestionsTo(questions);
    new BindingResource(managed).addTo(api);
    new PolicyResource(managed).addTo(api);
    new ParameterResource(managed).addTo(api);
    ShovelResource shovels = new ShovelResource(managed);
    shovels.addTo(api);
    shovels.addQuestionsTo(questions);
    new MessageResource(managed, settings.protocol().maxMessageSize(), large, messages).addTo(api);
    // Plugins add pages to RabbitMQ's console by this; there are none.
    api.get("extensions", request -> Response.ok(List.of()));
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
      RequestRouter.Found found = api.find(method, request.path());
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

  /** Returns the router for {@code /api/}. */
  RequestRouter api() {
    return api;
  }

  /** Returns the router for {@code /control/}. */
  RequestRouter control() {
    return control;
  }

  /** Returns what authenticates users by their passwords. */
  Authenticator authenticator() {
    return access.control();
  }

  /** Accepts no more requests. */
  @Override
  public void close() {
    forget.run();
    endRebalancing.run();
    controlServer.serve(null);
    sampler.close();
    answers.close();
    server.close();
  }
}
