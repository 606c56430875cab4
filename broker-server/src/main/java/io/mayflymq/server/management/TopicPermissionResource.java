package io.mayflymq.server.management;

import io.mayflymq.core.admin.PermissionAdministration;
import io.mayflymq.core.security.SecurityState.TopicPermissionEntry;
import io.mayflymq.core.vhost.VirtualHost;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * The routing keys that users may write to and read from topic exchanges. For administrators only.
 */
final class TopicPermissionResource {
  private final ManagedBroker managed;

  TopicPermissionResource(ManagedBroker managed) {
    this.managed = managed;
  }

  void addTo(Router router) {
    router
        .get("topic-permissions", request -> list(request, entry -> true))
        .get("topic-permissions/{vhost}/{user}", this::get)
        .put("topic-permissions/{vhost}/{user}", this::put)
        .delete("topic-permissions/{vhost}/{user}", this::delete)
        .delete("topic-permissions/{vhost}/{user}/{exchange}", this::deleteOfExchange)
        .get("users/{user}/topic-permissions", this::listOfUser)
        .get("vhosts/{vhost}/topic-permissions", this::listOfVhost);
  }

  private PermissionAdministration permissions() {
    return managed.administration().permissions();
  }

  private Response list(Request request, Predicate<TopicPermissionEntry> wanted) {
    request.principal().requireAdministrator();
    return answer(request, permissions().listTopics().stream().filter(wanted).toList());
  }

  private static Response answer(Request request, List<TopicPermissionEntry> entries) {
    return Listing.of(entries, TopicPermissionEntry::user, TopicPermissionResource::object)
        .answer(request);
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

  /** The restrictions of a user in a virtual host, at least one. */
  private List<TopicPermissionEntry> existing(Request request) {
    request.principal().requireAdministrator();
    List<TopicPermissionEntry> entries =
        permissions().listTopics().stream()
            .filter(entry -> entry.user().equals(request.parameter("user")))
            .filter(entry -> entry.vhost().equals(request.parameter("vhost")))
            .toList();
    if (entries.isEmpty()) {
      throw ApiException.notFound();
    }
    return entries;
  }

  private Response get(Request request) {
    return answer(request, existing(request));
  }

  private static Map<String, Object> object(TopicPermissionEntry entry) {
    return Json.object(
        "user", entry.user(),
        "vhost", entry.vhost(),
        "exchange", entry.exchange(),
        "write", entry.permissions().write(),
        "read", entry.permissions().read());
  }

  private Response put(Request request) {
    request.principal().requireAdministrator();
    Body.Fields fields = request.body().fields().require("exchange", "write", "read");
    managed.requireVhostAndUser(request);
    return Response.put(
        Answers.await(
            permissions()
                .setTopic(
                    request.parameter("user"),
                    request.parameter("vhost"),
                    fields.requiredText("exchange"),
                    fields.requiredText("write"),
                    fields.requiredText("read"))));
  }

  private Response deleteOfExchange(Request request) {
    String exchange = request.parameter("exchange");
    TopicPermissionEntry entry =
        existing(request).stream()
            .filter(candidate -> candidate.exchange().equals(exchange))
            .findFirst()
            .orElseThrow(ApiException::notFound);
    Answers.await(permissions().clearTopic(entry.user(), entry.vhost(), exchange));
    return Response.noContent();
  }

  private Response delete(Request request) {
    TopicPermissionEntry first = existing(request).get(0);
    Answers.await(permissions().clearTopics(first.user(), first.vhost()));
    return Response.noContent();
  }
}
