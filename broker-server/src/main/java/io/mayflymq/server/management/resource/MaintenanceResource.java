package io.mayflymq.server.management.resource;

import io.mayflymq.server.json.Json;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import io.mayflymq.server.net.AmqpServer;
import io.mayflymq.server.net.StartException;

/**
 * Maintenance mode, and listeners that are closed for a while. They are served below {@code
 * /control/}, which is for administrators only.
 */
public final class MaintenanceResource {
  private static final String DRAINED = "drained";
  private static final String SUSPENDED = "suspended";

  private final AmqpServer server;

  public MaintenanceResource(AmqpServer server) {
    this.server = server;
  }

  public void addTo(RequestRouter requestRouter) {
    requestRouter
        .get("maintenance", this::get)
        .put("maintenance", this::set)
        .put("listeners", this::setListeners);
  }

  private Response get(Request request) {
    return Response.ok(Json.object(DRAINED, server.maintenance().isDrained()));
  }

  private Response set(Request request) {
    if (wanted(request, DRAINED)) {
      server.maintenance().drain();
      return Response.noContent();
    }
    return listening(() -> server.maintenance().revive());
  }

  private Response setListeners(Request request) {
    if (wanted(request, SUSPENDED)) {
      server.suspendListeners();
      return Response.noContent();
    }
    return listening(server::resumeListeners);
  }

  private static boolean wanted(Request request, String field) {
    Object value = request.body().fields().require(field).get(field);
    if (value instanceof Boolean wanted) {
      return wanted;
    }
    throw ApiException.badRequest(
        "%s should be true or false, actually was %s".formatted(field, value));
  }

  /** Binds addresses again. */
  private interface Binding {
    void run() throws StartException;
  }

  private static Response listening(Binding binding) {
    try {
      binding.run();
      return Response.noContent();
    } catch (StartException e) {
      throw new ApiException(500, "cannot_listen", e.getMessage());
    }
  }
}
