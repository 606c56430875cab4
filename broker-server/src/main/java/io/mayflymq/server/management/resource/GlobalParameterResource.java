package io.mayflymq.server.management.resource;

import io.mayflymq.core.admin.Checks;
import io.mayflymq.core.admin.GlobalParameters;
import io.mayflymq.server.connection.ClusterName;
import io.mayflymq.server.definitions.BrokerDefinitions;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.json.JsonReader;
import io.mayflymq.server.json.JsonWriter;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Listing;
import io.mayflymq.server.management.api.Missing;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Global parameters, for policymakers; those of the broker itself are changed by administrators.
 * The name of the cluster is one of them, with a path of its own.
 */
public final class GlobalParameterResource {
  /**
   * What the broker keeps for itself. The name of the cluster is set by administrators on its own
   * path, so it is here too, and the others are no less.
   */
  private static final Set<String> OF_THE_BROKER =
      Set.of(ClusterName.PARAMETER, ClusterName.ID, BrokerDefinitions.IMPORTED_HASH);

  private final ManagedBroker managed;

  public GlobalParameterResource(ManagedBroker managed) {
    this.managed = managed;
  }

  public void addTo(RequestRouter requestRouter) {
    requestRouter
        .get("global-parameters", this::list)
        .get("global-parameters/{name}", this::get)
        .put("global-parameters/{name}", this::put)
        .delete("global-parameters/{name}", this::delete)
        .get("cluster-name", this::clusterName)
        .put("cluster-name", this::setClusterName);
  }

  private GlobalParameters parameters() {
    return managed.administration().globalParameters();
  }

  private Response list(Request request) {
    request.principal().requirePolicymaker();
    List<Map<String, Object>> objects =
        parameters().list().entrySet().stream()
            .map(entry -> object(entry.getKey(), entry.getValue()))
            .toList();
    return Listing.of(objects).answer(request);
  }

  private Response get(Request request) {
    request.principal().requirePolicymaker();
    String name = request.parameter("name");
    String json = parameters().get(name);
    if (json == null) {
      throw ApiException.notFound(Missing.other("global parameter", name));
    }
    return Response.ok(Listing.columns(request, object(name, json)));
  }

  private static Map<String, Object> object(String name, String json) {
    return Json.object("name", name, "value", JsonReader.stored(json));
  }

  private Response put(Request request) {
    requireMayChange(request);
    Object value = request.body().fields().require("value").get("value");
    return Response.put(
        Futures.await(parameters().set(request.parameter("name"), JsonWriter.text(value))));
  }

  private Response delete(Request request) {
    requireMayChange(request);
    Futures.await(parameters().clear(request.parameter("name")));
    return Response.noContent();
  }

  private static void requireMayChange(Request request) {
    if (OF_THE_BROKER.contains(request.parameter("name"))) {
      request.principal().requireAdministrator();
    } else {
      request.principal().requirePolicymaker();
    }
  }

  private Response clusterName(Request request) {
    return Response.ok(Map.of("name", ClusterName.of(parameters())));
  }

  private Response setClusterName(Request request) {
    request.principal().requireAdministrator();
    String name = request.body().fields().requiredText("name");
    Checks.name("cluster", name);
    Futures.await(parameters().set(ClusterName.PARAMETER, JsonWriter.text(name)));
    return Response.noContent();
  }
}
