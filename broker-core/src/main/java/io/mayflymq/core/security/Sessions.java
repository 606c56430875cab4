package io.mayflymq.core.security;

import io.mayflymq.protocol.types.ConnectionException;
import io.mayflymq.protocol.types.ReplyCode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The connections that are open, by user and by virtual host: counted for the limits, and closed
 * when their user or virtual host goes. Any thread may call; the lock is held for some map
 * operations at a time, when connections and channels open and close.
 */
public final class Sessions {
  /**
   * How much may be open on this node at a time, all users and virtual hosts together.
   *
   * @param connections how many connections, 0 or more; {@link #UNLIMITED} for no limit
   * @param channels how many channels, 1 or more; {@link #UNLIMITED} for no limit
   */
  public record NodeLimits(int connections, int channels) {
    /** No limit. */
    public static final int UNLIMITED = Integer.MAX_VALUE;

    /** No limits at all. */
    public static final NodeLimits NONE = new NodeLimits(UNLIMITED, UNLIMITED);
  }

  /**
   * Is told when limits may have changed. Called by any thread, when the change is in force; one
   * change after the other.
   */
  public interface LimitsListener {
    /** Called when a user was declared anew, or is deleted. */
    void userChanged(String user);

    /** Called when a virtual host was declared anew, or is deleted. */
    void vhostChanged(String vhost);
  }

  private static final LimitsListener NO_LISTENER =
      new LimitsListener() {
        @Override
        public void userChanged(String user) {}

        @Override
        public void vhostChanged(String vhost) {}
      };

  private final AccessControl accessControl;
  private final Object lock = new Object();
  private final Map<String, Set<Session>> byUser = new HashMap<>();
  private final Map<String, Set<Session>> byVhost = new HashMap<>();
  private final Map<String, Integer> channels = new HashMap<>();
  private int allConnections;
  private int allChannels;
  private String node = "";
  private NodeLimits ofNode = NodeLimits.NONE;

  /** Why no client is let in; null if clients are. */
  private volatile String refusal;

  private volatile LimitsListener limitsListener = NO_LISTENER;

  /** No sessions yet; the limits of users are those of the access control's latest state. */
  public Sessions(AccessControl accessControl) {
    this.accessControl = accessControl;
  }

  /**
   * Sets the limits of the node, for what is opened from now on.
   *
   * @param name the name of the node, for errors
   */
  public void setNodeLimits(String name, NodeLimits limits) {
    synchronized (lock) {
      node = name;
      ofNode = limits;
    }
  }

  /** Sets who is told when limits may have changed, in the place of another one. */
  public void setLimitsListener(LimitsListener listener) {
    limitsListener = listener;
  }

  /** Tells that the limits of a user may have changed, or that it is deleted. */
  public void userChanged(String user) {
    limitsListener.userChanged(user);
  }

  /** Tells that the limits of a virtual host may have changed, or that it is deleted. */
  public void vhostChanged(String vhost) {
    limitsListener.vhostChanged(vhost);
  }

  /**
   * Refuses all clients from now on; those that are connected stay.
   *
   * @param reason what they are told; null if they are not refused any more
   */
  public void refuseAll(String reason) {
    refusal = reason;
  }

  /** Returns why all clients are refused; null if they are not. */
  public String refusal() {
    return refusal;
  }

  /**
   * Checks that clients are let in.
   *
   * @throws ConnectionException 530 NOT_ALLOWED if all are refused
   */
  public void requireOpen() {
    String reason = refusal;
    if (reason != null) {
      throw new ConnectionException(ReplyCode.NOT_ALLOWED, reason);
    }
  }

  /**
   * Counts a connection in. The caller checks afterwards whether its user and virtual host are
   * still there: one that is deleted meanwhile is either found gone, or closes the session.
   *
   * @param ofVhost the limits of its virtual host
   * @throws ConnectionException 530 NOT_ALLOWED if there are as many as allowed; then it is not in
   */
  public void enter(Session session, Limits ofVhost) {
    synchronized (lock) {
      String vhost = session.vhost();
      String user = session.user();
      int most = ofNode.connections();
      if (allConnections >= most) {
        throw new ConnectionException(
            ReplyCode.NOT_ALLOWED,
            "connection refused: node connection limit (%d) is reached".formatted(most));
      }
      if (!ofVhost.allow(Limit.MAX_CONNECTIONS, count(byVhost, vhost))) {
        throw new ConnectionException(
            ReplyCode.NOT_ALLOWED,
            "access to vhost '%s' refused for user '%s': connection limit (%d) is reached"
                .formatted(vhost, user, ofVhost.get(Limit.MAX_CONNECTIONS)));
      }
      Limits ofUser = limits(user);
      if (!ofUser.allow(Limit.MAX_CONNECTIONS, count(byUser, user))) {
        throw new ConnectionException(
            ReplyCode.NOT_ALLOWED,
            "connection refused for user '%s': user connection limit (%d) is reached"
                .formatted(user, ofUser.get(Limit.MAX_CONNECTIONS)));
      }
      byVhost.computeIfAbsent(vhost, absent -> new LinkedHashSet<>()).add(session);
      byUser.computeIfAbsent(user, absent -> new LinkedHashSet<>()).add(session);
      allConnections++;
    }
  }

  /** Counts a connection out; one that is not in is no error. */
  public void leave(Session session) {
    synchronized (lock) {
      remove(byVhost, session.vhost(), session);
      if (remove(byUser, session.user(), session)) {
        allConnections--;
      }
    }
  }

  /**
   * Counts a channel in.
   *
   * @throws ConnectionException 530 NOT_ALLOWED if the user or the node has as many as allowed;
   *     then it is not in
   */
  public void openChannel(String user) {
    synchronized (lock) {
      int open = channels.getOrDefault(user, 0);
      Limits limits = limits(user);
      if (!limits.allow(Limit.MAX_CHANNELS, open)) {
        throw new ConnectionException(
            ReplyCode.NOT_ALLOWED,
            ("number of channels opened for user '%s' has reached the maximum allowed user limit"
                    + " of %d")
                .formatted(user, limits.get(Limit.MAX_CHANNELS)));
      }
      if (allChannels >= ofNode.channels()) {
        throw new ConnectionException(
            ReplyCode.NOT_ALLOWED,
            "number of channels opened on node '%s' has reached the maximum allowed limit of %d"
                .formatted(node, ofNode.channels()));
      }
      channels.put(user, open + 1);
      allChannels++;
    }
  }

  /** Counts channels out. */
  public void closeChannels(String user, int count) {
    synchronized (lock) {
      channels.computeIfPresent(user, (name, open) -> open > count ? open - count : null);
      allChannels -= count;
    }
  }

  /** How many connections a user has open. */
  public int connectionsOf(String user) {
    synchronized (lock) {
      return count(byUser, user);
    }
  }

  /** How many connections are open to a virtual host. */
  public int connectionsTo(String vhost) {
    synchronized (lock) {
      return count(byVhost, vhost);
    }
  }

  /** Closes all connections of a user who is deleted. */
  public void closeAllOf(String user) {
    String reason = "user '" + user + "' is deleted";
    copy(byUser, user).forEach(session -> session.forceClose(reason));
  }

  /** Closes all connections to a virtual host that is deleted. */
  public void closeAllTo(String vhost) {
    String reason = "vhost '" + vhost + "' is deleted";
    copy(byVhost, vhost).forEach(session -> session.forceClose(reason));
  }

  private Limits limits(String user) {
    User known = accessControl.state().user(user);
    return known == null ? Limits.NONE : known.limits();
  }

  private List<Session> copy(Map<String, Set<Session>> sessions, String name) {
    synchronized (lock) {
      return new ArrayList<>(sessions.getOrDefault(name, Set.of()));
    }
  }

  private static int count(Map<String, Set<Session>> sessions, String name) {
    Set<Session> found = sessions.get(name);
    return found == null ? 0 : found.size();
  }

  private static boolean remove(Map<String, Set<Session>> sessions, String name, Session session) {
    Set<Session> found = sessions.get(name);
    boolean removed = found != null && found.remove(session);
    if (removed && found.isEmpty()) {
      sessions.remove(name);
    }
    return removed;
  }
}
