package io.mayflymq.server.management.resource;

import io.mayflymq.core.admin.AdministrationException;
import io.mayflymq.core.admin.Parameter;
import io.mayflymq.core.admin.ParameterComponent;
import io.mayflymq.core.admin.Parameters;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyKind;
import io.mayflymq.core.security.Limits;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.server.definitions.LimitsJson;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.json.JsonReader;
import io.mayflymq.server.json.JsonWriter;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Listing;
import io.mayflymq.server.management.api.Missing;
import io.mayflymq.server.management.api.Principal;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Parameters of virtual hosts: RabbitMQ keeps operator policies and limits as such. Both have paths
 * of their own beside this. Components such as shovels check theirs. Parameters of components that
 * this broker does not have come from definitions only; they can be listed and cleared, but not
 * set.
 *
 * <p>Lists have no passwords. A parameter by itself has them, for administrators.
 */
public final class ParameterResource {
  private static final String OPERATOR_POLICY = PolicyKind.OPERATOR_POLICY.component();
  private static final String VHOST_LIMITS = "vhost-limits";
  private static final String LIMITS = "limits";

  private final ManagedBroker managed;

  public ParameterResource(ManagedBroker managed) {
    this.managed = managed;
  }

  public void addTo(RequestRouter requestRouter) {
    requestRouter
        .get("parameters", request -> list(request, null))
        .get("parameters/{component}", request -> list(request, request.parameter("component")))
        .get("parameters/{component}/{vhost}", this::listOfVhost)
        .get("parameters/{component}/{vhost}/{name}", this::get)
        .put("parameters/{component}/{vhost}/{name}", this::set)
        .delete("parameters/{component}/{vhost}/{name}", this::clear);
  }

  private record ParameterView(String component, String vhost, String name, Object value) {
    Map<String, Object> toMap() {
      return Json.object("value", value, "vhost", vhost, "component", component, "name", name);
    }
  }

  /** Returns the parameters of virtual hosts; those of one component if it is not null. */
  private List<ParameterView> parameters(
      Collection<VirtualHost> vhosts, String component, boolean withPasswords) {
    List<ParameterView> all = new ArrayList<>();
    for (VirtualHost vhost : vhosts) {
      for (Policy policy : vhost.policies().table().policies(PolicyKind.OPERATOR_POLICY)) {
        Map<String, Object> value = policy.toMap(vhost.name());
        value.keySet().removeAll(List.of("vhost", "name"));
        all.add(new ParameterView(OPERATOR_POLICY, vhost.name(), policy.name(), value));
      }
      Limits limits = vhost.definition().limits();
      if (!limits.asMap().isEmpty()) {
        all.add(new ParameterView(VHOST_LIMITS, vhost.name(), LIMITS, LimitsJson.write(limits)));
      }
    }
    Set<String> names = vhosts.stream().map(VirtualHost::name).collect(Collectors.toSet());
    for (Parameter kept : managed.administration().parameters().list()) {
      if (names.contains(kept.vhost())) {
        Object value = JsonReader.stored(kept.json());
        all.add(
            new ParameterView(
                kept.component(),
                kept.vhost(),
                kept.name(),
                withPasswords ? value : masked(kept.component(), value)));
      }
    }
    all.removeIf(parameter -> component != null && !parameter.component.equals(component));
    return all;
  }

  private Object masked(String component, Object value) {
    return managed
        .administration()
        .parameters()
        .component(component)
        .map(known -> known.masked(value))
        .orElse(value);
  }

  private Response list(Request request, String component) {
    request.principal().requirePolicymaker();
    return answer(request, parameters(managed.ownVhosts(request.principal()), component, false));
  }

  private Response listOfVhost(Request request) {
    request.principal().requirePolicymaker();
    List<VirtualHost> vhost = List.of(managed.ownVhost(request));
    return answer(request, parameters(vhost, request.parameter("component"), false));
  }

  private static Response answer(Request request, List<ParameterView> parameters) {
    return Listing.of(parameters, ParameterView::name, ParameterView::toMap).answer(request);
  }

  private Response get(Request request) {
    request.principal().requirePolicymaker();
    List<VirtualHost> vhost = List.of(managed.ownVhost(request));
    boolean withPasswords = request.principal().isAdministrator();
    return parameters(vhost, request.parameter("component"), withPasswords).stream()
        .filter(parameter -> parameter.name.equals(request.parameter("name")))
        .findFirst()
        .map(parameter -> Response.ok(Listing.columns(request, parameter.toMap())))
        .orElseThrow(
            () -> ApiException.notFound(Missing.other("parameter", request.parameter("name"))));
  }

  private Response set(Request request) {
    request.principal().requirePolicymaker();
    VirtualHost vhost = managed.ownVhostToPutInto(request);
    String component = request.parameter("component");
    Object value = request.body().fields().require("value").get("value");
    if (component.equals(PolicyKind.POLICY.component())) {
      throw ApiException.badRequest("policies may not be set using this method");
    }
    String name = request.parameter("name");
    if (component.equals(VHOST_LIMITS) && name.equals(LIMITS)) {
      request.principal().requireAdministrator();
      return setLimits(vhost, value);
    }
    if (!component.equals(OPERATOR_POLICY)) {
      return setOf(component, vhost, name, value, request.principal());
    }
    request.principal().requireAdministrator();
    if (!(value instanceof Map<?, ?> object)) {
      throw invalid("%s not a list %s".formatted(name, JsonWriter.text(value)));
    }
    Map<String, Object> term = new LinkedHashMap<>();
    object.forEach((key, part) -> term.put((String) key, part));
    PolicyResource.requireOneVhost(request, PolicyKind.OPERATOR_POLICY, name, term);
    return PolicyResource.set(vhost, PolicyResource.parse(PolicyKind.OPERATOR_POLICY, name, term));
  }

  private Response setOf(
      String component, VirtualHost vhost, String name, Object value, Principal principal) {
    Parameters parameters = managed.administration().parameters();
    ParameterComponent known =
        parameters
            .component(component)
            .orElseThrow(() -> invalid("component %s not found".formatted(component)));
    Set<String> usable =
        managed.ownVhosts(principal).stream().map(VirtualHost::name).collect(Collectors.toSet());
    List<String> problems = known.problems(name, value, usable::contains);
    if (!problems.isEmpty()) {
      throw invalid(String.join("\n", problems));
    }
    boolean isNew = !parameters.exists(vhost.name(), component, name);
    Futures.await(
        parameters.set(new Parameter(vhost.name(), component, name, JsonWriter.text(value))));
    return Response.put(isNew);
  }

  /** Sets all limits of a virtual host at once; limits that are not given are removed. */
  private Response setLimits(VirtualHost vhost, Object value) {
    try {
      boolean isNew = vhost.definition().limits().isEmpty();
      Limits limits = LimitsJson.ofVhost(value);
      Futures.await(managed.administration().vhosts().setLimits(vhost.name(), limits));
      return Response.put(isNew);
    } catch (AdministrationException e) {
      throw invalid(e.getMessage());
    }
  }

  private static ApiException invalid(String reason) {
    return ApiException.badRequest("Validation failed\n\n" + reason + "\n");
  }

  private Response clear(Request request) {
    request.principal().requirePolicymaker();
    VirtualHost vhost = managed.ownVhost(request);
    String component = request.parameter("component");
    if (component.equals(PolicyKind.POLICY.component())) {
      throw ApiException.badRequest("policies may not be cleared using this method");
    }
    if (component.equals(VHOST_LIMITS)
        && request.parameter("name").equals(LIMITS)
        && !vhost.definition().limits().isEmpty()) {
      request.principal().requireAdministrator();
      Futures.await(managed.administration().vhosts().setLimits(vhost.name(), Limits.NONE));
      return Response.noContent();
    }
    if (!component.equals(OPERATOR_POLICY)) {
      Futures.await(
          managed
              .administration()
              .parameters()
              .clear(vhost.name(), component, request.parameter("name")));
      return Response.noContent();
    }
    request.principal().requireAdministrator();
    return PolicyResource.clear(vhost, PolicyKind.OPERATOR_POLICY, request.parameter("name"));
  }
}
