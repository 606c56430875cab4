package io.mayflymq.server.definitions;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.mayflymq.core.admin.Administration;
import io.mayflymq.core.metadata.VhostDefinition;
import io.mayflymq.core.routing.RoutingTable;
import io.mayflymq.core.routing.binding.Binding;
import io.mayflymq.core.routing.binding.DestinationKind;
import io.mayflymq.core.routing.exchange.ExchangeDefinition;
import io.mayflymq.core.security.User;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.server.config.BuildInfo;
import java.util.Comparator;

/** Writes definitions. Each list is sorted by name, so that two exports can be compared. */
final class DefinitionsExport {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final Broker broker;
  private final Administration administration;
  private final PolicyDefinitions policies;
  // Null for all virtual hosts; then each item names its own.
  private final String only;

  DefinitionsExport(
      Broker broker, Administration administration, PolicyDefinitions policies, String only) {
    this.broker = broker;
    this.administration = administration;
    this.policies = policies;
    this.only = only;
  }

  ObjectNode write() {
    ObjectNode document = JSON.objectNode();
    document.put("rabbit_version", BuildInfo.DIALECT);
    document.put("rabbitmq_version", BuildInfo.DIALECT);
    document.put("product_name", BuildInfo.PRODUCT);
    document.put("product_version", BuildInfo.version());
    if (only == null) {
      document.put("rabbitmq_definition_format", "cluster");
      writeAccess(document);
    } else {
      document.put("rabbitmq_definition_format", "single_virtual_host");
      document.put("original_vhost_name", only);
    }
    writeParameters(document);
    writeTopology(document);
    return document;
  }

  private void writeAccess(ObjectNode document) {
    ArrayNode users = document.putArray("users");
    administration.users().list().forEach(user -> users.add(user(user)));
    ArrayNode vhosts = document.putArray("vhosts");
    administration.vhosts().list().forEach(vhost -> vhosts.add(vhost(vhost)));
    ArrayNode permissions = document.putArray("permissions");
    administration
        .permissions()
        .list()
        .forEach(
            entry ->
                permissions
                    .addObject()
                    .put("user", entry.user())
                    .put("vhost", entry.vhost())
                    .put("configure", entry.permissions().configure().source())
                    .put("write", entry.permissions().write().source())
                    .put("read", entry.permissions().read().source()));
    ArrayNode topics = document.putArray("topic_permissions");
    administration
        .permissions()
        .listTopics()
        .forEach(
            entry ->
                topics
                    .addObject()
                    .put("user", entry.user())
                    .put("vhost", entry.vhost())
                    .put("exchange", entry.exchange())
                    .put("write", entry.permissions().write())
                    .put("read", entry.permissions().read()));
    ArrayNode parameters = document.putArray("global_parameters");
    administration
        .globalParameters()
        .list()
        .forEach(
            (name, json) -> {
              if (!name.equals(DefinitionsReader.IMPORTED_HASH)) {
                parameters.addObject().put("name", name).set("value", parse(json));
              }
            });
  }

  private static ObjectNode user(User user) {
    ObjectNode node = JSON.objectNode();
    node.put("name", user.name());
    node.put("password_hash", user.passwordHash().base64());
    node.put("hashing_algorithm", user.passwordHash().algorithm().definitionsName());
    user.tags().forEach(node.putArray("tags")::add);
    node.set("limits", LimitsJson.write(user.limits()));
    return node;
  }

  private static ObjectNode vhost(VhostDefinition vhost) {
    ObjectNode node = JSON.objectNode();
    node.put("name", vhost.name());
    node.put("description", vhost.description());
    vhost.tags().forEach(node.putArray("tags")::add);
    ObjectNode metadata = JSON.objectNode().put("description", vhost.description());
    vhost.tags().forEach(metadata.putArray("tags")::add);
    if (!vhost.defaultQueueType().isEmpty()) {
      node.put("default_queue_type", vhost.defaultQueueType());
      metadata.put("default_queue_type", vhost.defaultQueueType());
    }
    node.set("metadata", metadata);
    return node;
  }

  private void writeParameters(ObjectNode document) {
    ArrayNode parameters = document.putArray("parameters");
    ArrayNode plain = document.putArray("policies");
    for (PolicyItem policy : policies.export()) {
      if (!isWanted(policy.vhost())) {
        continue;
      }
      ObjectNode value = JSON.objectNode();
      value.put("pattern", policy.pattern());
      value.put("apply-to", policy.applyTo());
      value.set("definition", policy.definition());
      value.put("priority", policy.priority());
      if (policy.operator()) {
        parameters.add(
            parameter(policy.vhost(), DefinitionsReader.OPERATOR_POLICY, policy.name(), value));
      } else {
        plain.addObject().put("vhost", policy.vhost()).put("name", policy.name()).setAll(value);
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

  private static ObjectNode parameter(String vhost, String component, String name, JsonNode value) {
    ObjectNode node = JSON.objectNode();
    node.put("vhost", vhost).put("component", component).put("name", name);
    node.set("value", value);
    return node;
  }

  private void writeTopology(ObjectNode document) {
    ArrayNode queues = document.putArray("queues");
    ArrayNode exchanges = document.putArray("exchanges");
    ArrayNode bindings = document.putArray("bindings");
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

  private ObjectNode queue(String vhost, Queue queue) {
    ObjectNode node = JSON.objectNode();
    node.put("name", queue.name());
    putVhost(node, vhost);
    node.put("durable", queue.definition().durable());
    node.put("auto_delete", queue.definition().autoDelete());
    node.set("arguments", FieldTableJson.write(queue.definition().arguments()));
    return node;
  }

  private ObjectNode exchange(String vhost, ExchangeDefinition exchange) {
    ObjectNode node = JSON.objectNode();
    node.put("name", exchange.name());
    putVhost(node, vhost);
    node.put("type", exchange.type().wireName());
    node.put("durable", exchange.durable());
    node.put("auto_delete", exchange.autoDelete());
    node.put("internal", exchange.internal());
    node.set("arguments", FieldTableJson.write(exchange.arguments()));
    return node;
  }

  private ObjectNode binding(String vhost, Binding binding) {
    ObjectNode node = JSON.objectNode();
    node.put("source", binding.source());
    putVhost(node, vhost);
    node.put("destination", binding.destination());
    node.put("destination_type", binding.destinationKind().toString());
    node.put("routing_key", binding.routingKey());
    node.set("arguments", FieldTableJson.write(binding.arguments()));
    return node;
  }

  private void putVhost(ObjectNode node, String vhost) {
    if (only == null) {
      node.put("vhost", vhost);
    }
  }

  private boolean isWanted(String vhost) {
    return only == null || only.equals(vhost);
  }

  private static JsonNode parse(String json) {
    try {
      return MAPPER.readTree(json);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a global parameter is no JSON: " + json, e);
    }
  }
}
