package io.mayflymq.server.definitions;

import io.mayflymq.core.admin.ParameterComponent;
import io.mayflymq.core.metadata.VhostDefinition;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.vhost.DeclarationRules;
import io.mayflymq.core.vhost.QueueDeclaration;
import io.mayflymq.shovel.Shovels;
import io.mayflymq.shovel.federation.Federation;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A broker with the default configuration and without anything, as the one that a document of a
 * whole broker is loaded into at its first start. A document without virtual hosts is one for a
 * broker that has them: then all that it names are there, and so are all users unless it has some.
 */
final class NothingPresent implements Present {
  private final boolean hasAllVhosts;
  private final boolean hasAllUsers;
  private final List<ParameterComponent> components = new ArrayList<>();

  NothingPresent(Definitions definitions) {
    hasAllVhosts = definitions.vhosts().isEmpty();
    hasAllUsers = hasAllVhosts && definitions.users().isEmpty();
    components.add(new Shovels());
    components.addAll(new Federation().components());
  }

  @Override
  public boolean hasUser(String name) {
    return hasAllUsers;
  }

  @Override
  public VhostDefinition vhost(String name) {
    return hasAllVhosts ? VhostDefinition.of(name) : null;
  }

  @Override
  public long roomForVhosts() {
    return Long.MAX_VALUE;
  }

  @Override
  public int mostVhosts() {
    return Integer.MAX_VALUE;
  }

  @Override
  public ExchangeDefinition exchange(String vhost, String name) {
    return null;
  }

  @Override
  public Standing queue(Definitions.Queue wanted, QueueDeclaration declaration) {
    return null;
  }

  @Override
  public boolean hasQueue(String vhost, String name) {
    return false;
  }

  @Override
  public boolean isExclusive(String vhost, String name) {
    return false;
  }

  @Override
  public boolean isDeadLetterQueueOf(String vhost, String name, String parent) {
    return false;
  }

  @Override
  public Optional<ParameterComponent> component(String name) {
    return components.stream().filter(component -> component.name().equals(name)).findFirst();
  }

  @Override
  public boolean repeats(PolicyItem policy) {
    return false;
  }

  @Override
  public DeclarationRules rules(VhostDefinition vhost) {
    return DeclarationRules.byDefault(vhost);
  }
}
