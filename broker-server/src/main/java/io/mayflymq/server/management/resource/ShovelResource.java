package io.mayflymq.server.management.resource;

import io.mayflymq.core.admin.AdministrationException;
import io.mayflymq.core.admin.Parameter;
import io.mayflymq.server.config.NodeName;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.json.JsonReader;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Listing;
import io.mayflymq.server.management.api.Missing;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import io.mayflymq.server.management.cluster.ListKind;
import io.mayflymq.server.management.cluster.SpreadList;
import io.mayflymq.server.management.json.LocalTime;
import io.mayflymq.shovel.ShovelStatus;
import io.mayflymq.shovel.Shovels;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Shovels: what they do, and their end and restart. They are made by {@link ParameterResource}. In
 * a cluster each node lists those that run on it.
 */
public final class ShovelResource {
  private static final String SHOVEL = "shovels/vhost/{vhost}/{name}";
  private static final String UNLIMITED = "unlimited";

  private final ManagedBroker managed;
  private final SpreadList<ShovelStatus> shovels;

  public ShovelResource(ManagedBroker managed) {
    this.managed = managed;
    this.shovels =
        new SpreadList<>(
            new ListKind<>(
                "shovels",
                this::here,
                ShovelResource::id,
                ShovelResource::id,
                ShovelStatus::name,
                ShovelResource::object),
            managed.nodes());
  }

  public void addTo(RequestRouter requestRouter) {
    requestRouter
        .get("shovels", this::list)
        .get(
            "shovels/{vhost}",
            request -> {
              managed.visibleVhost(request);
              return list(request);
            })
        .get(SHOVEL, this::definition)
        .delete(SHOVEL, this::delete)
        .delete(SHOVEL + "/restart", managed.nodes().everywhere(this::restart));
  }

  /** Adds what other nodes ask. */
  public void addQuestionsTo(RequestRouter questions) {
    shovels.addTo(questions);
    questions.delete(SHOVEL + "/restart", this::restart);
  }

  private static String id(ShovelStatus status) {
    return status.vhost() + '\0' + status.name();
  }

  private Response list(Request request) {
    request.principal().requireMonitor();
    return shovels.answer(request);
  }

  private List<ShovelStatus> here(Request request) {
    Predicate<String> asked = managed.vhostsAsked(request);
    return managed.shovels().statuses().stream()
        .filter(status -> asked.test(status.vhost()))
        .toList();
  }

  private static Map<String, Object> object(ShovelStatus status) {
    Map<String, Object> object =
        Json.object(
            "node", NodeName.value(),
            "timestamp", LocalTime.text(status.since()),
            "name", status.name(),
            "vhost", status.vhost(),
            "type", "dynamic",
            "state", status.state().wireName());
    object.putAll(status.ends());
    object.put("forwarded", status.forwarded());
    object.put("pending", status.pending());
    Object remaining = status.remaining() < 0 ? UNLIMITED : (Long) status.remaining();
    object.put("remaining", remaining);
    object.put(
        "remaining_unacked",
        status.remaining() < 0 ? UNLIMITED : (Long) (status.remaining() - status.pending()));
    object.put("blocked_status", status.blocked().isEmpty() ? "running" : "blocked");
    if (!status.reason().isEmpty()) {
      object.put("reason", status.reason());
    }
    return object;
  }

  /** Shows the parameter, with the passwords of its addresses masked. */
  private Response definition(Request request) {
    request.principal().requireMonitor();
    Parameter parameter = parameter(request);
    return Response.ok(
        Listing.columns(
            request,
            Json.object(
                "value", managed.shovels().masked(JsonReader.stored(parameter.json())),
                "vhost", parameter.vhost(),
                "component", parameter.component(),
                "name", parameter.name())));
  }

  private Parameter parameter(Request request) {
    String vhost = managed.visibleVhost(request).name();
    String name = request.parameter("name");
    return managed.administration().parameters().list().stream()
        .filter(parameter -> parameter.component().equals(Shovels.COMPONENT))
        .filter(parameter -> parameter.vhost().equals(vhost) && parameter.name().equals(name))
        .findFirst()
        .orElseThrow(() -> ApiException.notFound(Missing.other("shovel", name)));
  }

  private Response delete(Request request) {
    request.principal().requirePolicymaker();
    String vhost = managed.ownVhost(request).name();
    try {
      Futures.await(
          managed
              .administration()
              .parameters()
              .clear(vhost, Shovels.COMPONENT, request.parameter("name")));
    } catch (AdministrationException e) {
      if (e.reason() != AdministrationException.Reason.NO_SUCH_PARAMETER) {
        throw e;
      }
    }
    return Response.noContent();
  }

  /** Restarts it if it runs on this node. */
  private Response restart(Request request) {
    request.principal().requirePolicymaker();
    String vhost = managed.ownVhost(request).name();
    String name = request.parameter("name");
    if (!managed.administration().parameters().exists(vhost, Shovels.COMPONENT, name)) {
      throw ApiException.notFound(Missing.other("shovel", name));
    }
    managed.shovels().restart(vhost, name);
    return Response.noContent();
  }
}
