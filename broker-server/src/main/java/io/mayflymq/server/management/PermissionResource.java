package io.mayflymq.server.management;

import io.mayflymq.core.admin.PermissionAdministration;
import io.mayflymq.core.security.SecurityState.PermissionEntry;
import io.mayflymq.core.vhost.VirtualHost;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** What users may do in virtual hosts. For administrators only. */
final class PermissionResource {
  private final ManagedBroker managed;

  PermissionResource(ManagedBroker managed) {
    this.managed = managed;
  }

  void addTo(Router router) {
    router
        .get("permissions", request -> list(request, entry -> true))
        .get("permissions/{vhost}/{user}", this::get)
        .put("permissions/{vhost}/{user}", this::put)
        .delete("permissions/{vhost}/{user}", this::delete)
        .get("users/{user}/permissions", this::listOfUser)
        .get("vhosts/{vhost}/permissions", this::listOfVhost);
  }

  private PermissionAdministration permissions() {
    return managed.administration().permissions();
  }

  private Response list(Request request, Predicate<PermissionEntry> wanted) {
    request.principal().requireAdministrator();
    List<PermissionEntry> entries = permissions().list().stream().filter(wanted).toList();
    return Listing.of(entries, PermissionEntry::user, PermissionResource::object).answer(request);
  }

  private Response listOfUser(Request request) {
    request.principal().requireAdministrator();
    String user = managed.administration().users().get(request.parameter("user")).name();
    return list(request, entry -> entry.user().equals(user));
  }

  private Response listOfVhost(Request request) {
    VirtualHost vhost = managed.visibleVhost(request);
    return list(request, entry -> entry.vhost().equals(vhost.name()));
  }

  private PermissionEntry existing(Request request) {
    request.principal().requireAdministrator();
    return permissions().list().stream()
        .filter(entry -> entry.user().equals(request.parameter("user")))
        .filter(entry -> entry.vhost().equals(request.parameter("vhost")))
        .findFirst()
        .orElseThrow(ApiException::notFound);
  }

  private Response get(Request request) {
    return Response.ok(Listing.columns(request, object(existing(request))));
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
        Answers.await(
            permissions()
                .set(
                    request.parameter("user"),
                    request.parameter("vhost"),
                    fields.requiredText("configure"),
                    fields.requiredText("write"),
                    fields.requiredText("read"))));
  }

  private Response delete(Request request) {
    PermissionEntry entry = existing(request);
    Answers.await(permissions().clear(entry.user(), entry.vhost()));
    return Response.noContent();
  }
}
