package io.mayflymq.server.management;

import io.mayflymq.core.security.SecurityState;
import io.mayflymq.core.security.SecurityState.PermissionEntry;
import io.mayflymq.core.security.SecurityState.TopicPermissionEntry;
import io.mayflymq.core.security.User;
import io.mayflymq.core.vhost.VirtualHost;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** Who there is and what they may do: users, permissions, topic permissions, and who is asking. */
final class AccessResource {
  private final ManagedBroker managed;
  private final AuthAttempts attempts;

  AccessResource(ManagedBroker managed, AuthAttempts attempts) {
    this.managed = managed;
    this.attempts = attempts;
  }

  void addTo(Router router) {
    router
        .get("whoami", AccessResource::whoami)
        .get("auth", request -> Response.ok(Json.object("oauth_enabled", false)))
        .get("auth/attempts/{node}", request -> administrators(request, attempts.list()))
        .get("auth/attempts/{node}/source", request -> administrators(request, List.of()))
        .delete("auth/attempts/{node}", this::resetAttempts)
        .get("users", this::users)
        .get("users/without-permissions", this::usersWithoutPermissions)
        .get("users/{user}", this::user)
        .get("users/{user}/permissions", this::permissionsOfUser)
        .get("users/{user}/topic-permissions", this::topicPermissionsOfUser)
        .get("permissions", request -> permissions(request, entry -> true))
        .get("permissions/{vhost}/{user}", this::permission)
        .get("vhosts/{vhost}/permissions", this::permissionsOfVhost)
        .get("topic-permissions", request -> topicPermissions(request, entry -> true))
        .get("topic-permissions/{vhost}/{user}", this::topicPermission)
        .get("vhosts/{vhost}/topic-permissions", this::topicPermissionsOfVhost);
  }

  private static Response whoami(Request request) {
    return Response.ok(
        Json.object("name", request.principal().user(), "tags", request.principal().tags()));
  }

  private static Response administrators(Request request, Object body) {
    request.principal().requireAdministrator();
    return Response.ok(body);
  }

  private Response resetAttempts(Request request) {
    request.principal().requireAdministrator();
    attempts.reset();
    return Response.noContent();
  }

  private SecurityState state() {
    return managed.accessControl().state();
  }

  // Users

  private List<User> allUsers() {
    return state().users().stream().sorted(Comparator.comparing(User::name)).toList();
  }

  private Response users(Request request) {
    request.principal().requireAdministrator();
    return Listing.of(allUsers(), User::name, AccessResource::object).answer(request);
  }

  private Response usersWithoutPermissions(Request request) {
    request.principal().requireAdministrator();
    List<String> permitted = state().permissions().stream().map(PermissionEntry::user).toList();
    List<User> others =
        allUsers().stream().filter(user -> !permitted.contains(user.name())).toList();
    return Listing.of(others, User::name, AccessResource::object).answer(request);
  }

  private Response user(Request request) {
    return Response.ok(Listing.columns(request, object(existingUser(request))));
  }

  private User existingUser(Request request) {
    request.principal().requireAdministrator();
    User user = state().user(request.parameter("user"));
    if (user == null) {
      throw ApiException.notFound();
    }
    return user;
  }

  private static Map<String, Object> object(User user) {
    return Json.object(
        "name", user.name(),
        "password_hash", user.passwordHash().base64(),
        "hashing_algorithm", user.passwordHash().algorithm().definitionsName(),
        "tags", user.tags(),
        "limits", Map.of());
  }

  // Permissions

  private Response permissions(Request request, Predicate<PermissionEntry> wanted) {
    request.principal().requireAdministrator();
    return Listing.of(
            state().permissions().stream()
                .filter(wanted)
                .sorted(
                    Comparator.comparing(PermissionEntry::user)
                        .thenComparing(PermissionEntry::vhost))
                .toList(),
            PermissionEntry::user,
            AccessResource::object)
        .answer(request);
  }

  private static Map<String, Object> object(PermissionEntry entry) {
    return Json.object(
        "user", entry.user(),
        "vhost", entry.vhost(),
        "configure", entry.permissions().configure().source(),
        "write", entry.permissions().write().source(),
        "read", entry.permissions().read().source());
  }

  private Response permission(Request request) {
    request.principal().requireAdministrator();
    VirtualHost vhost = managed.visibleVhost(request);
    return state().permissions().stream()
        .filter(entry -> entry.user().equals(request.parameter("user")))
        .filter(entry -> entry.vhost().equals(vhost.name()))
        .findFirst()
        .map(entry -> Response.ok(object(entry)))
        .orElseThrow(ApiException::notFound);
  }

  private Response permissionsOfUser(Request request) {
    User user = existingUser(request);
    return permissions(request, entry -> entry.user().equals(user.name()));
  }

  private Response permissionsOfVhost(Request request) {
    VirtualHost vhost = managed.visibleVhost(request);
    return permissions(request, entry -> entry.vhost().equals(vhost.name()));
  }

  // Topic permissions

  private Response topicPermissions(Request request, Predicate<TopicPermissionEntry> wanted) {
    request.principal().requireAdministrator();
    return Listing.of(
            state().topicPermissions().stream()
                .filter(wanted)
                .sorted(
                    Comparator.comparing(TopicPermissionEntry::user)
                        .thenComparing(TopicPermissionEntry::vhost)
                        .thenComparing(TopicPermissionEntry::exchange))
                .toList(),
            TopicPermissionEntry::user,
            AccessResource::object)
        .answer(request);
  }

  private static Map<String, Object> object(TopicPermissionEntry entry) {
    return Json.object(
        "user", entry.user(),
        "vhost", entry.vhost(),
        "exchange", entry.exchange(),
        "write", entry.permissions().write(),
        "read", entry.permissions().read());
  }

  private Response topicPermission(Request request) {
    VirtualHost vhost = managed.visibleVhost(request);
    String user = request.parameter("user");
    return topicPermissions(
        request, entry -> entry.user().equals(user) && entry.vhost().equals(vhost.name()));
  }

  private Response topicPermissionsOfUser(Request request) {
    User user = existingUser(request);
    return topicPermissions(request, entry -> entry.user().equals(user.name()));
  }

  private Response topicPermissionsOfVhost(Request request) {
    VirtualHost vhost = managed.visibleVhost(request);
    return topicPermissions(request, entry -> entry.vhost().equals(vhost.name()));
  }
}
