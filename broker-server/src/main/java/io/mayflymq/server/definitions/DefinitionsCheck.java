package io.mayflymq.server.definitions;

import io.mayflymq.core.admin.AdministrationException;
import io.mayflymq.core.admin.Parameter;
import io.mayflymq.core.admin.ParameterComponent;
import io.mayflymq.core.metadata.Actor;
import io.mayflymq.core.metadata.VhostDefinition;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyException;
import io.mayflymq.core.policy.QueueType;
import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.routing.DestinationKind;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.routing.ExchangeType;
import io.mayflymq.core.security.Limits;
import io.mayflymq.core.security.User;
import io.mayflymq.core.vhost.DeclarationRules;
import io.mayflymq.core.vhost.queue.AutoDeadLetterQueue;
import io.mayflymq.core.vhost.queue.Preconditions;
import io.mayflymq.protocol.types.AmqpException;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.server.json.JsonReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Checks a whole document against what is there: what an import would do, as far as that is known
 * before. Changes nothing. An import does what is accepted, and a lint looks at it.
 */
final class DefinitionsCheck {
  /** What is the matter with an item that is not accepted. */
  enum Fault {
    /** It can never be imported. */
    WRONG,
    /** This broker does not have what it needs. */
    UNSUPPORTED,
    /** It is a binding from or to something that neither the document nor the broker has. */
    DANGLING,
    /** It is there with other properties, and stays as it is. */
    DIFFERENT
  }

  /**
   * An item that is not accepted.
   *
   * @param label names it
   * @param what what is the matter
   */
  record Finding(Fault fault, String label, String what) {
    String line() {
      return label + ": " + what;
    }
  }

  private record Place(String vhost, String name) {}

  private final Present present;
  private final Definitions definitions;
  private final Actor actor;
  private final List<Finding> findings = new ArrayList<>();
  private final Map<String, VhostDefinition> newVhosts = new LinkedHashMap<>();
  private final Map<String, User> users = new HashMap<>();
  private final Map<String, DeclarationRules> rules = new HashMap<>();
  private final Map<Place, Definitions.Exchange> exchangesSeen = new HashMap<>();
  private final Map<Place, ExchangeDefinition> exchangesTaken = new HashMap<>();
  private final Map<Place, Definitions.Queue> queuesSeen = new LinkedHashMap<>();

  private final List<VhostDefinition> vhosts = new ArrayList<>();
  private final List<Definitions.Grant> permissions = new ArrayList<>();
  private final List<Definitions.TopicGrant> topicPermissions = new ArrayList<>();
  private final Map<String, Limits> vhostLimits = new LinkedHashMap<>();
  private final List<Parameter> parameters = new ArrayList<>();
  private final List<PolicyItem> policies = new ArrayList<>();
  private final List<Definitions.Exchange> exchanges = new ArrayList<>();
  private final List<Definitions.Queue> queues = new ArrayList<>();
  private final List<Definitions.Bound> bindings = new ArrayList<>();

  private DefinitionsCheck(Definitions definitions, Present present, Actor actor) {
    this.definitions = definitions;
    this.present = present;
    this.actor = actor;
  }

  /**
   * Checks a document.
   *
   * @param actor who would declare its queues
   */
  static DefinitionsCheck of(Definitions definitions, Present present, Actor actor) {
    DefinitionsCheck check = new DefinitionsCheck(definitions, present, actor);
    check.run();
    return check;
  }

  /** Returns what is not accepted, in the order of the document's sections. */
  List<Finding> findings() {
    return findings;
  }

  /** Returns the document without what is not accepted, and without what is there already. */
  Definitions accepted() {
    return new Definitions(
        vhosts,
        definitions.users(),
        permissions,
        topicPermissions,
        vhostLimits,
        definitions.globalParameters(),
        parameters,
        policies,
        exchanges,
        queues,
        bindings,
        definitions.skipped(),
        definitions.unknown(),
        definitions.problems());
  }

  private void run() {
    definitions.users().forEach(user -> users.put(user.name(), user));
    definitions.vhosts().forEach(this::vhost);
    definitions.permissions().forEach(this::permissions);
    definitions.topicPermissions().forEach(this::topicPermissions);
    definitions.vhostLimits().forEach(this::vhostLimits);
    definitions.parameters().forEach(this::parameter);
    definitions.policies().forEach(this::policy);
    definitions.exchanges().forEach(this::exchange);
    definitions.queues().forEach(this::queue);
    queues.removeIf(this::lacksParent);
    queues.removeIf(this::findsItsNameTaken);
    definitions.bindings().forEach(this::binding);
  }

  private void found(Fault fault, String label, String what) {
    findings.add(new Finding(fault, label, what));
  }

  private void wrong(String label, String what) {
    found(Fault.WRONG, label, what);
  }

  private void vhost(VhostDefinition vhost) {
    if (present.vhost(vhost.name()) == null
        && !newVhosts.containsKey(vhost.name())
        && newVhosts.size() >= present.roomForVhosts()) {
      wrong(
          "virtual host '" + vhost.name() + "'",
          AdministrationException.tooManyVhosts(vhost.name(), present.mostVhosts()).getMessage());
      return;
    }
    if (present.vhost(vhost.name()) == null) {
      newVhosts.put(vhost.name(), vhost);
    }
    vhosts.add(vhost);
  }

  private boolean vhostIsMissing(String label, String vhost) {
    boolean missing = definitionOf(vhost) == null;
    if (missing) {
      wrong(label, "Virtual host '" + vhost + "' does not exist");
    }
    return missing;
  }

  /** Returns what a virtual host is, or will be; null if there is none. */
  private VhostDefinition definitionOf(String vhost) {
    VhostDefinition fresh = newVhosts.get(vhost);
    return fresh == null ? present.vhost(vhost) : fresh;
  }

  private DeclarationRules rules(String vhost) {
    return rules.computeIfAbsent(vhost, name -> present.rules(definitionOf(name)));
  }

  private boolean userIsMissing(String label, String user) {
    boolean missing = !users.containsKey(user) && !present.hasUser(user);
    if (missing) {
      wrong(label, "User \"" + user + "\" does not exist");
    }
    return missing;
  }

  private void permissions(Definitions.Grant grant) {
    if (!vhostIsMissing(grant.label(), grant.vhost())
        && !userIsMissing(grant.label(), grant.user())) {
      permissions.add(grant);
    }
  }

  private void topicPermissions(Definitions.TopicGrant grant) {
    if (!vhostIsMissing(grant.label(), grant.vhost())
        && !userIsMissing(grant.label(), grant.user())) {
      topicPermissions.add(grant);
    }
  }

  private void vhostLimits(String vhost, Limits limits) {
    if (!vhostIsMissing(Definitions.labelOfLimits(vhost), vhost)) {
      vhostLimits.put(vhost, limits);
    }
  }

  /** One of an unknown component is kept without effect, so that an export has it again. */
  private void parameter(Parameter parameter) {
    String label = Definitions.label(parameter);
    if (vhostIsMissing(label, parameter.vhost())) {
      return;
    }
    Optional<ParameterComponent> component = present.component(parameter.component());
    List<String> problems =
        component.isPresent()
            ? component
                .get()
                .problems(parameter.name(), JsonReader.stored(parameter.json()), vhost -> true)
            : List.of();
    if (problems.isEmpty()) {
      parameters.add(parameter);
    } else {
      wrong(label, String.join("; ", problems));
    }
  }

  private void policy(PolicyItem item) {
    if (!item.isForVhosts() && vhostIsMissing(item.label(), item.vhost())) {
      return;
    }
    if (present.repeats(item)) {
      return;
    }
    try {
      Policy policy = PolicyDefinitions.policy(item);
      // What is denied is so in the whole broker, and no name of a virtual host matters.
      (item.isForVhosts() ? present.rules(VhostDefinition.of("/")) : rules(item.vhost()))
          .check(policy);
      policies.add(item);
    } catch (PolicyException e) {
      wrong(item.label(), e.getMessage());
    } catch (AmqpException e) {
      wrong(item.label(), e.detail());
    }
  }

  private void exchange(Definitions.Exchange exchange) {
    String label = exchange.label();
    if (vhostIsMissing(label, exchange.vhost())) {
      return;
    }
    ExchangeType type = ExchangeType.ofWireName(exchange.type());
    if (type == null) {
      found(
          Fault.UNSUPPORTED,
          label,
          "exchange type '" + exchange.type() + "' is not supported by this broker");
      return;
    }
    Place place = new Place(exchange.vhost(), exchange.name());
    Definitions.Exchange other = exchangesSeen.putIfAbsent(place, exchange);
    if (other != null && !other.equals(exchange)) {
      wrong(label, "it is in the document twice, with different properties");
      return;
    }
    ExchangeDefinition wanted = exchange.definition(type);
    ExchangeDefinition current = currentExchange(place);
    if (current != null) {
      if (!current.equals(wanted)) {
        found(
            exchange.name().startsWith(Preconditions.RESERVED_PREFIX)
                ? Fault.WRONG
                : Fault.DIFFERENT,
            label,
            "exists and is declared otherwise");
      }
      return;
    }
    try {
      rules(exchange.vhost()).check(wanted);
      exchangesTaken.putIfAbsent(place, wanted);
      exchanges.add(exchange);
    } catch (AmqpException e) {
      exchangesSeen.remove(place);
      wrong(label, e.detail());
    }
  }

  /** Each virtual host has the predeclared ones from the beginning. */
  private ExchangeDefinition currentExchange(Place place) {
    ExchangeDefinition found = present.exchange(place.vhost(), place.name());
    return found != null
        ? found
        : ExchangeDefinition.predeclared().stream()
            .filter(exchange -> exchange.name().equals(place.name()))
            .findFirst()
            .orElse(null);
  }

  private void queue(Definitions.Queue queue) {
    String label = queue.label();
    if (vhostIsMissing(label, queue.vhost())) {
      return;
    }
    if (isOfOtherType(queue)) {
      found(Fault.UNSUPPORTED, label, whyNot(queue));
      return;
    }
    Place place = new Place(queue.vhost(), queue.name());
    Definitions.Queue other = queuesSeen.putIfAbsent(place, queue);
    if (other != null && !sameQueue(other, queue)) {
      wrong(label, "it is in the document twice, with different properties");
      return;
    }
    Present.Standing standing = present.queue(queue, queue.declaration(actor));
    if (standing != null) {
      if (standing.isAdopted()) {
        queues.add(queue);
      } else if (standing.difference() != null) {
        found(Fault.DIFFERENT, label, "exists and is declared otherwise: " + standing.difference());
      }
      return;
    }
    String whyNot = whyNot(queue);
    if (whyNot == null) {
      queues.add(queue);
    } else {
      queuesSeen.remove(place);
      wrong(label, whyNot);
    }
  }

  /** Returns why a queue cannot be declared; null if it can. */
  private String whyNot(Definitions.Queue queue) {
    try {
      if (queue.parent().isEmpty()) {
        rules(queue.vhost()).queue(queue.declaration(actor));
      }
      return null;
    } catch (AmqpException e) {
      return e.detail();
    }
  }

  private static boolean sameQueue(Definitions.Queue one, Definitions.Queue other) {
    return one.durable() == other.durable()
        && one.autoDelete() == other.autoDelete()
        && withType(one.arguments()).equals(withType(other.arguments()));
  }

  private static FieldTable withType(FieldTable arguments) {
    return arguments.with(QueueType.ARGUMENT, FieldValue.of(QueueType.of(arguments).wireName()));
  }

  private static boolean isOfOtherType(Definitions.Queue queue) {
    return queue.arguments().get(QueueType.ARGUMENT) instanceof FieldValue.LongString type
        && QueueType.ofWireName(type.string()).isEmpty();
  }

  /** An automatic dead letter queue comes with its queue, or after it. */
  private boolean lacksParent(Definitions.Queue queue) {
    Optional<String> parent = queue.parent();
    if (parent.isEmpty() || queueExists(queue.vhost(), parent.get())) {
      return false;
    }
    queuesSeen.remove(new Place(queue.vhost(), queue.name()));
    wrong(queue.label(), new Preconditions(queue.vhost()).noQueue(parent.get()).detail());
    return true;
  }

  /** Its automatic dead letter queue comes with it, unless another queue has the name. */
  private boolean findsItsNameTaken(Definitions.Queue queue) {
    if (!AutoDeadLetterQueue.AUTO.equals(queue.arguments().get(AutoDeadLetterQueue.ARGUMENT))
        || present.hasQueue(queue.vhost(), queue.name())) {
      return false;
    }
    String own = AutoDeadLetterQueue.nameOf(queue.name());
    Definitions.Queue other = queuesSeen.get(new Place(queue.vhost(), own));
    boolean isTaken =
        other == null
            ? present.hasQueue(queue.vhost(), own)
                && !present.isDeadLetterQueueOf(queue.vhost(), own, queue.name())
            : !other.parent().equals(Optional.of(queue.name()));
    if (isTaken) {
      queuesSeen.remove(new Place(queue.vhost(), queue.name()));
      wrong(
          queue.label(),
          "its automatic dead letter queue would be '%s', and that is another queue"
              .formatted(own));
    }
    return isTaken;
  }

  private void binding(Definitions.Bound bound) {
    Binding binding = bound.binding();
    String label = bound.label();
    // Every queue is bound to the default exchange automatically; some exporters list these
    // bindings.
    if (binding.source().isEmpty() || vhostIsMissing(label, bound.vhost())) {
      return;
    }
    ExchangeDefinition source = exchangeOf(bound.vhost(), binding.source());
    if (source == null) {
      found(Fault.DANGLING, label, "there is no such exchange");
      return;
    }
    boolean destinationExists =
        binding.destinationKind() == DestinationKind.EXCHANGE
            ? exchangeOf(bound.vhost(), binding.destination()) != null
            : queueExists(bound.vhost(), binding.destination());
    if (!destinationExists) {
      found(Fault.DANGLING, label, "there is no such " + binding.destinationKind());
      return;
    }
    if (binding.destinationKind() == DestinationKind.QUEUE
        && present.isExclusive(bound.vhost(), binding.destination())) {
      wrong(label, new Preconditions(bound.vhost()).locked(binding.destination()).detail());
      return;
    }
    try {
      rules(bound.vhost()).check(binding, source);
      bindings.add(bound);
    } catch (AmqpException e) {
      wrong(label, e.detail());
    }
  }

  private ExchangeDefinition exchangeOf(String vhost, String name) {
    Place place = new Place(vhost, name);
    ExchangeDefinition fresh = exchangesTaken.get(place);
    return fresh == null ? currentExchange(place) : fresh;
  }

  private boolean queueExists(String vhost, String name) {
    return queuesSeen.containsKey(new Place(vhost, name)) || present.hasQueue(vhost, name);
  }
}
