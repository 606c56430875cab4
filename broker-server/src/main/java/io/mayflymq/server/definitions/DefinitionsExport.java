package io.mayflymq.server.definitions;

import io.mayflymq.core.admin.Administration;
import io.mayflymq.core.admin.Parameter;
import io.mayflymq.core.metadata.VhostDefinition;
import io.mayflymq.core.policy.QueueType;
import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.routing.DestinationKind;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.routing.RoutingTable;
import io.mayflymq.core.security.User;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.server.config.BuildInfo;
import io.mayflymq.server.connection.ClusterName;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.json.JsonReader;
import io.mayflymq.server.json.TableJson;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Writes definitions. Each list is sorted by name, so that two exports can be compared. */
final class DefinitionsExport {
  private final Broker broker;
  private final Administration administration;
  private final PolicyDefinitions policies;
  // Null for all virtual hosts; then each item names its own.
  private final String only;

  /** What a RabbitMQ that imports the document does otherwise. */
  private final List<String> lost = new ArrayList<>();

  DefinitionsExport(
      Broker broker, Administration administration, PolicyDefinitions policies, String only) {
    this.broker = broker;
    this.administration = administration;
    this.policies = policies;
    this.only = only;
  }

  Map<String, Object> write() {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("rabbit_version", broker.dialect().version());
    document.put("rabbitmq_version", broker.dialect().version());
    document.put("product_name", BuildInfo.PRODUCT);
    document.put("product_version", BuildInfo.version());
    if (only == null) {
      document.put("rabbitmq_definition_format", "cluster");
      String cluster = ClusterName.of(administration.globalParameters());
      document.put("original_cluster_name", cluster);
      document.put("explanation", "Definitions of cluster '%s'".formatted(cluster));
      writeAccess(document);
    } else {
      document.put("rabbitmq_definition_format", "single_virtual_host");
      document.put("original_vhost_name", only);
      document.put("explanation", "Definitions of virtual host '%s'".formatted(only));
      administration.vhosts().list().stream()
          .filter(vhost -> vhost.name().equals(only))
          .forEach(vhost -> writeAbout(vhost, document));
    }
    writeParameters(document);
    writeTopology(document);
    return document;
  }

  private void writeAccess(Map<String, Object> document) {
    document.put("users", list(administration.users().list(), DefinitionsExport::user));
    document.put("vhosts", list(administration.vhosts().list(), DefinitionsExport::vhost));
    document.put(
        "permissions",
        list(
            administration.permissions().list(),
            entry ->
                Json.object(
                    "user", entry.user(),
                    "vhost", entry.vhost(),
                    "configure", entry.permissions().configure().source(),
                    "write", entry.permissions().write().source(),
                    "read", entry.permissions().read().source())));
    document.put(
        "topic_permissions",
        list(
            administration.permissions().listTopics(),
            entry ->
                Json.object(
                    "user", entry.user(),
                    "vhost", entry.vhost(),
                    "exchange", entry.exchange(),
                    "write", entry.permissions().write(),
                    "read", entry.permissions().read())));
    document.put("global_parameters", globalParameters());
  }

  private static <T> List<Object> list(
      Collection<T> things, Function<T, Map<String, Object>> object) {
    return things.stream().<Object>map(object).toList();
  }

  private List<Object> globalParameters() {
    List<Object> parameters = new ArrayList<>();
    administration
        .globalParameters()
        .list()
        .forEach(
            (name, json) -> {
              if (!name.equals(BrokerDefinitions.IMPORTED_HASH)) {
                parameters.add(Json.object("name", name, "value", JsonReader.stored(json)));
              }
            });
    return parameters;
  }

  private static Map<String, Object> user(User user) {
    return Json.object(
        "name", user.name(),
        "password_hash", user.passwordHash().base64(),
        "hashing_algorithm", user.passwordHash().algorithm().definitionsName(),
        "tags", user.tags(),
        "limits", LimitsJson.write(user.limits()));
  }

  private static Map<String, Object> vhost(VhostDefinition vhost) {
    Map<String, Object> metadata =
        Json.object("description", vhost.description(), "tags", vhost.tags());
    if (!vhost.defaultQueueType().isEmpty()) {
      metadata.put("default_queue_type", vhost.defaultQueueType());
    }
    Map<String, Object> object = Json.object("name", vhost.name());
    object.putAll(metadata);
    vhost
        .dialect()
        .ifPresent(dialect -> metadata.put(DefinitionsReader.COMPATIBILITY, dialect.series()));
    if (vhost.protectedFromDeletion()) {
      metadata.put("protected_from_deletion", true);
    }
    object.put("metadata", metadata);
    object.put("limits", LimitsJson.write(vhost.limits()));
    return object;
  }

  private static void writeAbout(VhostDefinition only, Map<String, Object> document) {
    Map<String, Object> object = vhost(only);
    for (String key : List.of("description", "metadata", "limits")) {
      document.put(key, object.get(key));
    }
  }

  private void writeParameters(Map<String, Object> document) {
    List<Object> parameters = new ArrayList<>();
    List<Object> plain = new ArrayList<>();
    document.put("parameters", parameters);
    document.put("policies", plain);
    for (PolicyItem policy : policies.export()) {
      if (!isWanted(policy.vhost())) {
        continue;
      }
      Map<String, Object> object =
          policy.operator()
              ? parameter(
                  policy.vhost(), DefinitionsReader.OPERATOR_POLICY, policy.name(), value(policy))
              : Json.object("vhost", policy.vhost(), "name", policy.name());
      if (!policy.operator()) {
        object.putAll(value(policy));
      }
      object.putAll(marks(policy));
      (policy.operator() ? parameters : plain).add(object);
      note(policy);
    }
    writePoliciesForVhosts(document);
    for (Parameter kept : administration.parameters().list()) {
      if (isWanted(kept.vhost())) {
        parameters.add(
            parameter(kept.vhost(), kept.component(), kept.name(), JsonReader.stored(kept.json())));
      }
    }
    for (VhostDefinition vhost : administration.vhosts().list()) {
      if (isWanted(vhost.name()) && !vhost.limits().isEmpty()) {
        parameters.add(
            parameter(
                vhost.name(),
                DefinitionsReader.VHOST_LIMITS,
                "limits",
                LimitsJson.write(vhost.limits())));
      }
    }
  }

  private void writePoliciesForVhosts(Map<String, Object> document) {
    List<Object> many = new ArrayList<>();
    for (PolicyItem policy : policies.exportForVhosts()) {
      Map<String, Object> object = Json.object("name", policy.name(), "vhosts", policy.vhosts());
      object.putAll(value(policy));
      object.putAll(marks(policy));
      if (policy.operator()) {
        object.put(DefinitionsReader.OPERATOR, true);
      }
      many.add(object);
      if (only == null) {
        lost.add(
            "%s: RabbitMQ has copies for the virtual hosts that are there now, and none for later ones"
                .formatted(policy.label()));
      }
    }
    if (only == null && !many.isEmpty()) {
      document.put(DefinitionsReader.VHOST_POLICIES, many);
    }
    if (!lost.isEmpty()) {
      document.put(DefinitionsReader.LOST, lost);
    }
  }

  private void note(PolicyItem policy) {
    if (policy.merges()) {
      lost.add("%s: in RabbitMQ it replaces others, and adds to none".formatted(policy.label()));
    }
  }

  private static Map<String, Object> value(PolicyItem policy) {
    return Json.object(
        "pattern", policy.pattern(),
        "apply-to", policy.applyTo(),
        "definition", policy.definition(),
        "priority", policy.priority());
  }

  /**
   * What only this broker knows. RabbitMQ passes over it in a policy and in a parameter, and not in
   * the value of a parameter.
   */
  private static Map<String, Object> marks(PolicyItem policy) {
    Map<String, Object> marks = new LinkedHashMap<>();
    if (policy.merges()) {
      marks.put("merge", true);
    }
    if (policy.copyOf() != null) {
      marks.put(DefinitionsReader.COPY_OF, policy.copyOf());
    }
    return marks;
  }

  private static Map<String, Object> parameter(
      String vhost, String component, String name, Object value) {
    return Json.object("vhost", vhost, "component", component, "name", name, "value", value);
  }

  private void writeTopology(Map<String, Object> document) {
    List<Object> queues = new ArrayList<>();
    List<Object> exchanges = new ArrayList<>();
    List<Object> bindings = new ArrayList<>();
    document.put("queues", queues);
    document.put("exchanges", exchanges);
    document.put("bindings", bindings);
    eachVhost(
        (vhost, table) -> {
          table.queues().stream()
              .filter(queue -> queue.owner() == null)
              .sorted(Comparator.comparing(Queue::name))
              .forEach(queue -> queues.add(queue(vhost, queue)));
          table.exchanges().stream()
              .filter(exchange -> !exchange.isDefault() && !exchange.name().startsWith("amq."))
              .sorted(Comparator.comparing(ExchangeDefinition::name))
              .forEach(exchange -> exchanges.add(exchange(vhost, exchange)));
          table.bindings().stream()
              .filter(binding -> !isExclusive(table, binding))
              .sorted(
                  Comparator.comparing(Binding::source)
                      .thenComparing(Binding::destination)
                      .thenComparing(Binding::routingKey))
              .forEach(binding -> bindings.add(binding(vhost, binding)));
        });
  }

  private interface TableVisitor {
    void visit(String vhost, RoutingTable<Queue> table);
  }

  private void eachVhost(TableVisitor visitor) {
    for (VhostDefinition vhost : administration.vhosts().list()) {
      VirtualHost found = broker.virtualHost(vhost.name());
      if (isWanted(vhost.name()) && found != null) {
        visitor.visit(vhost.name(), found.routing());
      }
    }
  }

  private static boolean isExclusive(RoutingTable<Queue> table, Binding binding) {
    if (binding.destinationKind() != DestinationKind.QUEUE) {
      return false;
    }
    Queue queue = table.queue(binding.destination());
    return queue != null && queue.owner() != null;
  }

  private Map<String, Object> queue(String vhost, Queue queue) {
    Map<String, Object> object = Json.object("name", queue.name());
    putVhost(object, vhost);
    object.put("type", queue.definition().settings().type().wireName());
    object.put("durable", queue.definition().durable());
    object.put("auto_delete", queue.definition().autoDelete());
    Map<String, Object> arguments = TableJson.KEPT.of(queue.definition().arguments());
    arguments.putIfAbsent(QueueType.ARGUMENT, queue.definition().settings().type().wireName());
    object.put("arguments", arguments);
    return object;
  }

  private Map<String, Object> exchange(String vhost, ExchangeDefinition exchange) {
    Map<String, Object> object = Json.object("name", exchange.name());
    putVhost(object, vhost);
    object.put("type", exchange.type().wireName());
    object.put("durable", exchange.durable());
    object.put("auto_delete", exchange.autoDelete());
    object.put("internal", exchange.internal());
    object.put("arguments", TableJson.KEPT.of(exchange.arguments()));
    return object;
  }

  private Map<String, Object> binding(String vhost, Binding binding) {
    Map<String, Object> object = Json.object("source", binding.source());
    putVhost(object, vhost);
    object.put("destination", binding.destination());
    object.put("destination_type", binding.destinationKind().toString());
    object.put("routing_key", binding.routingKey());
    object.put("arguments", TableJson.KEPT.of(binding.arguments()));
    return object;
  }

  private void putVhost(Map<String, Object> object, String vhost) {
    if (only == null) {
      object.put("vhost", vhost);
    }
  }

  private boolean isWanted(String vhost) {
    return only == null || only.equals(vhost);
  }
}
