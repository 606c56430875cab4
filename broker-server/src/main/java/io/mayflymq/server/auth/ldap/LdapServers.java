package io.mayflymq.server.auth.ldap;

import io.mayflymq.server.config.AuthLdapSettings;
import io.mayflymq.server.config.AuthLdapSettings.Bind;
import io.mayflymq.server.config.AuthLdapSettings.Server;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The servers of the directory, and the open connections that wait for their next use. One that did
 * not answer in time is asked after all others for a while. Thread-safe.
 */
final class LdapServers {
  private static final Logger LOGGER = LoggerFactory.getLogger(LdapServers.class);

  /** How long one that did not answer is asked last. */
  static final long AVOIDED_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final List<Server> servers;
  private final int mostConnections;
  private final int idleMillis;
  private final Executor threads;
  private final LongSupplier nanos;

  /** Guarded by this, as is all that follows: until when a server is asked last. */
  private final Map<Server, Long> avoided = new HashMap<>();

  /** The one that was used last is the first. */
  private final Deque<LdapLink> idle = new ArrayDeque<>();

  private int open;
  private boolean isSweepPlanned;
  private boolean closed;

  /**
   * @param threads closes what was not used for long
   * @param nanos a time that nothing sets
   */
  LdapServers(AuthLdapSettings settings, Executor threads, LongSupplier nanos) {
    this.servers = settings.servers();
    this.mostConnections = settings.mostConnections();
    this.idleMillis = settings.idleMillis();
    this.threads = threads;
    this.nanos = nanos;
  }

  /** Returns the servers in the order in which they are to be asked now. */
  synchronized List<Server> inOrder() {
    long now = nanos.getAsLong();
    List<Server> order = new ArrayList<>(servers);
    order.sort(Comparator.comparing(server -> isAvoided(server, now)));
    return order;
  }

  private boolean isAvoided(Server server, long now) {
    Long until = avoided.get(server);
    return until != null && now - until < 0;
  }

  /** A server did not answer in time. */
  void wasSilent(Server server) {
    boolean isNews;
    synchronized (this) {
      long now = nanos.getAsLong();
      isNews = !isAvoided(server, now);
      avoided.put(server, now + AVOIDED_NANOS);
    }
    if (isNews && servers.size() > 1) {
      LOGGER.warn(
          "LDAP server {} did not answer in time: it is asked after the others for {} s",
          server,
          TimeUnit.NANOSECONDS.toSeconds(AVOIDED_NANOS));
    }
  }

  /** A server has answered. */
  synchronized void hasAnswered(Server server) {
    avoided.remove(server);
  }

  /** Returns an open connection; null if there is none. */
  synchronized LdapLink take(Server server, Bind bind) {
    for (Iterator<LdapLink> links = idle.iterator(); links.hasNext(); ) {
      LdapLink link = links.next();
      if (link.server().equals(server) && link.bind().equals(bind) && !isOld(link)) {
        links.remove();
        return link;
      }
    }
    return null;
  }

  /** Makes room for another connection that will be open. */
  void beginOpen() {
    LdapLink eldest = null;
    synchronized (this) {
      if (open >= mostConnections) {
        eldest = idle.pollLast();
      }
      open += eldest == null ? 1 : 0;
    }
    if (eldest != null) {
      eldest.close();
    }
  }

  /** A connection is not used any more. */
  void discard(LdapLink link) {
    synchronized (this) {
      open--;
    }
    link.close();
  }

  /** Keeps a connection for its next use. */
  void give(LdapLink link) {
    boolean isKept;
    boolean plansSweep;
    synchronized (this) {
      isKept = !closed;
      plansSweep = isKept && !isSweepPlanned;
      if (isKept) {
        link.rest(nanos.getAsLong());
        idle.addFirst(link);
        isSweepPlanned = true;
      }
    }
    if (!isKept) {
      discard(link);
    } else if (plansSweep) {
      planSweep();
    }
  }

  private void planSweep() {
    CompletableFuture.delayedExecutor(idleMillis, TimeUnit.MILLISECONDS, threads)
        .execute(this::sweep);
  }

  private void sweep() {
    List<LdapLink> old = new ArrayList<>();
    boolean goesOn;
    synchronized (this) {
      while (!idle.isEmpty() && isOld(idle.peekLast())) {
        old.add(idle.pollLast());
      }
      goesOn = !idle.isEmpty();
      isSweepPlanned = goesOn;
    }
    old.forEach(this::discard);
    if (goesOn) {
      planSweep();
    }
  }

  private boolean isOld(LdapLink link) {
    return nanos.getAsLong() - link.unusedSinceNanos() >= TimeUnit.MILLISECONDS.toNanos(idleMillis);
  }

  /** Closes the connections to a server that are not in use: they are probably lost. */
  void closeIdle(Server server) {
    List<LdapLink> lost = new ArrayList<>();
    synchronized (this) {
      idle.removeIf(link -> link.server().equals(server) && lost.add(link));
    }
    lost.forEach(LdapLink::abort);
    lost.forEach(this::discard);
  }

  /** Returns how many connections are open or being opened. */
  synchronized int open() {
    return open;
  }

  /** Closes all connections that are not in use, and keeps no more. */
  void close() {
    synchronized (this) {
      closed = true;
    }
    servers.forEach(this::closeIdle);
  }
}
