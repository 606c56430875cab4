package io.mayflymq.server.management.resource;

import io.mayflymq.core.admin.Checks;
import io.mayflymq.core.admin.UserAdministration;
import io.mayflymq.core.security.HashingAlgorithm;
import io.mayflymq.core.security.Limits;
import io.mayflymq.core.security.PasswordHash;
import io.mayflymq.core.security.SecurityState.PermissionEntry;
import io.mayflymq.core.security.User;
import io.mayflymq.server.definitions.LimitsJson;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.json.JsonWriter;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Body;
import io.mayflymq.server.management.api.Listing;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Users: their passwords, tags and limits. For administrators only. */
public final class UserResource {
  /** The tag of users who are changed by {@code mayflyctl} only. */
  private static final String PROTECTED = "protected";

  private final ManagedBroker managed;

  public UserResource(ManagedBroker managed) {
    this.managed = managed;
  }

  public void addTo(RequestRouter requestRouter) {
    requestRouter
        .get("users", this::list)
        .get("users/without-permissions", this::listWithoutPermissions)
        .post("users/bulk-delete", this::deleteAll)
        .get("users/{user}", this::get)
        .put("users/{user}", this::put)
        .delete("users/{user}", this::delete);
  }

  private UserAdministration users() {
    return managed.administration().users();
  }

  private Response list(Request request) {
    request.principal().requireAdministrator();
    return answer(request, users().list());
  }

  private Response listWithoutPermissions(Request request) {
    request.principal().requireAdministrator();
    Set<String> permitted =
        managed.administration().permissions().list().stream()
            .map(PermissionEntry::user)
            .collect(Collectors.toSet());
    return answer(
        request, users().list().stream().filter(user -> !permitted.contains(user.name())).toList());
  }

  private static Response answer(Request request, List<User> users) {
    return Listing.of(users, User::name, UserResource::object).answer(request);
  }

  private Response get(Request request) {
    request.principal().requireAdministrator();
    return Response.ok(Listing.columns(request, object(users().get(request.parameter("user")))));
  }

  private static Map<String, Object> object(User user) {
    return Json.object(
        "name", user.name(),
        "password_hash", user.passwordHash().base64(),
        "hashing_algorithm", user.passwordHash().algorithm().definitionsName(),
        "tags", user.tags(),
        "limits", LimitsJson.write(user.limits()));
  }

  /**
   * Adds or changes a user. Without a password and a hash in the request, or with an empty
   * password, the user has none, and cannot log in with one.
   */
  private Response put(Request request) {
    request.principal().requireAdministrator();
    Body.Fields fields = request.body().fields();
    List<String> tags = tags(fields);
    List<Grant> grants = grants(fields);
    Limits limits = fields.has("limits") ? LimitsJson.ofUser(fields.get("limits")) : Limits.NONE;
    requireChangeable(request, request.parameter("user"));
    User wanted = new User(request.parameter("user"), password(fields), tags, limits);
    boolean isNew = Futures.await(users().put(wanted));
    for (Grant grant : grants) {
      Futures.await(
          managed
              .administration()
              .permissions()
              .set(wanted.name(), grant.vhost, grant.configure, grant.write, grant.read));
    }
    return Response.put(isNew);
  }

  /** Returns the tags; those of old clients are only {@code "administrator": true} or false. */
  private static List<String> tags(Body.Fields fields) {
    if (fields.has("tags")) {
      return fields.tags();
    }
    if (!fields.has("administrator")) {
      throw ApiException.badRequest("tags_not_present");
    }
    return fields.bool("administrator") ? List.of("administrator") : List.of();
  }

  /** Permissions that a request gives with the user. */
  private record Grant(String vhost, String configure, String write, String read) {}

  /**
   * Returns the permissions that a request gives, by virtual host.
   *
   * @throws ApiException 400 if one of them cannot be given: then nothing is changed
   */
  private List<Grant> grants(Body.Fields fields) {
    if (!fields.has("permissions")) {
      return List.of();
    }
    if (!(fields.get("permissions") instanceof Map<?, ?> byVhost)) {
      throw ApiException.badRequest(
          "permissions should be an object of objects by virtual host, actually was "
              + JsonWriter.text(fields.get("permissions")));
    }
    List<Grant> grants = new ArrayList<>();
    byVhost.forEach((vhost, given) -> grants.add(grant(vhost.toString(), given)));
    return grants;
  }

  private Grant grant(String vhost, Object given) {
    if (managed.broker().virtualHost(vhost) == null) {
      throw ApiException.badRequest(List.of("no_such_vhost", vhost));
    }
    Body.Fields fields =
        new Body.Fields(given instanceof Map<?, ?> object ? object : Map.of())
            .require("configure", "write", "read");
    Grant grant =
        new Grant(
            vhost,
            fields.requiredText("configure"),
            fields.requiredText("write"),
            fields.requiredText("read"));
    Checks.permissions(grant.configure, grant.write, grant.read);
    return grant;
  }

  private PasswordHash password(Body.Fields fields) {
    HashingAlgorithm algorithm = algorithm(fields);
    String password = fields.text("password", null);
    String hash = fields.text("password_hash", null);
    if (password != null && hash != null) {
      throw ApiException.badRequest("both_password_and_password_hash_are_provided");
    }
    if (password != null && !password.isEmpty()) {
      return managed.administration().users().hash(password);
    }
    if (hash == null || hash.isEmpty()) {
      return PasswordHash.NONE;
    }
    try {
      Base64.getDecoder().decode(hash);
    } catch (IllegalArgumentException e) {
      throw ApiException.badRequest(List.of("not_base64", hash));
    }
    return new PasswordHash(algorithm, hash);
  }

  /**
   * Returns the algorithm of the hash. In definitions the default is MD5; in a request it is the
   * current algorithm.
   */
  private static HashingAlgorithm algorithm(Body.Fields fields) {
    String name = fields.text("hashing_algorithm", HashingAlgorithm.SHA256.definitionsName());
    try {
      return HashingAlgorithm.ofDefinitionsName(name);
    } catch (IllegalArgumentException e) {
      throw ApiException.badRequest(e.getMessage());
    }
  }

  /**
   * Checks that a user is not protected, as in RabbitMQ 4: {@code mayflyctl} can change such users,
   * with the token of the control file.
   *
   * @throws ApiException 400
   */
  private void requireChangeable(Request request, String name) {
    User user = managed.accessControl().state().user(name);
    if (user != null && user.tags().contains(PROTECTED) && !request.principal().control()) {
      throw ApiException.badRequest("Protected users cannot be modified via the HTTP API");
    }
  }

  private Response delete(Request request) {
    request.principal().requireAdministrator();
    requireChangeable(request, request.parameter("user"));
    Futures.await(users().delete(request.parameter("user")));
    return Response.noContent();
  }

  /** Deletes all users of the list. Those that do not exist are no error, as in RabbitMQ. */
  private Response deleteAll(Request request) {
    request.principal().requireAdministrator();
    Object given = request.body().fields().require("users").get("users");
    if (!(given instanceof List<?> list)) {
      throw ApiException.badRequest(
          "users should be a list of names, actually was " + JsonWriter.text(given));
    }
    Set<String> known = users().list().stream().map(User::name).collect(Collectors.toSet());
    List<String> names = new ArrayList<>();
    for (Object name : list) {
      if (!(name instanceof String text)) {
        throw ApiException.badRequest(Json.list("no_such_user", name));
      }
      requireChangeable(request, text);
      if (known.contains(text)) {
        names.add(text);
      }
    }
    names.stream().distinct().map(users()::delete).toList().forEach(Futures::await);
    return Response.noContent();
  }
}
