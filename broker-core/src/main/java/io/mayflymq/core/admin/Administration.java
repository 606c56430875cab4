package io.mayflymq.core.admin;

import io.mayflymq.core.metadata.BrokerEvents;
import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataCommand.PermissionsSet;
import io.mayflymq.core.metadata.MetadataCommand.TopicPermissionsSet;
import io.mayflymq.core.metadata.MetadataCommand.UserDeclared;
import io.mayflymq.core.metadata.MetadataCommand.VhostDeclared;
import io.mayflymq.core.metadata.MetadataCommand.VhostPolicySet;
import io.mayflymq.core.metadata.MetadataLog;
import io.mayflymq.core.metadata.VhostDefinition;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.security.AccessControl;
import io.mayflymq.core.security.Limits;
import io.mayflymq.core.security.Sessions;
import io.mayflymq.core.security.User;
import io.mayflymq.core.vhost.Broker;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Administrative operations on a running broker.
 *
 * <p>Any thread may call. A method checks everything before it changes anything, and throws
 * AdministrationException at once if something is wrong. The change is effective, and safe, when
 * its future completes; the future fails with a ConnectionException 541 if the change could not be
 * made safe, and then nothing has changed. If a check fails because of another change that is still
 * being written, the error is reported through the future. Changes become effective in the order in
 * which they were made; reading never waits.
 */
public final class Administration {
  private static final Logger LOGGER = LoggerFactory.getLogger(Administration.class);

  private final ChangeLog changes;
  private final Broker broker;
  private final VhostAdministration vhosts;
  private final UserAdministration users;
  private final PermissionAdministration permissions;
  private final GlobalParameters globalParameters;
  private final Parameters parameters;
  private final PoliciesForVhosts policies;

  /**
   * The administration of a broker.
   *
   * @param log stores changes
   * @param accessControl receives the changes of users and permissions
   * @param sessions the open connections
   * @param defaults what new virtual hosts get
   */
  public Administration(
      Broker broker,
      MetadataLog log,
      AccessControl accessControl,
      Sessions sessions,
      VhostDefaults defaults) {
    this.changes = new ChangeLog(log, accessControl, broker, sessions);
    this.broker = broker;
    this.vhosts = new VhostAdministration(changes, broker, defaults);
    this.users = new UserAdministration(changes);
    this.permissions = new PermissionAdministration(changes);
    this.globalParameters = new GlobalParameters(changes);
    this.parameters = new Parameters(changes);
    this.policies = new PoliciesForVhosts(changes, broker);
  }

  /**
   * Recovers virtual hosts, users, permissions and parameters. Called before the first client
   * connects, and before {@link Broker#recover}.
   *
   * @param kept the commands from the metadata log
   * @return whether there were none: the broker is new
   */
  public boolean recover(List<MetadataCommand> kept) {
    boolean isNew = true;
    AdministrationState state = changes.current();
    broker.setPoliciesForVhosts(policiesForVhosts(kept));
    for (MetadataCommand command : kept) {
      state = state.after(command);
      if (command instanceof VhostDeclared declared) {
        broker.createVirtualHost(declared.definition());
        isNew = false;
      } else if (command instanceof UserDeclared) {
        isNew = false;
      } else if (command instanceof PermissionsSet set) {
        tellOf(set.permissions().problem(), "permission", set.user(), set.vhost());
      } else if (command instanceof TopicPermissionsSet set) {
        tellOf(set.permissions().problem(), "topic permission", set.user(), set.vhost());
      }
    }
    changes.restore(state);
    return isNew;
  }

  private static List<Policy> policiesForVhosts(List<MetadataCommand> kept) {
    List<Policy> policies = new ArrayList<>();
    for (MetadataCommand command : kept) {
      if (command instanceof VhostPolicySet set) {
        policies.add(set.policy());
        if (set.policy().problem() != null) {
          LOGGER.warn("{} applies to nothing: {}", set.policy(), set.policy().problem());
        }
      }
    }
    return policies;
  }

  private static void tellOf(String problem, String what, String user, String vhost) {
    if (problem != null) {
      LOGGER.warn("a {} of user '{}' in vhost '{}' allows nothing: {}", what, user, vhost, problem);
    }
  }

  /**
   * Carries out administrative commands whose turn has come in a cluster. Any thread may call; the
   * order of the calls is the order of the changes.
   *
   * @param origin what {@link io.mayflymq.core.metadata.ChangeOrdering#propose} was given; null if
   *     they were requested on another node, where events tell of them
   * @return completed when they are effective; fails with {@link
   *     io.mayflymq.core.metadata.CommittedState.UndoneException} if they do not fit
   */
  public CompletableFuture<Void> apply(List<? extends MetadataCommand> commands, Object origin) {
    return changes.apply(commands, origin == null ? BrokerEvents.NONE : broker.events());
  }

  /**
   * Creates the first virtual host and user of a new broker, and waits until they are safe.
   *
   * @param configure regular expressions over the names that he may declare ...
   * @param write ... publish to ...
   * @param read ... and consume from
   */
  public void createDefaults(String vhost, User user, String configure, String write, String read) {
    vhosts
        .put(
            new VhostDefinition(
                vhost, "Default virtual host", List.of(), "", Optional.empty(), Limits.NONE, false))
        .thenCompose(added -> users.put(user.name(), user.passwordHash(), user.tags()))
        .thenCompose(added -> permissions.set(user.name(), vhost, configure, write, read))
        .join();
  }

  /** Virtual hosts and their limits. */
  public VhostAdministration vhosts() {
    return vhosts;
  }

  /** Users, their passwords, tags and limits. */
  public UserAdministration users() {
    return users;
  }

  /** Permissions and topic permissions. */
  public PermissionAdministration permissions() {
    return permissions;
  }

  /** Global parameters. */
  public GlobalParameters globalParameters() {
    return globalParameters;
  }

  /** Policies for many virtual hosts. */
  public PoliciesForVhosts policies() {
    return policies;
  }

  /** Parameters of components. */
  public Parameters parameters() {
    return parameters;
  }
}
