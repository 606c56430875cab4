package io.mayflymq.server.management.resource;

import io.mayflymq.core.admin.PermissionAdministration;
import io.mayflymq.core.security.SecurityState.PermissionEntry;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.management.api.Body;
import io.mayflymq.server.management.api.Listing;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import java.util.Map;

/** What users may do in virtual hosts. For administrators only. */
public final class PermissionResource {
  private final ManagedBroker managed;
  private final GrantLists<PermissionEntry> lists;

  public PermissionResource(ManagedBroker managed) {
    this.managed = managed;
    this.lists =
        new GrantLists<>(
            managed,
            "permissions",
            () -> permissions().list(),
            PermissionEntry::user,
            PermissionEntry::vhost,
            PermissionResource::object);
  }

  public void addTo(RequestRouter requestRouter) {
    lists.addTo(requestRouter);
    requestRouter
        .get("permissions/{vhost}/{user}", this::get)
        .put("permissions/{vhost}/{user}", this::put)
        .delete("permissions/{vhost}/{user}", this::delete);
  }

  private PermissionAdministration permissions() {
    return managed.administration().permissions();
  }

  private Response get(Request request) {
    return Response.ok(Listing.columns(request, object(lists.existing(request).get(0))));
  }

  private static Map<String, Object> object(PermissionEntry entry) {
    return Json.object(
        "user", entry.user(),
        "vhost", entry.vhost(),
        "configure", entry.permissions().configure().source(),
        "write", entry.permissions().write().source(),
        "read", entry.permissions().read().source());
  }

  private Response put(Request request) {
    request.principal().requireAdministrator();
    Body.Fields fields = request.body().fields().require("configure", "write", "read");
    managed.requireVhostAndUser(request);
    return Response.put(
        Futures.await(
            permissions()
                .set(
                    request.parameter("user"),
                    request.parameter("vhost"),
                    fields.requiredText("configure"),
                    fields.requiredText("write"),
                    fields.requiredText("read"))));
  }

  private Response delete(Request request) {
    PermissionEntry entry = lists.existing(request).get(0);
    Futures.await(permissions().clear(entry.user(), entry.vhost()));
    return Response.noContent();
  }
}
