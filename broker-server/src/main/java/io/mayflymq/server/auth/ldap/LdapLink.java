package io.mayflymq.server.auth.ldap;

import com.unboundid.ldap.sdk.ExtendedResult;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPConnectionOptions;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchResultListener;
import com.unboundid.ldap.sdk.SearchResultReference;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.SimpleBindRequest;
import com.unboundid.ldap.sdk.extensions.StartTLSExtendedRequest;
import io.mayflymq.server.auth.ForeignText;
import io.mayflymq.server.auth.ldap.query.UndecidedException;
import io.mayflymq.server.config.AuthLdapSettings;
import io.mayflymq.server.config.AuthLdapSettings.Bind;
import io.mayflymq.server.config.AuthLdapSettings.Encryption;
import io.mayflymq.server.config.AuthLdapSettings.Server;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;

/**
 * A connection to one server. For one thread at a time, but for {@link #abort}. After a {@link
 * ServerFailedException} it is of no further use.
 */
final class LdapLink {
  /** What a server may send at once: entries are asked for with the attributes that matter. */
  private static final int MOST_BYTES = 1 << 20;

  /** How a server says no to a name and a password. */
  private static final Set<ResultCode> REFUSALS =
      Set.of(
          ResultCode.INVALID_CREDENTIALS,
          ResultCode.NO_SUCH_OBJECT,
          ResultCode.INVALID_DN_SYNTAX,
          ResultCode.INAPPROPRIATE_AUTHENTICATION,
          ResultCode.INSUFFICIENT_ACCESS_RIGHTS,
          ResultCode.UNWILLING_TO_PERFORM,
          ResultCode.CONSTRAINT_VIOLATION);

  private final Server server;
  private final Bind bind;
  private final Dialer dialer;
  private final LDAPConnection connection;

  /** Null for no STARTTLS. */
  private final TlsSockets startTls;

  private boolean isOpen;
  private boolean isReused;
  private long unusedSinceNanos;

  /**
   * A connection that is not open yet.
   *
   * @param bind as whom it will be used
   * @param context null if there is no TLS
   * @param timeoutMillis how long opening it may take
   */
  LdapLink(
      Server server, Bind bind, AuthLdapSettings settings, SSLContext context, int timeoutMillis) {
    TlsSockets tls =
        context == null
            ? null
            : new TlsSockets(context, settings.tls(), server.host(), server.port());
    boolean startsLater = settings.encryption() == Encryption.STARTTLS;
    this.server = server;
    this.bind = bind;
    this.startTls = startsLater ? tls : null;
    this.dialer = new Dialer(startsLater ? null : tls, timeoutMillis);
    LDAPConnectionOptions options = new LDAPConnectionOptions();
    // Reads happen on the thread that asks, rather than on one for each connection.
    options.setUseSynchronousMode(true);
    options.setConnectTimeoutMillis(timeoutMillis);
    options.setResponseTimeoutMillis(timeoutMillis);
    options.setMaxMessageSize(MOST_BYTES);
    options.setFollowReferrals(false);
    options.setAbandonOnTimeout(false);
    options.setUseSchema(false);
    options.setUseLinger(false, 0);
    this.connection = new LDAPConnection(dialer, options);
  }

  Server server() {
    return server;
  }

  /** Returns as whom it is used. */
  Bind bind() {
    return bind;
  }

  boolean isOpen() {
    return isOpen;
  }

  /** Returns whether it was used for another question before. */
  boolean isReused() {
    return isReused;
  }

  long unusedSinceNanos() {
    return unusedSinceNanos;
  }

  /** Marks it as one that waits for its next use. */
  void rest(long nanos) {
    isReused = true;
    unusedSinceNanos = nanos;
  }

  /** Connects, encrypted if that is configured. */
  void open(int timeoutMillis) throws ServerFailedException {
    try {
      connection.connect(server.host(), server.port(), timeoutMillis);
    } catch (LDAPException e) {
      throw failed(e);
    }
    if (startTls != null) {
      startTls(timeoutMillis);
    }
    isOpen = true;
  }

  private void startTls(int timeoutMillis) throws ServerFailedException {
    try {
      StartTLSExtendedRequest request = new StartTLSExtendedRequest(startTls);
      request.setResponseTimeoutMillis(timeoutMillis);
      ExtendedResult result = connection.processExtendedOperation(request);
      if (!result.getResultCode().equals(ResultCode.SUCCESS)) {
        throw new LDAPException(result);
      }
    } catch (LDAPException e) {
      if (e.getResultCode().isClientSideResultCode()) {
        throw failed(e);
      }
      throw new ServerFailedException(
          "it refuses STARTTLS: " + text(e.getResultCode(), e.getDiagnosticMessage(), null),
          false,
          e);
    }
  }

  /**
   * Proves to be one by a password.
   *
   * @param name not empty, nor is the password: that would be an anonymous bind, which succeeds
   * @return null if the server agrees, else how it says no
   */
  String bind(String name, String password, int timeoutMillis)
      throws UndecidedException, ServerFailedException {
    if (name.isBlank() || password.isEmpty()) {
      throw new IllegalArgumentException("a bind without a name or a password proves nothing");
    }
    SimpleBindRequest request = new SimpleBindRequest(name, password);
    request.setResponseTimeoutMillis(timeoutMillis);
    try {
      connection.bind(request);
      return null;
    } catch (LDAPException e) {
      if (REFUSALS.contains(e.getResultCode())) {
        return text(e.getResultCode(), e.getDiagnosticMessage(), password);
      }
      throw undecided("the bind of '" + name + "'", e, password);
    }
  }

  /**
   * Searches.
   *
   * @param most how many entries are wanted; there is one more at most
   * @param attribute which the entries are to have
   * @return none if the base of the search is missing
   */
  List<SearchResultEntry> search(
      String base, SearchScope scope, int most, int timeoutMillis, Filter filter, String attribute)
      throws UndecidedException, ServerFailedException {
    Found found = new Found(most + 1);
    SearchRequest request = new SearchRequest(found, base, scope, filter, attribute);
    request.setResponseTimeoutMillis(timeoutMillis);
    try {
      connection.search(request);
    } catch (LDAPException e) {
      boolean hasEnough =
          e.getResultCode().equals(ResultCode.SIZE_LIMIT_EXCEEDED) && found.entries.size() > most;
      if (!e.getResultCode().equals(ResultCode.NO_SUCH_OBJECT) && !hasEnough) {
        throw undecided("a search at '" + base + "'", e, null);
      }
    }
    return found.entries;
  }

  /** Keeps entries up to a number, whatever a server sends. */
  private static final class Found implements SearchResultListener {
    private static final long serialVersionUID = 1L;

    private final transient List<SearchResultEntry> entries = new ArrayList<>();
    private final int most;

    Found(int most) {
      this.most = most;
    }

    @Override
    public void searchEntryReturned(SearchResultEntry entry) {
      if (entries.size() < most) {
        entries.add(entry);
      }
    }

    @Override
    public void searchReferenceReturned(SearchResultReference reference) {
      // Other servers' entries do not count.
    }
  }

  private static UndecidedException undecided(String what, LDAPException e, String secret)
      throws ServerFailedException {
    ResultCode code = e.getResultCode();
    if (code.isClientSideResultCode()
        || code.equals(ResultCode.BUSY)
        || code.equals(ResultCode.UNAVAILABLE)) {
      throw failed(e);
    }
    return new UndecidedException(
        "the directory answers %s by '%s'"
            .formatted(
                ForeignText.line(what, secret), text(code, e.getDiagnosticMessage(), secret)));
  }

  /** Returns how a server says something. */
  private static String text(ResultCode code, String diagnosis, String secret) {
    return diagnosis == null || diagnosis.isBlank()
        ? code.getName()
        : code.getName() + ": " + ForeignText.line(diagnosis.strip(), secret);
  }

  private static ServerFailedException failed(LDAPException e) {
    if (!e.getResultCode().isClientSideResultCode()) {
      return new ServerFailedException(
          "it answers '" + text(e.getResultCode(), e.getDiagnosticMessage(), null) + "'", false, e);
    }
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof SocketTimeoutException) {
        return new ServerFailedException("no answer in time", true, e);
      }
      if (cause instanceof UnknownHostException) {
        return new ServerFailedException("its name is not known", false, e);
      }
      if (cause instanceof ConnectException || cause instanceof NoRouteToHostException) {
        return new ServerFailedException("cannot connect: " + cause.getMessage(), false, e);
      }
      if (cause instanceof SSLException) {
        return new ServerFailedException(
            "no TLS: " + ForeignText.line(String.valueOf(cause.getMessage())), false, e);
      }
    }
    ResultCode code = e.getResultCode();
    return code.equals(ResultCode.TIMEOUT)
        ? new ServerFailedException("no answer in time", true, e)
        : new ServerFailedException(
            code.equals(ResultCode.DECODING_ERROR)
                ? "what it sends is not LDAP"
                : "the connection is lost (" + code.getName() + ")",
            false,
            e);
  }

  /** Ends whatever is done with it; any thread may call. */
  void abort() {
    dialer.abort();
  }

  /** Closes it in order. */
  void close() {
    try {
      connection.close();
    } finally {
      dialer.abort();
    }
  }
}
