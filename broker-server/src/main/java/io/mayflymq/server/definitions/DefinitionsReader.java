package io.mayflymq.server.definitions;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import io.mayflymq.core.admin.AdministrationException;
import io.mayflymq.core.admin.Checks;
import io.mayflymq.core.admin.Parameter;
import io.mayflymq.core.admin.UserAdministration;
import io.mayflymq.core.admin.VhostAdministration;
import io.mayflymq.core.metadata.VhostDefinition;
import io.mayflymq.core.policy.QueueType;
import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.routing.DestinationKind;
import io.mayflymq.core.security.HashingAlgorithm;
import io.mayflymq.core.security.Limits;
import io.mayflymq.core.security.PasswordHash;
import io.mayflymq.core.security.User;
import io.mayflymq.protocol.types.AmqpException;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.server.json.JsonWriter;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Reads a document of definitions. A definition that is wrong does not end the reading, so that all
 * errors are reported at once, or the others can be imported.
 */
final class DefinitionsReader {
  static final String VHOST_LIMITS = "vhost-limits";
  static final String OPERATOR_POLICY = "operator_policy";

  /** The section of policies for many virtual hosts, which only this broker has. */
  static final String VHOST_POLICIES = "vhost_policies";

  /** In such a policy, the pattern of the names of its virtual hosts. */
  private static final String VHOSTS = "vhosts";

  /** Whether such a policy is an operator policy. */
  static final String OPERATOR = "operator";

  /** In a policy of one virtual host, the name of the one for many that it repeats. */
  static final String COPY_OF = "copy_of_vhost_policy";

  /** Lines about what a RabbitMQ that imports the document does otherwise. */
  static final String LOST = "lost_in_rabbitmq";

  /** The metadata of a virtual host that names its dialect. */
  static final String COMPATIBILITY = "compatibility";

  /** How many problems are listed; the others are only counted. */
  private static final int MOST_PROBLEMS = 100;

  /** Fields that describe the origin of a document, or repeat other parts of it. */
  private static final Set<String> ABOUT_THE_DOCUMENT =
      Set.of(
          "rabbit_version",
          "rabbitmq_version",
          "product_name",
          "product_version",
          "rabbitmq_definition_format",
          "original_cluster_name",
          "original_vhost_name",
          "explanation",
          LOST,
          "name",
          "description",
          "metadata",
          "tags",
          "default_queue_type",
          "limits");

  private final String vhost;
  private final Function<String, PasswordHash> passwords;
  private final Map<String, Consumer<DefinitionItem>> sections = new LinkedHashMap<>();

  /** The sections that a document of one virtual host does not have. */
  private final Set<String> ofWholeBroker;

  private final List<VhostDefinition> vhosts = new ArrayList<>();
  private final List<User> users = new ArrayList<>();
  private final List<Definitions.Grant> permissions = new ArrayList<>();
  private final List<Definitions.TopicGrant> topicPermissions = new ArrayList<>();
  private final Map<String, Limits> vhostLimits = new LinkedHashMap<>();
  private final Map<String, String> globalParameters = new LinkedHashMap<>();
  private final List<Parameter> parameters = new ArrayList<>();
  private final List<PolicyItem> policies = new ArrayList<>();
  private final List<Definitions.Exchange> exchanges = new ArrayList<>();
  private final List<Definitions.Queue> queues = new ArrayList<>();
  private final List<Definitions.Bound> bindings = new ArrayList<>();
  private final List<String> skipped = new ArrayList<>();
  private final List<String> unknown = new ArrayList<>();
  private final List<String> problems = new ArrayList<>();
  private int moreProblems;

  private DefinitionsReader(String vhost, Function<String, PasswordHash> passwords) {
    this.vhost = vhost;
    this.passwords = passwords;
    sections.put("parameters", this::parameter);
    sections.put("policies", item -> policies.add(policy(item, item.object(), false)));
    sections.put("exchanges", this::exchange);
    sections.put("queues", this::queue);
    sections.put("bindings", this::binding);
    Map<String, Consumer<DefinitionItem>> more = new LinkedHashMap<>();
    more.put("users", this::user);
    more.put(VHOSTS, this::vhost);
    more.put("permissions", this::permissions);
    more.put("topic_permissions", this::topicPermissions);
    more.put("global_parameters", this::globalParameter);
    more.put(VHOST_POLICIES, item -> policies.add(policyForVhosts(item)));
    if (vhost == null) {
      sections.putAll(more);
      ofWholeBroker = Set.of();
    } else {
      ofWholeBroker = Set.copyOf(more.keySet());
    }
  }

  /**
   * Reads a document item by item, so that a large document is never in memory as a whole.
   *
   * @param json in UTF-8
   * @param vhost the virtual host of all items; null for a document of a whole broker
   * @param passwords makes the hash of a password; throws what is wrong with it
   * @throws DefinitionsException if it is not a JSON object, or an object in it has two fields of
   *     one name
   */
  static Definitions read(InputStream json, String vhost, Function<String, PasswordHash> passwords)
      throws DefinitionsException {
    try (ItemParser parser = new ItemParser(json)) {
      return new DefinitionsReader(vhost, passwords).read(parser);
    } catch (ItemParser.RepeatedException e) {
      throw new DefinitionsException(e.getOriginalMessage());
    } catch (StreamConstraintsException e) {
      throw new DefinitionsException("an item is too large: " + e.getOriginalMessage());
    } catch (JsonProcessingException e) {
      String where =
          e.getLocation() == null
              ? ""
              : " at line %d, column %d"
                  .formatted(e.getLocation().getLineNr(), e.getLocation().getColumnNr());
      throw new DefinitionsException(
          "not JSON" + where + ": " + e.getOriginalMessage().lines().findFirst().orElse(""));
    } catch (IOException e) {
      throw new DefinitionsException("not JSON: " + e.getMessage());
    }
  }

  private Definitions read(ItemParser parser) throws IOException, DefinitionsException {
    if (parser.nextToken() != JsonToken.START_OBJECT) {
      parser.requireJson();
      throw new DefinitionsException("expected a JSON object with definitions");
    }
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String name = parser.currentName();
      Consumer<DefinitionItem> reader = sections.get(name);
      JsonToken value = parser.nextToken();
      if (reader != null && value == JsonToken.START_ARRAY) {
        readSection(name, parser, reader);
        continue;
      }
      if (reader != null) {
        problem("'" + name + "': expected a list, found " + kind(value));
        parser.skipChildren();
        continue;
      }
      parser.skipChildren();
      if (ofWholeBroker.contains(name)) {
        skipped.add("'" + name + "': not a part of definitions of one virtual host");
      } else if (!ABOUT_THE_DOCUMENT.contains(name)) {
        unknown.add("'" + name + "': not a part of definitions that is known here");
      }
    }
    parser.requireEnd();
    if (moreProblems > 0) {
      problems.add("and %d more".formatted(moreProblems));
    }
    return definitions();
  }

  /** What a copy repeats counts, if the document has it. */
  private List<PolicyItem> withoutCopies() {
    Set<List<Object>> many = new HashSet<>();
    policies.stream()
        .filter(PolicyItem::isForVhosts)
        .forEach(policy -> many.add(List.of(policy.operator(), policy.name())));
    return policies.stream()
        .filter(
            policy ->
                policy.copyOf() == null
                    || !many.contains(List.<Object>of(policy.operator(), policy.copyOf())))
        .toList();
  }

  private Definitions definitions() {
    return new Definitions(
        vhosts,
        users,
        permissions,
        topicPermissions,
        vhostLimits,
        globalParameters,
        parameters,
        withoutCopies(),
        exchanges,
        queues,
        bindings,
        skipped,
        unknown,
        problems);
  }

  private void readSection(String name, ItemParser parser, Consumer<DefinitionItem> reader)
      throws IOException {
    for (int i = 0; parser.nextToken() != JsonToken.END_ARRAY; i++) {
      String place = name + "[" + i + "]";
      Object item = null;
      try {
        item = parser.item();
        reader.accept(DefinitionItem.of(place, item, vhost));
      } catch (AmqpException e) {
        problem(place + named(item) + ": " + e.detail());
      } catch (AdministrationException | IllegalArgumentException e) {
        problem(place + named(item) + ": " + e.getMessage());
      } catch (ItemParser.TooLargeException e) {
        problem(place + ": " + e.getOriginalMessage());
      }
    }
  }

  private void problem(String problem) {
    if (problems.size() < MOST_PROBLEMS) {
      problems.add(problem);
    } else {
      moreProblems++;
    }
  }

  private static String named(Object item) {
    return item instanceof Map<?, ?> object && object.get("name") instanceof String name
        ? " ('" + name + "')"
        : "";
  }

  private static String kind(JsonToken value) {
    return switch (value) {
      case START_OBJECT -> "an object";
      case VALUE_STRING -> "a text";
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> "a number";
      case VALUE_TRUE, VALUE_FALSE -> "true or false";
      default -> "null";
    };
  }

  private void vhost(DefinitionItem item) {
    DefinitionItem metadata =
        item.has("metadata")
            ? new DefinitionItem(item.place(), item.object("metadata"), null)
            : item;
    String type = item.text("default_queue_type", metadata.text("default_queue_type", "undefined"));
    VhostDefinition definition =
        new VhostDefinition(
            item.text("name"),
            item.text("description", metadata.text("description", "")),
            item.has("tags") ? item.tags() : metadata.tags(),
            type.equals("undefined") ? "" : Checks.queueType(type),
            metadata.has(COMPATIBILITY)
                ? Optional.of(Checks.dialect(metadata.text(COMPATIBILITY)))
                : Optional.empty(),
            Limits.NONE,
            metadata.flag("protected_from_deletion", false));
    VhostAdministration.check(definition);
    vhosts.add(definition);
  }

  private void user(DefinitionItem item) {
    User user =
        new User(
            item.text("name"),
            password(item),
            item.tags(),
            item.has("limits") ? LimitsJson.ofUser(item.any("limits")) : Limits.NONE);
    UserAdministration.check(user);
    users.add(user);
  }

  private PasswordHash password(DefinitionItem item) {
    if (!item.has("password_hash")) {
      return item.has("password") ? passwords.apply(item.text("password")) : PasswordHash.NONE;
    }
    String base64 = item.text("password_hash");
    try {
      return base64.isEmpty()
          ? PasswordHash.NONE
          : new PasswordHash(
              HashingAlgorithm.ofDefinitionsName(item.text("hashing_algorithm", "")), base64);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("'password_hash' is of no use: " + e.getMessage(), e);
    }
  }

  private void permissions(DefinitionItem item) {
    Definitions.Grant grant =
        new Definitions.Grant(
            item.text("user"),
            item.text("vhost"),
            item.text("configure"),
            item.text("write"),
            item.text("read"));
    Checks.permissions(grant.configure(), grant.write(), grant.read());
    permissions.add(grant);
  }

  private void topicPermissions(DefinitionItem item) {
    Definitions.TopicGrant grant =
        new Definitions.TopicGrant(
            item.text("user"),
            item.text("vhost"),
            item.text("exchange"),
            item.text("write"),
            item.text("read"));
    Checks.topicPermissions(grant.write(), grant.read());
    topicPermissions.add(grant);
  }

  private void parameter(DefinitionItem item) {
    String component = item.text("component");
    String name = item.text("name");
    switch (component) {
      case VHOST_LIMITS -> vhostLimits.put(item.ownVhost(), LimitsJson.ofVhost(item.any("value")));
      case OPERATOR_POLICY -> policies.add(policy(item, item.object("value"), true));
      default ->
          parameters.add(
              new Parameter(
                  item.ownVhost(),
                  Checks.name("component", component),
                  Checks.name("parameter", name),
                  JsonWriter.text(item.any("value"))));
    }
  }

  private static PolicyItem policy(
      DefinitionItem item, Map<String, Object> value, boolean operator) {
    DefinitionItem policy = new DefinitionItem(item.place(), value, item.vhost());
    if (item.has(VHOSTS) || policy.has(VHOSTS)) {
      throw new IllegalArgumentException(
          "'vhosts' is for policies in '%s', and this one would be for '%s' alone"
              .formatted(VHOST_POLICIES, item.ownVhost()));
    }
    return new PolicyItem(
        operator,
        item.ownVhost(),
        null,
        item.has(COPY_OF) ? item.text(COPY_OF) : null,
        Checks.name("policy", item.text("name")),
        policy.text("pattern"),
        policy.text("apply-to", "all"),
        policy.integer("priority", 0),
        // Of operator policies beside their value; earlier exports have it there.
        item.flag("merge", false) || policy.flag("merge", false),
        policy.objectOrPairs("definition"));
  }

  private static PolicyItem policyForVhosts(DefinitionItem policy) {
    return new PolicyItem(
        policy.flag(OPERATOR, false),
        "",
        policy.text(VHOSTS),
        null,
        Checks.name("policy", policy.text("name")),
        policy.text("pattern"),
        policy.text("apply-to", "all"),
        policy.integer("priority", 0),
        policy.flag("merge", false),
        policy.objectOrPairs("definition"));
  }

  private void globalParameter(DefinitionItem item) {
    String name = Checks.name("global parameter", item.text("name"));
    if (!name.equals(BrokerDefinitions.IMPORTED_HASH)) {
      globalParameters.put(name, JsonWriter.text(item.any("value")));
    }
  }

  private void exchange(DefinitionItem item) {
    exchanges.add(
        new Definitions.Exchange(
            item.ownVhost(),
            Checks.name("exchange", item.text("name")),
            item.text("type"),
            item.flag("durable", true),
            item.flag("auto_delete", false),
            item.flag("internal", false),
            item.arguments()));
  }

  private void queue(DefinitionItem item) {
    queues.add(
        new Definitions.Queue(
            item.ownVhost(),
            Checks.name("queue", item.text("name")),
            item.flag("durable", true),
            item.flag("auto_delete", false),
            withType(item)));
  }

  /** Returns the arguments of a queue, with the type that is given beside them. */
  private static FieldTable withType(DefinitionItem item) {
    FieldTable arguments = item.arguments();
    return item.has("type") && arguments.get(QueueType.ARGUMENT) == null
        ? arguments.with(QueueType.ARGUMENT, FieldValue.of(item.text("type")))
        : arguments;
  }

  private void binding(DefinitionItem item) {
    String kind = item.text("destination_type");
    DestinationKind destination =
        switch (kind) {
          case "queue" -> DestinationKind.QUEUE;
          case "exchange" -> DestinationKind.EXCHANGE;
          default ->
              throw new IllegalArgumentException(
                  "'destination_type' is '" + kind + "': expected queue or exchange");
        };
    bindings.add(
        new Definitions.Bound(
            item.ownVhost(),
            new Binding(
                item.text("source"),
                destination,
                item.text("destination"),
                Checks.routingKey(item.text("routing_key")),
                item.arguments())));
  }
}
