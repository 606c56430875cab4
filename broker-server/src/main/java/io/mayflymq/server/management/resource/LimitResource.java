package io.mayflymq.server.management.resource;

import io.mayflymq.core.admin.AdministrationException;
import io.mayflymq.core.security.Limit;
import io.mayflymq.core.security.Limits;
import io.mayflymq.core.security.User;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.server.definitions.LimitsJson;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Listing;
import io.mayflymq.server.management.api.Missing;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import java.util.List;
import java.util.Map;

/** The limits of virtual hosts and of users, one by one. Administrators change them. */
public final class LimitResource {
  /** The name that deletes all limits of a user, as in RabbitMQ. */
  private static final String ALL = "all";

  private final ManagedBroker managed;

  public LimitResource(ManagedBroker managed) {
    this.managed = managed;
  }

  public void addTo(RequestRouter requestRouter) {
    requestRouter
        .get("vhost-limits", request -> listOfVhosts(request, managed.vhosts(request.principal())))
        .get(
            "vhost-limits/{vhost}",
            request -> listOfVhosts(request, List.of(managed.visibleVhost(request))))
        .put("vhost-limits/{vhost}/{limit}", this::putOfVhost)
        .delete("vhost-limits/{vhost}/{limit}", this::deleteOfVhost)
        .get("user-limits", this::listOfUsers)
        .get("user-limits/{user}", this::listOfUser)
        .put("user-limits/{user}/{limit}", this::putOfUser)
        .delete("user-limits/{user}/{limit}", this::deleteOfUser);
  }

  /**
   * Returns the value that a request gives for the limit that its path names, as definitions have
   * it.
   */
  private static Object value(Request request) {
    Object value = request.body().fields().require("value").get("value");
    return Json.object(request.parameter("limit"), value);
  }

  private static Limit limit(Limits limits) {
    return limits.asMap().keySet().iterator().next();
  }

  // Virtual hosts

  private static Response listOfVhosts(Request request, List<VirtualHost> vhosts) {
    List<VirtualHost> limited =
        vhosts.stream().filter(vhost -> !vhost.definition().limits().isEmpty()).toList();
    return Listing.of(limited, VirtualHost::name, LimitResource::object).answer(request);
  }

  private static Map<String, Object> object(VirtualHost vhost) {
    return Json.object(
        "vhost", vhost.name(), "value", LimitsJson.write(vhost.definition().limits()));
  }

  private Response putOfVhost(Request request) {
    request.principal().requireAdministrator();
    String vhost = request.parameter("vhost");
    if (managed.broker().virtualHost(vhost) == null) {
      throw ApiException.missing("vhost_not_found", Missing.other("vhost", vhost));
    }
    Limits given = vhostLimit(value(request));
    Limit limit = limit(given);
    Futures.await(managed.administration().vhosts().setLimit(vhost, limit, given.get(limit)));
    return Response.noContent();
  }

  /**
   * Parses the limits of a virtual host. They are parameters in RabbitMQ, whose error texts are
   * used.
   */
  private static Limits vhostLimit(Object value) {
    try {
      return LimitsJson.ofVhost(value);
    } catch (AdministrationException e) {
      throw ApiException.badRequest("Validation failed\n\n" + e.getMessage() + "\n");
    }
  }

  /** Deleting an unknown limit is no error, as it is not set. */
  private Response deleteOfVhost(Request request) {
    request.principal().requireAdministrator();
    String vhost = request.parameter("vhost");
    managed.administration().vhosts().get(vhost);
    Limit limit = Limit.ofKey(request.parameter("limit"));
    if (limit != null) {
      Futures.await(managed.administration().vhosts().clearLimit(vhost, limit));
    }
    return Response.noContent();
  }

  // Users

  private Response listOfUsers(Request request) {
    return listOfUsers(
        request,
        managed.administration().users().list().stream()
            .filter(user -> request.principal().maySee(user.name()))
            .toList());
  }

  private Response listOfUser(Request request) {
    String name = request.parameter("user");
    if (!request.principal().maySee(name)) {
      throw ApiException.notAuthorised("User not authorised to access object");
    }
    return listOfUsers(request, List.of(managed.administration().users().get(name)));
  }

  private static Response listOfUsers(Request request, List<User> users) {
    List<User> limited = users.stream().filter(user -> !user.limits().isEmpty()).toList();
    return Listing.of(limited, User::name, LimitResource::object).answer(request);
  }

  private static Map<String, Object> object(User user) {
    return Json.object("user", user.name(), "value", LimitsJson.write(user.limits()));
  }

  private Response putOfUser(Request request) {
    request.principal().requireAdministrator();
    String user = request.parameter("user");
    if (managed.accessControl().state().user(user) == null) {
      throw ApiException.badRequest(List.of("no_such_user", user));
    }
    Limits given = LimitsJson.ofUser(value(request));
    Limit limit = limit(given);
    Futures.await(managed.administration().users().setLimit(user, limit, given.get(limit)));
    return Response.noContent();
  }

  private Response deleteOfUser(Request request) {
    request.principal().requireAdministrator();
    User user = managed.administration().users().get(request.parameter("user"));
    String name = request.parameter("limit");
    Limit limit = Limit.ofKey(name);
    if (name.equals(ALL)) {
      List.copyOf(user.limits().asMap().keySet()).forEach(each -> clear(user, each));
    } else if (limit != null) {
      clear(user, limit);
    }
    return Response.noContent();
  }

  private void clear(User user, Limit limit) {
    Futures.await(managed.administration().users().clearLimit(user.name(), limit));
  }
}
