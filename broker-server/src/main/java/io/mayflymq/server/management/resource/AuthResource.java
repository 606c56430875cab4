package io.mayflymq.server.management.resource;

import io.mayflymq.core.security.PasswordHash;
import io.mayflymq.server.config.NodeName;
import io.mayflymq.server.config.PageLoginSettings;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Missing;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import io.mayflymq.server.management.auth.AuthAttempts;
import java.util.List;

/** The current user, the numbers of logins at the API, and the hashes of passwords. */
public final class AuthResource {
  private final AuthAttempts attempts;
  private final PageLoginSettings page;

  /**
   * @param page how users of the page log in by a provider
   */
  public AuthResource(AuthAttempts attempts, PageLoginSettings page) {
    this.page = page;
    this.attempts = attempts;
  }

  public void addTo(RequestRouter requestRouter) {
    requestRouter
        .get("whoami", AuthResource::whoami)
        .open("auth", this::pageLogin)
        .get("auth/hash_password/{password}", AuthResource::hashPassword)
        .get("auth/attempts/{node}", this::list)
        .delete("auth/attempts/{node}", this::reset)
        .get("auth/attempts/{node}/source", AuthResource::listBySource)
        .delete("auth/attempts/{node}/source", this::reset);
  }

  /** Tells how users of the page log in: the page needs to know before the login. */
  private Response pageLogin() {
    return Response.ok(
        page.enabled()
            ? Json.object(
                "oauth_enabled", true,
                "oauth_client_id", page.clientId().orElse(""),
                "oauth_disable_basic_auth", page.refusesPasswords())
            : Json.object("oauth_enabled", false));
  }

  private static Response whoami(Request request) {
    return Response.ok(
        Json.object(
            "name", request.principal().user(),
            "tags", request.principal().tags(),
            "is_internal_user", request.principal().isInternal()));
  }

  /** Hashes a password in the format of a user's {@code password_hash}. */
  private static Response hashPassword(Request request) {
    request.principal().requireAdministrator();
    return Response.ok(Json.object("ok", PasswordHash.of(request.parameter("password")).base64()));
  }

  private Response list(Request request) {
    request.principal().requireMonitor();
    requireThisNode(request);
    return Response.ok(attempts.list());
  }

  /**
   * RabbitMQ tells addresses and users apart only if it is configured to; by default it has none.
   */
  private static Response listBySource(Request request) {
    request.principal().requireMonitor();
    requireThisNode(request);
    return Response.ok(List.of());
  }

  private Response reset(Request request) {
    request.principal().requireAdministrator();
    requireThisNode(request);
    attempts.reset();
    return Response.noContent();
  }

  private static void requireThisNode(Request request) {
    if (!request.parameter("node").equals(NodeName.value())) {
      throw ApiException.notFound(Missing.other("node", request.parameter("node")));
    }
  }
}
