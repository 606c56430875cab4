package io.mayflymq.server.management.auth;

import io.mayflymq.core.security.AccessControl;
import io.mayflymq.core.security.AuthenticationResult;
import io.mayflymq.server.http.RequestHead;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Principal;
import java.net.InetAddress;
import java.util.Optional;

/**
 * Authenticates the management page by its session, and all other clients by their passwords.
 *
 * <p>The page marks its requests with the header X-Requested-With: mayfly, which a form cannot set,
 * and which a script of another site cannot set without the browser's own check. For a marked
 * request only the session counts, except for the login: a browser adds a password that it
 * remembers from elsewhere, and the page would seem to be logged in with it. Without the mark a
 * session may only read, so that a link can download a file.
 */
public final class SessionAuthenticator implements Authenticator {
  private final Authenticator users;
  private final LoginSessions sessions;
  private final AccessControl accessControl;

  /**
   * @param users authenticates requests with a password
   */
  public SessionAuthenticator(
      Authenticator users, LoginSessions sessions, AccessControl accessControl) {
    this.users = users;
    this.sessions = sessions;
    this.accessControl = accessControl;
  }

  /** Returns what authenticates users by their passwords. */
  public Authenticator users() {
    return users;
  }

  @Override
  public Login authenticate(RequestHead head) {
    boolean marked = Authenticator.isFromPage(head);
    boolean login = head.method().equals("POST") && head.path().equals("/api/login");
    if (login || (!marked && head.header("authorization") != null)) {
      return users.authenticate(head);
    }
    String token = BrowserCookie.SESSION.token(head.headers(), head.encrypted());
    Optional<Principal> user = token == null ? Optional.empty() : sessions.principal(token);
    if (user.isEmpty()) {
      return new Login.Missing();
    }
    if (!marked && !CrossSite.isReading(head.method())) {
      throw new ApiException(
          403, "forbidden", "a change by a session needs the header X-Requested-With: mayfly");
    }
    InetAddress address = head.peer().getAddress();
    AuthenticationResult.Refused refused = accessControl.refusalOf(user.get().user(), address);
    return refused == null
        ? new Login.Accepted(user.get().from(address))
        : new Login.Refused(refused.pauseMillis());
  }
}
