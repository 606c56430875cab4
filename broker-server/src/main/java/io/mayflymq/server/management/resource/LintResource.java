package io.mayflymq.server.management.resource;

import io.mayflymq.server.definitions.DefinitionsException;
import io.mayflymq.server.definitions.DefinitionsLint;
import io.mayflymq.server.definitions.LintFinding;
import io.mayflymq.server.json.JsonWriter;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * Tells what can go wrong with the definitions that the broker has now: what a lint finds in an
 * export of them. For administrators, as an export is.
 */
public final class LintResource {
  private final ManagedBroker managed;

  public LintResource(ManagedBroker managed) {
    this.managed = managed;
  }

  /** Adds the routes of the API. */
  public void addTo(RequestRouter requestRouter) {
    requestRouter.get("lint", this::lintAll).get("lint/{vhost}", this::lintVhost);
  }

  private Response lintAll(Request request) {
    request.principal().requireAdministrator();
    return findings(managed.definitions().export(), null);
  }

  private Response lintVhost(Request request) {
    request.principal().requireAdministrator();
    String vhost = request.parameter("vhost");
    return findings(managed.definitions().export(vhost), vhost);
  }

  /**
   * @param vhost of all items; null if they name their own
   */
  private static Response findings(Map<String, Object> document, String vhost) {
    byte[] json = JsonWriter.text(document).getBytes(StandardCharsets.UTF_8);
    try {
      return Response.ok(
          DefinitionsLint.of(new ByteArrayInputStream(json), vhost).stream()
              .map(LintFinding::toMap)
              .toList());
    } catch (DefinitionsException e) {
      throw ApiException.badRequest(String.join("\n", e.problems()));
    }
  }
}
