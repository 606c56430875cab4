package io.mayflymq.server.management.resource;

import io.mayflymq.core.admin.PoliciesForVhosts;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyKind;
import io.mayflymq.core.policy.PolicyReach;
import io.mayflymq.core.vhost.PolicyDryRun;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Listing;
import io.mayflymq.server.management.api.Missing;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Policies and operator policies for many virtual hosts: lists, sets and clears them, and shows
 * what a change would do in each virtual host. For administrators, as they reach all of these.
 */
public final class VhostPolicyResource {
  private static final String NAME = "name";

  /** The fields of a request; the name, which is that of the path, is in what is listed. */
  private static final Set<String> FIELDS =
      new TreeSet<>(
          List.of("vhosts", "pattern", "definition", "priority", "apply-to", "merge", NAME));

  /** What a dry run counts. */
  private static final List<String> SUMS =
      List.of(
          "expiring",
          "overflowing",
          "dead_lettered",
          "dropped",
          "starting_to_expire",
          "expiring_queues");

  private final ManagedBroker managed;

  public VhostPolicyResource(ManagedBroker managed) {
    this.managed = managed;
  }

  public void addTo(RequestRouter requestRouter) {
    for (PolicyKind kind : PolicyKind.values()) {
      addTo(requestRouter, path(kind), kind);
    }
  }

  /** Returns the path of the policies of a kind that are for many virtual hosts. */
  static String path(PolicyKind kind) {
    return switch (kind) {
      case POLICY -> "vhost-policies";
      case OPERATOR_POLICY -> "vhost-operator-policies";
    };
  }

  private void addTo(RequestRouter requestRouter, String path, PolicyKind kind) {
    String one = path + "/{policy}";
    requestRouter
        .get(path, request -> list(request, kind))
        .get(one, request -> get(request, kind))
        .put(one, request -> set(request, kind))
        .delete(one, request -> clear(request, kind))
        .get(one + "/effect", request -> effect(request, kind))
        .put(one + "/dry-run", request -> dryRunOfSet(request, kind))
        .delete(one + "/dry-run", request -> dryRunOfClear(request, kind));
  }

  private PoliciesForVhosts policies() {
    return managed.administration().policies();
  }

  private Response list(Request request, PolicyKind kind) {
    request.principal().requireAdministrator();
    List<Policy> all = policies().list().stream().filter(each -> each.kind() == kind).toList();
    return Listing.of(all, Policy::name, VhostPolicyResource::object).answer(request);
  }

  private static Map<String, Object> object(Policy policy) {
    Map<String, Object> object = policy.toMap("");
    object.remove("vhost");
    return object;
  }

  private Response get(Request request, PolicyKind kind) {
    request.principal().requireAdministrator();
    return Response.ok(Listing.columns(request, object(existing(request, kind))));
  }

  private Policy existing(Request request, PolicyKind kind) {
    Policy policy = policies().get(kind, request.parameter("policy"));
    if (policy == null) {
      throw missing(request, kind);
    }
    return policy;
  }

  private static ApiException missing(Request request, PolicyKind kind) {
    return ApiException.notFound(
        Missing.other(kind.inWords() + " for many virtual hosts", request.parameter("policy")));
  }

  private Response set(Request request, PolicyKind kind) {
    request.principal().requireAdministrator();
    return Response.put(Futures.await(policies().set(wanted(request, kind))));
  }

  private static Policy wanted(Request request, PolicyKind kind) {
    Map<String, Object> term = new HashMap<>();
    request
        .body()
        .fields()
        .require("vhosts", "pattern", "definition")
        .object()
        .forEach((name, value) -> term.put((String) name, value));
    for (String field : term.keySet()) {
      if (!FIELDS.contains(field)) {
        throw ApiException.badRequest(
            "field should be one of %s, actually was %s"
                .formatted(String.join(", ", FIELDS), field));
      }
    }
    term.remove(NAME);
    return PolicyResource.parse(kind, request.parameter("policy"), term);
  }

  private Response clear(Request request, PolicyKind kind) {
    request.principal().requireAdministrator();
    if (!Futures.await(policies().clear(kind, request.parameter("policy")))) {
      throw missing(request, kind);
    }
    return Response.noContent();
  }

  // What it does

  private Response effect(Request request, PolicyKind kind) {
    request.principal().requireAdministrator();
    return Response.ok(Listing.columns(request, effectOf(existing(request, kind))));
  }

  /** In words, and for each virtual host. */
  private Map<String, Object> effectOf(Policy policy) {
    List<VirtualHost> vhosts = policies().vhostsOf(policy);
    List<Object> each = new ArrayList<>();
    List<String> words = new ArrayList<>();
    words.add(
        vhosts.isEmpty()
            ? "matches no virtual host"
            : "matches %d virtual host%s".formatted(vhosts.size(), vhosts.size() == 1 ? "" : "s"));
    for (VirtualHost vhost : vhosts) {
      PolicyReach reach = vhost.policies().reachOf(policy);
      each.add(Json.object("vhost", vhost.name(), "effect", reach.toMap()));
      words.add("in '%s' it %s".formatted(vhost.name(), reach.inWords()));
    }
    return Json.object("summary", String.join("\n", words), "vhosts", each);
  }

  private Response dryRunOfSet(Request request, PolicyKind kind) {
    request.principal().requireAdministrator();
    Policy policy = wanted(request, kind);
    Policy before = policies().get(kind, policy.name());
    Map<String, Object> forecast =
        dryRun(
            policy,
            before,
            vhost ->
                policy.isForVhost(vhost.name())
                    ? vhost.policies().dryRunSet(policy)
                    : vhost.policies().dryRunClearForVhosts(kind, policy.name()));
    forecast.put("effect", effectOf(policy));
    return Response.ok(forecast);
  }

  private Response dryRunOfClear(Request request, PolicyKind kind) {
    request.principal().requireAdministrator();
    Policy policy = existing(request, kind);
    return Response.ok(
        dryRun(
            policy, policy, vhost -> vhost.policies().dryRunClearForVhosts(kind, policy.name())));
  }

  /**
   * Returns the sums, and each object with its virtual host.
   *
   * @param before what it replaces, or null
   */
  private Map<String, Object> dryRun(
      Policy policy, Policy before, Function<VirtualHost, CompletableFuture<PolicyDryRun>> ask) {
    Map<String, CompletableFuture<PolicyDryRun>> answers = new LinkedHashMap<>();
    for (VirtualHost vhost : managed.broker().virtualHosts()) {
      if (policy.isForVhost(vhost.name()) || (before != null && before.isForVhost(vhost.name()))) {
        answers.put(vhost.name(), ask.apply(vhost));
      }
    }
    Map<String, Object> sum = new LinkedHashMap<>();
    List<Object> queues = new ArrayList<>();
    List<Object> exchanges = new ArrayList<>();
    SUMS.forEach(name -> sum.put(name, 0L));
    answers.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(
            entry -> {
              Map<String, Object> forecast = Futures.await(entry.getValue()).toMap();
              SUMS.forEach(name -> sum.merge(name, forecast.get(name), VhostPolicyResource::add));
              queues.addAll(in(entry.getKey(), forecast.get("queues")));
              exchanges.addAll(in(entry.getKey(), forecast.get("exchanges")));
            });
    sum.put("queues", queues);
    sum.put("exchanges", exchanges);
    return sum;
  }

  private static Object add(Object sum, Object more) {
    return ((Number) sum).longValue() + ((Number) more).longValue();
  }

  private static List<Object> in(String vhost, Object objects) {
    List<Object> named = new ArrayList<>();
    for (Object object : (List<?>) objects) {
      Map<String, Object> map = new LinkedHashMap<>();
      map.put("vhost", vhost);
      ((Map<?, ?>) object).forEach((key, value) -> map.put((String) key, value));
      named.add(map);
    }
    return named;
  }
}
