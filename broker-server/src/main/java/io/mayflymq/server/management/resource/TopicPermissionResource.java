package io.mayflymq.server.management.resource;

import io.mayflymq.core.admin.PermissionAdministration;
import io.mayflymq.core.security.SecurityState.TopicPermissionEntry;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Body;
import io.mayflymq.server.management.api.Missing;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import java.util.List;
import java.util.Map;

/**
 * The routing keys that users may write to and read from topic exchanges. For administrators only.
 */
public final class TopicPermissionResource {
  private final ManagedBroker managed;
  private final GrantLists<TopicPermissionEntry> lists;

  public TopicPermissionResource(ManagedBroker managed) {
    this.managed = managed;
    this.lists =
        new GrantLists<>(
            managed,
            "topic-permissions",
            () -> permissions().listTopics(),
            TopicPermissionEntry::user,
            TopicPermissionEntry::vhost,
            TopicPermissionResource::object);
  }

  public void addTo(RequestRouter requestRouter) {
    lists.addTo(requestRouter);
    requestRouter
        .get("topic-permissions/{vhost}/{user}", this::get)
        .put("topic-permissions/{vhost}/{user}", this::put)
        .delete("topic-permissions/{vhost}/{user}", this::delete)
        .get("topic-permissions/{vhost}/{user}/{exchange}", this::getOfExchange)
        .delete("topic-permissions/{vhost}/{user}/{exchange}", this::deleteOfExchange);
  }

  private PermissionAdministration permissions() {
    return managed.administration().permissions();
  }

  private Response get(Request request) {
    return lists.answer(request, lists.existing(request));
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
        Futures.await(
            permissions()
                .setTopic(
                    request.parameter("user"),
                    request.parameter("vhost"),
                    fields.requiredText("exchange"),
                    fields.requiredText("write"),
                    fields.requiredText("read"))));
  }

  private TopicPermissionEntry ofExchange(Request request) {
    String exchange = request.parameter("exchange");
    return lists.existing(request).stream()
        .filter(candidate -> candidate.exchange().equals(exchange))
        .findFirst()
        .orElseThrow(
            () -> ApiException.notFound(Missing.other("topic permission of exchange", exchange)));
  }

  /** Returns a list, as for all exchanges. */
  private Response getOfExchange(Request request) {
    return lists.answer(request, List.of(ofExchange(request)));
  }

  private Response deleteOfExchange(Request request) {
    TopicPermissionEntry entry = ofExchange(request);
    Futures.await(permissions().clearTopic(entry.user(), entry.vhost(), entry.exchange()));
    return Response.noContent();
  }

  private Response delete(Request request) {
    TopicPermissionEntry first = lists.existing(request).get(0);
    Futures.await(permissions().clearTopics(first.user(), first.vhost()));
    return Response.noContent();
  }
}
