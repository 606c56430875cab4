package io.mayflymq.server.management.resource;

import io.mayflymq.core.security.Permissions;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Principal;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import io.mayflymq.server.management.auth.BrowserCookie;
import io.mayflymq.server.management.auth.LoginSessions;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NoSuchElementException;

/**
 * The login of the management page. The password comes as in all other requests, in {@code
 * Authorization}; so a wrong one is refused and delayed by the same rules, and nothing that a
 * stranger sends is read.
 */
public final class SessionResource {
  private static final Map<String, Object> EVERYTHING =
      Json.object("configure", ".*", "write", ".*", "read", ".*");

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
    if (request.principal().control()) {
      throw noSession();
    }
    String token;
    try {
      token = sessions.begin(request.principal());
    } catch (NoSuchElementException e) {
      throw noSession();
    }
    return new Response(
        200,
        rights(request.principal()),
        Map.of(
            "set-cookie",
            BrowserCookie.SESSION.set(request.headers(), request.encrypted(), token)));
  }

  private static ApiException noSession() {
    return ApiException.badRequest("only a user with a password can have a session");
  }

  private Response logout(Request request) {
    String token = BrowserCookie.SESSION.token(request.headers(), request.encrypted());
    if (token != null) {
      sessions.end(token);
    }
    return new Response(
        204,
        null,
        Map.of("set-cookie", BrowserCookie.SESSION.clear(request.headers(), request.encrypted())));
  }

  /**
   * Returns who the principal is, and the permissions in each virtual host. Those of a user whom a
   * service knows cannot be listed: as far as the page is concerned they are all, and the service
   * decides when one is needed.
   */
  private Map<String, Object> rights(Principal principal) {
    Map<String, Object> byVhost = new LinkedHashMap<>();
    if (!principal.isInternal()) {
      managed.enterable(principal).forEach(vhost -> byVhost.put(vhost.name(), EVERYTHING));
      return rights(principal, byVhost);
    }
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
    return rights(principal, byVhost);
  }

  private static Map<String, Object> rights(Principal principal, Map<String, Object> byVhost) {
    return Json.object("name", principal.user(), "tags", principal.tags(), "permissions", byVhost);
  }
}
