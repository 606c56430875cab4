package io.mayflymq.server.auth.ldap;

import com.unboundid.ldap.sdk.DN;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import io.mayflymq.server.auth.ldap.query.Directory;
import io.mayflymq.server.auth.ldap.query.UndecidedException;
import io.mayflymq.server.config.AuthLdapSettings;
import io.mayflymq.server.config.AuthLdapSettings.Bind;
import io.mayflymq.server.config.AuthLdapSettings.Lookup;
import io.mayflymq.server.config.AuthLdapSettings.Server;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An attempt to answer a question with one server, in a part of its time. It uses one connection at
 * a time, and is for one thread, but for {@link #abort}.
 */
final class LdapSession implements Directory, AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(LdapSession.class);

  private static final String NO_ATTRIBUTES = SearchRequest.NO_ATTRIBUTES;
  private static final int MOST_ENTRIES = 10_000;

  /** How many members are asked for in one search. */
  private static final int MOST_MEMBERS = 100;

  private final AuthLdapSettings settings;
  private final SSLContext context;
  private final LdapServers servers;
  private final Server server;
  private final long endNanos;
  private final CompletableFuture<Void> alarm = new CompletableFuture<>();

  /** Null as long as there is none. */
  private volatile LdapLink link;

  private volatile boolean isOver;

  /**
   * @param context null if there is no TLS
   * @param millis how long it may take
   */
  LdapSession(
      AuthLdapSettings settings,
      SSLContext context,
      LdapServers servers,
      Server server,
      long millis) {
    this.settings = settings;
    this.context = context;
    this.servers = servers;
    this.server = server;
    this.endNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    alarm.completeOnTimeout(null, millis, TimeUnit.MILLISECONDS).thenRun(this::abort);
  }

  /** Ends what it does, which fails then; any thread may call. */
  void abort() {
    isOver = true;
    LdapLink used = link;
    if (used != null) {
      used.abort();
    }
  }

  /** Returns whether it was ended, mostly as its time has passed. */
  boolean isOver() {
    return isOver;
  }

  /** Returns how much of its time is left, in ms. */
  private int left() throws ServerFailedException {
    long left = TimeUnit.NANOSECONDS.toMillis(endNanos - System.nanoTime());
    if (isOver || left <= 0) {
      throw new ServerFailedException("no answer in time", true, null);
    }
    return Math.toIntExact(left);
  }

  /** Returns whether it uses a connection that was open before. */
  boolean isReusing() {
    return link != null && link.isReused();
  }

  /**
   * Binds for what is asked from here on.
   *
   * @param bind not {@link Bind.Kind#AS_USER}
   */
  void actAs(Bind bind) throws UndecidedException, ServerFailedException {
    use(bind);
    if (bind.kind() == Bind.Kind.ACCOUNT && !link.isReused()) {
      String refusal = link.bind(bind.dn(), bind.password(), left());
      trace("bind", bind.dn(), refusal == null ? "yes" : refusal);
      if (refusal != null) {
        // It is not bound, and must not wait for the next use by this account.
        close(link);
        throw new UndecidedException("the directory refuses %s: %s".formatted(bind, refusal));
      }
    }
  }

  /**
   * Asks as the user from here on, who proves to be one.
   *
   * @param bind of the kind {@link Bind.Kind#AS_USER}
   * @return null if the directory agrees, else how it says no
   */
  String actAsUser(Bind bind, String name, String password)
      throws UndecidedException, ServerFailedException {
    use(bind);
    String refusal = link.bind(name, password, left());
    trace("bind", name, refusal == null ? "yes" : refusal);
    return refusal;
  }

  private void use(Bind bind) throws ServerFailedException {
    giveBack();
    link = servers.take(server, bind);
    if (link == null) {
      LdapLink fresh = new LdapLink(server, bind, settings, context, left());
      servers.beginOpen();
      link = fresh;
    }
    if (isOver) {
      link.abort();
    }
    if (!link.isOpen()) {
      link.open(left());
    }
  }

  private void giveBack() {
    if (link != null) {
      servers.give(link);
      link = null;
    }
  }

  /**
   * Returns the distinguished name of the one entry that has a value.
   *
   * @return null if there is none
   * @throws UndecidedException if there are several
   */
  String find(Lookup lookup, String value) throws UndecidedException, ServerFailedException {
    List<SearchResultEntry> found =
        link.search(
            lookup.base(),
            SearchScope.SUB,
            1,
            left(),
            Filter.createEqualityFilter(lookup.attribute(), value),
            NO_ATTRIBUTES);
    if (found.size() > 1) {
      throw new UndecidedException(
          "several entries below '%s' have '%s' as their %s"
              .formatted(lookup.base(), value, lookup.attribute()));
    }
    String dn = found.isEmpty() ? null : found.get(0).getDN();
    trace("look up", lookup.attribute() + "=" + value, dn == null ? "none" : dn);
    return dn;
  }

  @Override
  public boolean exists(String dn) throws UndecidedException, ServerFailedException {
    return has(dn, Filter.createPresenceFilter("objectClass"));
  }

  @Override
  public boolean has(String dn, String attribute, String value)
      throws UndecidedException, ServerFailedException {
    return has(dn, Filter.createEqualityFilter(attribute, value));
  }

  private boolean has(String dn, Filter filter) throws UndecidedException, ServerFailedException {
    boolean has = !link.search(dn, SearchScope.BASE, 1, left(), filter, NO_ATTRIBUTES).isEmpty();
    trace(filter.toString(), dn, has ? "yes" : "no");
    return has;
  }

  @Override
  public List<String> values(String dn, String attribute)
      throws UndecidedException, ServerFailedException {
    List<String> values = new ArrayList<>();
    for (SearchResultEntry entry :
        link.search(
            dn,
            SearchScope.BASE,
            1,
            left(),
            Filter.createPresenceFilter("objectClass"),
            attribute)) {
      String[] of = entry.getAttributeValues(attribute);
      values.addAll(of == null ? List.of() : List.of(of));
    }
    trace(attribute, dn, values.size() + " values");
    return values;
  }

  @Override
  public List<String> groupsOf(Collection<String> members, String attribute, boolean isOneLevel)
      throws UndecidedException, ServerFailedException {
    List<String> all = List.copyOf(members);
    List<String> groups = new ArrayList<>();
    for (int begin = 0; begin < all.size(); begin += MOST_MEMBERS) {
      List<Filter> filters =
          all.subList(begin, Math.min(begin + MOST_MEMBERS, all.size())).stream()
              .map(member -> Filter.createEqualityFilter(attribute, member))
              .toList();
      List<SearchResultEntry> found =
          link.search(
              settings.groupBase().orElseThrow(),
              isOneLevel ? SearchScope.ONE : SearchScope.SUB,
              MOST_ENTRIES,
              left(),
              Filter.createORFilter(filters),
              NO_ATTRIBUTES);
      if (found.size() > MOST_ENTRIES) {
        throw new UndecidedException("the user is in more than %d groups".formatted(MOST_ENTRIES));
      }
      for (SearchResultEntry entry : found) {
        groups.add(normalized(entry.getDN()));
      }
    }
    trace("groups", all.size() + " members", groups.size() + " groups");
    return groups;
  }

  @Override
  public String normalized(String dn) throws UndecidedException {
    try {
      return DN.normalize(dn);
    } catch (LDAPException e) {
      throw new UndecidedException("'%s' is no distinguished name".formatted(dn));
    }
  }

  private void trace(String what, String about, String answer) {
    if (settings.logs()) {
      LOGGER.info("LDAP server {}: {} of '{}': {}", server, what, about, answer);
    }
  }

  /** Keeps its connection for the next question. */
  void succeeded() {
    if (!isOver) {
      giveBack();
    }
  }

  @Override
  public void close() {
    alarm.cancel(false);
    LdapLink failed = link;
    if (failed != null) {
      failed.abort();
      close(failed);
    }
  }

  private void close(LdapLink closed) {
    link = null;
    servers.discard(closed);
  }
}
