package io.mayflymq.server.connection;

import io.mayflymq.core.metadata.VhostDefinition;
import io.mayflymq.core.policy.PaceSettings.Rate;
import io.mayflymq.core.queue.Pace;
import io.mayflymq.core.security.AccessControl;
import io.mayflymq.core.security.Limit;
import io.mayflymq.core.security.Limits;
import io.mayflymq.core.security.SecurityState;
import io.mayflymq.core.security.User;
import io.mayflymq.core.vhost.VirtualHost;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How fast the clients of this node publish: the connections of a user together, and all in a
 * virtual host, if limits say so. Any thread may call.
 */
public final class PublishRates {
  /** Of what a rate lets pass in a second, a connection publishes so large a part at once. */
  private static final int PARTS = 20;

  private final Map<String, Shared> ofUsers = new ConcurrentHashMap<>();
  private final Map<String, Shared> ofVhosts = new ConcurrentHashMap<>();
  private final AccessControl accessControl;

  PublishRates(AccessControl accessControl) {
    this.accessControl = accessControl;
  }

  /** One rate, and what has passed. */
  private static final class Shared {
    private final Rate rate;
    private final Pace pace;

    Shared(Rate rate, long nowMillis) {
      this.rate = rate;
      this.pace = Pace.of(rate, null, nowMillis);
    }

    /** Lets messages pass as soon as they may, and returns when the last one does. */
    synchronized long passAt(long messages, long nowMillis) {
      long at = nowMillis;
      for (long i = 0; i < messages; i++) {
        at = pace.passAt(nowMillis);
      }
      return at;
    }
  }

  private static Shared of(Map<String, Shared> all, String name, Limits limits, long nowMillis) {
    Integer perSecond = limits.get(Limit.PUBLISH_RATE);
    if (perSecond == null || perSecond < 1) {
      all.remove(name);
      return null;
    }
    Integer burst = limits.get(Limit.PUBLISH_BURST);
    long atOnce = burst == null || burst < 1 ? perSecond : Math.min(burst, perSecond);
    Rate rate = new Rate(perSecond, atOnce);
    return all.compute(
        name,
        (key, before) ->
            before != null && before.rate.equals(rate) ? before : new Shared(rate, nowMillis));
  }

  /** Returns what keeps a connection to the rates. */
  OfConnection of(String user, VirtualHost vhost) {
    return new OfConnection(user, vhost);
  }

  /**
   * The rates of one connection. They are looked up again only when users or the virtual host have
   * changed. On the connection's loop.
   */
  final class OfConnection {
    private final String user;
    private final VirtualHost vhost;
    private SecurityState seenUsers;
    private VhostDefinition seenVhost;

    /** Null if there is no such rate. */
    private Shared ofUser;

    private Shared ofVhost;

    private OfConnection(String user, VirtualHost vhost) {
      this.user = user;
      this.vhost = vhost;
    }

    /** Looks the rates up. Returns whether there is one. */
    @SuppressWarnings("ReferenceEquality") // one object as long as nothing has changed
    boolean areSet(long nowMillis) {
      SecurityState users = accessControl.state();
      VhostDefinition definition = vhost.definition();
      if (users != seenUsers) {
        seenUsers = users;
        User known = users.user(user);
        ofUser = of(ofUsers, user, known == null ? Limits.NONE : known.limits(), nowMillis);
      }
      if (definition != seenVhost) {
        seenVhost = definition;
        ofVhost = of(ofVhosts, vhost.name(), definition.limits(), nowMillis);
      }
      return ofUser != null || ofVhost != null;
    }

    /** Looks the rates up. Returns whether they are those of before, and there is one. */
    @SuppressWarnings("ReferenceEquality") // one object as long as the rate is the same
    boolean areAsBefore(long nowMillis) {
      Shared userBefore = ofUser;
      Shared vhostBefore = ofVhost;
      return areSet(nowMillis) && ofUser == userBefore && ofVhost == vhostBefore;
    }

    /** Messages are published. Returns when the next ones may be, in ms since the epoch. */
    long published(long messages, long nowMillis) {
      long byUser = ofUser == null ? nowMillis : ofUser.passAt(messages, nowMillis);
      long byVhost = ofVhost == null ? nowMillis : ofVhost.passAt(messages, nowMillis);
      return Math.max(byUser, byVhost);
    }

    /** Returns how many messages the connection publishes at once, 1 or more. */
    long mostAtOnce() {
      return Math.min(mostAtOnce(ofUser), mostAtOnce(ofVhost));
    }

    private long mostAtOnce(Shared shared) {
      return shared == null
          ? Long.MAX_VALUE
          : Math.max(1, Math.min(shared.rate.burst(), shared.rate.perSecond() / PARTS));
    }
  }
}
