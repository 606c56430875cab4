package io.mayflymq.server.rate;

import io.mayflymq.core.security.AccessControl;
import io.mayflymq.core.security.Limits;
import io.mayflymq.core.security.Sessions;
import io.mayflymq.core.security.User;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.VirtualHost;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * How fast the clients of this node publish and get messages: the connections of a user together,
 * and all in a virtual host, if limits say so. Any thread may call.
 *
 * <p>What has passed is kept for as long as there is the rate, whether connections are open or not.
 */
public final class ClientRates implements Sessions.LimitsListener {
  private final Map<String, NamedRates> users = new ConcurrentHashMap<>();
  private final Map<String, NamedRates> vhosts = new ConcurrentHashMap<>();
  private final DeliveryTurns turns = new DeliveryTurns();
  private final Function<String, Limits> limitsOfUser;
  private final Function<String, Limits> limitsOfVhost;

  /** Creates them for the users and the virtual hosts of a broker. */
  public ClientRates(AccessControl accessControl, Broker broker) {
    this(
        name -> {
          User user = accessControl.state().user(name);
          return user == null ? Limits.NONE : user.limits();
        },
        name -> {
          VirtualHost vhost = broker.virtualHost(name);
          return vhost == null ? Limits.NONE : vhost.definition().limits();
        });
  }

  /**
   * Creates them.
   *
   * @param limitsOfUser returns the present limits of a user
   * @param limitsOfVhost returns those of a virtual host
   */
  ClientRates(Function<String, Limits> limitsOfUser, Function<String, Limits> limitsOfVhost) {
    this.limitsOfUser = limitsOfUser;
    this.limitsOfVhost = limitsOfVhost;
  }

  /** Returns what a connection is to keep to, until that is closed. */
  public ConnectionRates open(String user, String vhost) {
    return new ConnectionRates(
        enter(users, user, limitsOfUser),
        enter(vhosts, vhost, limitsOfVhost),
        turns,
        () -> {
          leave(users, user);
          leave(vhosts, vhost);
        });
  }

  private NamedRates enter(
      Map<String, NamedRates> all, String name, Function<String, Limits> limits) {
    return all.compute(
        name,
        (key, known) -> {
          NamedRates rates = known == null ? new NamedRates() : known;
          rates.set(limits.apply(name), turns);
          rates.count(1);
          return rates;
        });
  }

  private static void leave(Map<String, NamedRates> all, String name) {
    all.computeIfPresent(
        name,
        (key, rates) -> {
          rates.count(-1);
          return rates.isIdle() ? null : rates;
        });
  }

  @Override
  public void userChanged(String user) {
    changed(users, user, limitsOfUser);
  }

  @Override
  public void vhostChanged(String vhost) {
    changed(vhosts, vhost, limitsOfVhost);
  }

  private void changed(Map<String, NamedRates> all, String name, Function<String, Limits> limits) {
    all.computeIfPresent(
        name,
        (key, rates) -> {
          rates.set(limits.apply(name), turns);
          return rates.isIdle() ? null : rates;
        });
  }

  /** Returns of how many users and virtual hosts something is kept. */
  int size() {
    return users.size() + vhosts.size();
  }
}
