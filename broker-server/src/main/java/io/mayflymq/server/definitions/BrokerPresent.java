package io.mayflymq.server.definitions;

import io.mayflymq.core.admin.Administration;
import io.mayflymq.core.admin.ParameterComponent;
import io.mayflymq.core.metadata.QueueDefinition;
import io.mayflymq.core.metadata.VhostDefinition;
import io.mayflymq.core.policy.Dialect;
import io.mayflymq.core.policy.Equivalence;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.security.User;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.DeclarationRules;
import io.mayflymq.core.vhost.QueueDeclaration;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.core.vhost.queue.AutoDeadLetterQueue;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.AmqpException;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** What a broker has, for an import into it. */
final class BrokerPresent implements Present {
  private final Broker broker;
  private final Administration administration;
  private final PolicyDefinitions policies;
  private final Set<String> users;

  BrokerPresent(Broker broker, Administration administration, PolicyDefinitions policies) {
    this.broker = broker;
    this.administration = administration;
    this.policies = policies;
    this.users = administration.users().list().stream().map(User::name).collect(Collectors.toSet());
  }

  @Override
  public boolean hasUser(String name) {
    return users.contains(name);
  }

  @Override
  public VhostDefinition vhost(String name) {
    VirtualHost found = broker.virtualHost(name);
    return found == null ? null : found.definition();
  }

  @Override
  public long roomForVhosts() {
    return (long) mostVhosts() - broker.virtualHosts().size();
  }

  @Override
  public int mostVhosts() {
    return broker.limits().vhosts();
  }

  @Override
  public ExchangeDefinition exchange(String vhost, String name) {
    VirtualHost found = broker.virtualHost(vhost);
    return found == null ? null : found.routing().exchange(name);
  }

  @Override
  public Standing queue(Definitions.Queue wanted, QueueDeclaration declaration) {
    VirtualHost vhost = broker.virtualHost(wanted.vhost());
    Queue current = current(wanted.vhost(), wanted.name());
    if (vhost == null || current == null) {
      return null;
    }
    try {
      requireEquivalent(wanted, current.definition(), vhost.dialect());
      return Standing.SAME;
    } catch (AmqpException e) {
      return vhost.takes(declaration, current)
          ? new Standing(true, null)
          : new Standing(false, e.detail());
    }
  }

  private static void requireEquivalent(
      Definitions.Queue wanted, QueueDefinition current, Dialect dialect) {
    Equivalence equivalence = new Equivalence("queue", wanted.name(), wanted.vhost());
    equivalence.check("exclusive", false, current.exclusive());
    equivalence.check("durable", wanted.durable(), current.durable());
    equivalence.check("auto_delete", wanted.autoDelete(), current.autoDelete());
    equivalence.checkQueueArguments(wanted.arguments(), current.arguments(), dialect);
  }

  @Override
  public boolean hasQueue(String vhost, String name) {
    return current(vhost, name) != null;
  }

  @Override
  public boolean isExclusive(String vhost, String name) {
    Queue queue = current(vhost, name);
    return queue != null && queue.owner() != null;
  }

  @Override
  public boolean isDeadLetterQueueOf(String vhost, String name, String parent) {
    return AutoDeadLetterQueue.isOf(current(vhost, name), parent);
  }

  private Queue current(String vhost, String name) {
    VirtualHost found = broker.virtualHost(vhost);
    return found == null ? null : found.routing().queue(name);
  }

  @Override
  public Optional<ParameterComponent> component(String name) {
    return administration.parameters().component(name);
  }

  @Override
  public boolean repeats(PolicyItem policy) {
    return policies.isRepeated(policy);
  }

  @Override
  public DeclarationRules rules(VhostDefinition vhost) {
    return broker.rulesBefore(vhost);
  }
}
