package io.mayflymq.server.definitions;

import io.mayflymq.core.admin.ParameterComponent;
import io.mayflymq.core.metadata.VhostDefinition;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.vhost.DeclarationRules;
import io.mayflymq.core.vhost.QueueDeclaration;
import java.util.Optional;

/** What is there before definitions are imported: that of a broker, or nothing. */
interface Present {
  /** Returns whether there is a user of this name. */
  boolean hasUser(String name);

  /** Returns the virtual host of this name; null if there is none. */
  VhostDefinition vhost(String name);

  /** Returns how many more virtual hosts there may be. */
  long roomForVhosts();

  /** Returns the limit of virtual hosts, for the error's text. */
  int mostVhosts();

  /** Returns the exchange of this name; null if there is none. */
  ExchangeDefinition exchange(String vhost, String name);

  /**
   * Returns what becomes of the declaration of a queue that is there.
   *
   * @return null if there is no such queue
   */
  Standing queue(Definitions.Queue wanted, QueueDeclaration declaration);

  /** Returns whether there is a queue of this name. */
  boolean hasQueue(String vhost, String name);

  /** Returns whether there is a queue of this name that belongs to one connection. */
  boolean isExclusive(String vhost, String name);

  /** Returns whether there is a queue of this name that is the automatic one of another queue. */
  boolean isDeadLetterQueueOf(String vhost, String name, String parent);

  /** Returns the part of the broker that has parameters of this component. */
  Optional<ParameterComponent> component(String name);

  /** Returns whether a policy is a copy of one for many virtual hosts that is here, too. */
  boolean repeats(PolicyItem policy);

  /** Returns what new things in a virtual host must keep to. */
  DeclarationRules rules(VhostDefinition vhost);

  /**
   * What becomes of a declaration of something that is there.
   *
   * @param isAdopted whether it is to be made though they differ, as a policy says so
   * @param difference what differs; null if nothing does, or it is to be made
   */
  record Standing(boolean isAdopted, String difference) {
    static final Standing SAME = new Standing(false, null);
  }
}
