package io.mayflymq.server.management.resource;

import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Listing;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The lists of what users are granted in virtual hosts, one kind of it: all, a user's, a virtual
 * host's. For administrators only.
 *
 * @param kind as in paths
 * @param all every grant of this moment
 * @param user whom one is given to
 * @param vhost where it counts
 * @param object how one is shown
 */
record GrantLists<G>(
    ManagedBroker managed,
    String kind,
    Supplier<List<G>> all,
    Function<G, String> user,
    Function<G, String> vhost,
    Function<G, Map<String, Object>> object) {

  void addTo(RequestRouter requestRouter) {
    requestRouter
        .get(kind, request -> list(request, grant -> true))
        .get("users/{user}/" + kind, this::ofUser)
        .get("vhosts/{vhost}/" + kind, this::ofVhost);
  }

  private Response list(Request request, Predicate<G> wanted) {
    request.principal().requireAdministrator();
    return answer(request, all.get().stream().filter(wanted).toList());
  }

  Response answer(Request request, List<G> grants) {
    return Listing.of(grants, user, object).answer(request);
  }

  private Response ofUser(Request request) {
    request.principal().requireAdministrator();
    String name = managed.administration().users().get(request.parameter("user")).name();
    return list(request, grant -> user.apply(grant).equals(name));
  }

  private Response ofVhost(Request request) {
    String name = managed.visibleVhost(request).name();
    return list(request, grant -> vhost.apply(grant).equals(name));
  }

  /**
   * Returns those of the user and the virtual host that a request names, at least one.
   *
   * @throws ApiException 404 if there is none, 401
   */
  List<G> existing(Request request) {
    request.principal().requireAdministrator();
    List<G> grants =
        all.get().stream()
            .filter(grant -> user.apply(grant).equals(request.parameter("user")))
            .filter(grant -> vhost.apply(grant).equals(request.parameter("vhost")))
            .toList();
    if (grants.isEmpty()) {
      throw ApiException.notFound(
          "user '%s' has no %s in vhost '%s'"
              .formatted(request.parameter("user"), kind, request.parameter("vhost")));
    }
    return grants;
  }
}
