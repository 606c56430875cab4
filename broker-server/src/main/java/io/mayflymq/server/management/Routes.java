package io.mayflymq.server.management;

import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.server.alarm.ResourceMonitors;
import io.mayflymq.server.config.LiveConfiguration;
import io.mayflymq.server.config.ServerSettings;
import io.mayflymq.server.http.BodyLimit;
import io.mayflymq.server.management.api.BodyLimits;
import io.mayflymq.server.management.api.MessageMemory;
import io.mayflymq.server.management.api.OpenApi;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import io.mayflymq.server.management.api.TextBody;
import io.mayflymq.server.management.auth.AuthAttempts;
import io.mayflymq.server.management.auth.LoginSessions;
import io.mayflymq.server.management.json.Node;
import io.mayflymq.server.management.resource.AuthResource;
import io.mayflymq.server.management.resource.BindingResource;
import io.mayflymq.server.management.resource.BrowseResource;
import io.mayflymq.server.management.resource.ClockResource;
import io.mayflymq.server.management.resource.ConnectionResource;
import io.mayflymq.server.management.resource.ConsumerResource;
import io.mayflymq.server.management.resource.ControlResource;
import io.mayflymq.server.management.resource.DeathResource;
import io.mayflymq.server.management.resource.DefinitionsResource;
import io.mayflymq.server.management.resource.DeletedQueueResource;
import io.mayflymq.server.management.resource.ExchangeResource;
import io.mayflymq.server.management.resource.FaultResource;
import io.mayflymq.server.management.resource.FeatureResource;
import io.mayflymq.server.management.resource.FederationResource;
import io.mayflymq.server.management.resource.ForcedShrinkResource;
import io.mayflymq.server.management.resource.GlobalParameterResource;
import io.mayflymq.server.management.resource.HealthResource;
import io.mayflymq.server.management.resource.LimitResource;
import io.mayflymq.server.management.resource.LintResource;
import io.mayflymq.server.management.resource.MaintenanceResource;
import io.mayflymq.server.management.resource.ManagedBroker;
import io.mayflymq.server.management.resource.MessageResource;
import io.mayflymq.server.management.resource.MoveMessageResource;
import io.mayflymq.server.management.resource.OverviewResource;
import io.mayflymq.server.management.resource.ParameterResource;
import io.mayflymq.server.management.resource.PauseResource;
import io.mayflymq.server.management.resource.PermissionResource;
import io.mayflymq.server.management.resource.PolicyResource;
import io.mayflymq.server.management.resource.ProofResource;
import io.mayflymq.server.management.resource.PurgeResource;
import io.mayflymq.server.management.resource.QueueResource;
import io.mayflymq.server.management.resource.RebalanceResource;
import io.mayflymq.server.management.resource.RedriveResource;
import io.mayflymq.server.management.resource.ReplicaResource;
import io.mayflymq.server.management.resource.RestoreResource;
import io.mayflymq.server.management.resource.ScheduleResource;
import io.mayflymq.server.management.resource.ServerLimits;
import io.mayflymq.server.management.resource.SessionResource;
import io.mayflymq.server.management.resource.ShovelResource;
import io.mayflymq.server.management.resource.StandbyResource;
import io.mayflymq.server.management.resource.TopicPermissionResource;
import io.mayflymq.server.management.resource.UserResource;
import io.mayflymq.server.management.resource.VhostPolicyResource;
import io.mayflymq.server.management.resource.VhostResource;
import io.mayflymq.server.net.AmqpServer;
import java.util.List;
import java.util.stream.Collectors;

/** What answers the requests of clients, of {@code mayflyctl} and of other nodes. Thread-safe. */
final class Routes implements AutoCloseable {
  private final RequestRouter api = new RequestRouter();
  private final RequestRouter control = new RequestRouter();
  private final RequestRouter questions = new RequestRouter();
  private final RebalanceResource rebalance;

  /**
   * @param managed what is managed
   * @param amqp what listens for clients of AMQP
   * @param attempts failed logins
   * @param sessions logins of the page
   */
  Routes(
      LiveConfiguration configuration,
      ManagedBroker managed,
      Node node,
      AmqpServer amqp,
      ResourceMonitors monitors,
      AuthAttempts attempts,
      LoginSessions sessions,
      BrokerThreads threads) {
    ServerSettings settings = configuration.settings();
    new SessionResource(managed, sessions).addTo(api);
    addResources(managed, node, attempts, monitors, settings);
    new ClockResource(managed).addTo(api);
    new FaultResource(managed, amqp.environment().faults()).addTo(api);
    rebalance = new RebalanceResource(managed.broker(), managed.nodes(), threads);
    rebalance.addTo(api);
    api.get("openapi.json", request -> Response.ok(OpenApi.of(api).document()));
    api.get("config/effective", request -> effective(configuration, request));
    ControlResource process = new ControlResource(managed, node, monitors, settings.memory());
    process.addTo(control);
    process.addQuestionsTo(questions);
    new MaintenanceResource(amqp).addTo(control);
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
    new AuthResource(attempts, settings.management().pageLogin()).addTo(api);
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
    new LintResource(managed).addTo(api);
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
    PurgeResource purges = new PurgeResource(managed);
    purges.addTo(api);
    purges.addQuestionsTo(questions);
    MoveMessageResource moves = new MoveMessageResource(managed);
    moves.addTo(api);
    moves.addQuestionsTo(questions);
    RestoreResource restorations = new RestoreResource(managed);
    restorations.addTo(api);
    restorations.addQuestionsTo(questions);
    DeletedQueueResource deletedQueues = new DeletedQueueResource(managed);
    deletedQueues.addTo(api);
    deletedQueues.addQuestionsTo(questions);
    new ProofResource(managed, settings.durability()).addTo(api);
    PauseResource pauses = new PauseResource(managed);
    pauses.addTo(api);
    pauses.addQuestionsTo(questions);
    new BindingResource(managed).addTo(api);
    new PolicyResource(managed).addTo(api);
    new VhostPolicyResource(managed).addTo(api);
    new ParameterResource(managed).addTo(api);
    ShovelResource shovels = new ShovelResource(managed);
    shovels.addTo(api);
    shovels.addQuestionsTo(questions);
    new StandbyResource(managed).addTo(api);
    FederationResource federation = new FederationResource(managed);
    federation.addTo(api);
    federation.addQuestionsTo(questions);
    new MessageResource(managed, settings.protocol().maxMessageSize(), large, messages).addTo(api);
    // Plugins add pages to RabbitMQ's console by this; there are none.
    api.get("extensions", request -> Response.ok(List.of()));
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

  /** Returns the router for {@code /api/}. */
  RequestRouter api() {
    return api;
  }

  /** Returns the router for {@code /control/}. */
  RequestRouter control() {
    return control;
  }

  /** Returns the router for questions of other nodes. */
  RequestRouter questions() {
    return questions;
  }

  /** Ends what requests have begun and what goes on. */
  @Override
  public void close() {
    rebalance.close();
  }
}
