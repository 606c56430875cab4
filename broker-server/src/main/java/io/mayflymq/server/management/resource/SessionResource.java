package io.mayflymq.server.management.resource;

import io.mayflymq.core.security.Permissions;
import io.mayflymq.core.security.User;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Principal;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import io.mayflymq.server.management.auth.LoginSessions;
import io.mayflymq.server.management.auth.SessionCookie;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The login of the management page. The password comes as in all other requests, in {@code
 * Authorization}; so a wrong one is refused and delayed by the same rules, and nothing that a
 * stranger sends is read.
 */
public final class SessionResource {
  private final ManagedBroker managed;
  private final LoginSessions sessions;

  public SessionResource(ManagedBroker managed, LoginSessions sessions) {
    this.managed = managed;
    this.sessions = sessions;
  }

  public void addTo(RequestRouter requestRouter) {
    requestRouter
        .get("login", request -> Response.ok(rights(request.principal())))
        .post("login", this::login)
        .post("logout", this::logout);
  }

  private Response login(Request request) {
    User user = managed.accessControl().state().user(request.principal().user());
    if (user == null) {
      throw ApiException.badRequest("only a user with a password can have a session");
    }
    String token = sessions.begin(user);
    return new Response(
        200,
        rights(request.principal()),
        Map.of("set-cookie", SessionCookie.set(request.headers(), request.encrypted(), token)));
  }

  private Response logout(Request request) {
    String token = SessionCookie.token(request.headers(), request.encrypted());
    if (token != null) {
      sessions.end(token);
    }
    return new Response(
        204,
        null,
        Map.of("set-cookie", SessionCookie.clear(request.headers(), request.encrypted())));
  }

  /** Returns who the principal is, and the permissions in each virtual host. */
  private Map<String, Object> rights(Principal principal) {
    Map<String, Object> byVhost = new LinkedHashMap<>();
    for (VirtualHost vhost : managed.vhosts(principal)) {
      Permissions held =
          managed.accessControl().state().permissions(principal.user(), vhost.name());
      if (held != null) {
        byVhost.put(
            vhost.name(),
            Json.object(
                "configure", held.configure().source(),
                "write", held.write().source(),
                "read", held.read().source()));
      }
    }
    return Json.object("name", principal.user(), "tags", principal.tags(), "permissions", byVhost);
  }
}
