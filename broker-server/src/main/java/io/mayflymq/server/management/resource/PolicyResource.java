package io.mayflymq.server.management.resource;

import io.mayflymq.core.policy.EffectiveSettings;
import io.mayflymq.core.policy.MistypedArguments;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyException;
import io.mayflymq.core.policy.PolicyKind;
import io.mayflymq.core.policy.PolicyTable;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Listing;
import io.mayflymq.server.management.api.Missing;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import io.mayflymq.server.management.json.Statistics;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Policies and operator policies: lists, sets and clears them, shows what a change would do, and
 * shows the effective settings of objects.
 *
 * <p>A policymaker sets the policies of his virtual hosts, an administrator those of all, and
 * operator policies.
 */
public final class PolicyResource {
  /** The fields of a policy; RabbitMQ ignores other fields of a request. */
  private static final Set<String> TERMS =
      Set.of("pattern", "definition", "priority", "apply-to", "merge");

  /** The field of policies for many virtual hosts, which would be ignored here. */
  private static final String VHOSTS = "vhosts";

  /** By name where the priority is the same, as RabbitMQ lists them. */
  private static final Comparator<Policy> LISTED =
      Comparator.comparingInt(Policy::priority)
          .thenComparing(policy -> !policy.isForVhosts())
          .thenComparing(Policy::name);

  private final ManagedBroker managed;

  public PolicyResource(ManagedBroker managed) {
    this.managed = managed;
  }

  public void addTo(RequestRouter requestRouter) {
    addTo(requestRouter, "policies", PolicyKind.POLICY);
    addTo(requestRouter, "operator-policies", PolicyKind.OPERATOR_POLICY);
    requestRouter
        .get("queues/{vhost}/{queue}/effective", this::effectiveOfQueue)
        .get("exchanges/{vhost}/{exchange}/effective", this::effectiveOfExchange);
  }

  private void addTo(RequestRouter requestRouter, String path, PolicyKind kind) {
    String one = path + "/{vhost}/{policy}";
    requestRouter
        .get(path, request -> list(request, kind, managed.ownVhosts(request.principal())))
        .get(path + "/{vhost}", request -> listOfVhost(request, kind))
        .get(one, request -> get(request, kind))
        .put(one, request -> set(request, kind))
        .delete(one, request -> clear(request, kind))
        .get(one + "/effect", request -> effect(request, kind))
        .put(one + "/dry-run", request -> dryRunOfSet(request, kind))
        .delete(one + "/dry-run", request -> dryRunOfClear(request, kind));
  }

  // Looking

  private record Found(VirtualHost vhost, Policy policy) {}

  private Response listOfVhost(Request request, PolicyKind kind) {
    return list(request, kind, List.of(managed.ownVhost(request)));
  }

  /**
   * Lists policies by priority: if several match, the one that applies comes last, as in RabbitMQ.
   * Those for many virtual hosts are among those of each.
   */
  private static Response list(Request request, PolicyKind kind, Collection<VirtualHost> vhosts) {
    List<Found> all =
        vhosts.stream()
            .flatMap(
                vhost ->
                    vhost.policies().table().all(kind).stream()
                        .sorted(LISTED)
                        .map(policy -> new Found(vhost, policy)))
            .toList();
    return Listing.of(
            all, found -> found.policy.name(), found -> found.policy.toMap(found.vhost.name()))
        .answer(request);
  }

  private Response get(Request request, PolicyKind kind) {
    requireMaker(request, kind);
    VirtualHost vhost = managed.ownVhost(request);
    return Response.ok(
        Listing.columns(request, existing(request, vhost, kind).toMap(vhost.name())));
  }

  /** Tells what a policy matches, and to what of that it applies. */
  private Response effect(Request request, PolicyKind kind) {
    requireMaker(request, kind);
    VirtualHost vhost = managed.ownVhost(request);
    return Response.ok(
        Listing.columns(request, vhost.policies().reachOf(existing(request, vhost, kind)).toMap()));
  }

  private static Policy existing(Request request, VirtualHost vhost, PolicyKind kind) {
    Policy policy = vhost.policies().table().policy(kind, request.parameter("policy"));
    if (policy == null) {
      throw ApiException.notFound(Missing.policy(vhost, kind, request.parameter("policy")));
    }
    return policy;
  }

  private Response effectiveOfQueue(Request request) {
    VirtualHost vhost = managed.visibleVhost(request);
    String name = request.parameter("queue");
    Queue queue = vhost.routing().queue(name);
    if (queue == null) {
      throw ApiException.notFound(Missing.queue(vhost, name));
    }
    Map<String, Object> explained =
        new LinkedHashMap<>(shown(request, vhost, vhost.policies().explainQueue(name)));
    explained.put("mistyped_arguments", MistypedArguments.of(queue.definition().arguments()));
    explained.put("deaths", Statistics.deaths(queue.counters()));
    return Response.ok(explained);
  }

  private Response effectiveOfExchange(Request request) {
    VirtualHost vhost = managed.visibleVhost(request);
    String name = request.exchange();
    if (vhost.routing().exchange(name) == null) {
      throw ApiException.notFound(Missing.exchange(vhost, name));
    }
    return Response.ok(shown(request, vhost, vhost.policies().explainExchange(name)));
  }

  /**
   * A monitor sees of each object which policies apply to it and with which values; the other
   * policies are for those who may use the virtual host, as in lists of them.
   */
  private Map<String, Object> shown(
      Request request, VirtualHost vhost, EffectiveSettings explained) {
    return managed.isOwn(request.principal(), vhost)
        ? explained.toMap()
        : explained.toMapOfEffects();
  }

  // Changing

  private static void requireMaker(Request request, PolicyKind kind) {
    if (kind == PolicyKind.OPERATOR_POLICY) {
      request.principal().requireAdministrator();
    } else {
      request.principal().requirePolicymaker();
    }
  }

  private Response set(Request request, PolicyKind kind) {
    requireMaker(request, kind);
    return set(managed.ownVhostToPutInto(request), wanted(request, kind));
  }

  /** Sets a policy; 201 if there was none of this kind and name. */
  static Response set(VirtualHost vhost, Policy policy) {
    PolicyTable before = vhost.policies().table();
    boolean isNew = before.policy(policy.kind(), policy.name()) == null;
    Futures.await(vhost.policies().set(policy));
    return Response.put(isNew);
  }

  private static Policy wanted(Request request, PolicyKind kind) {
    Map<String, Object> term = new HashMap<>();
    request
        .body()
        .fields()
        .require("pattern", "definition")
        .object()
        .forEach((name, value) -> term.put((String) name, value));
    requireOneVhost(request, kind, request.parameter("policy"), term);
    term.keySet().retainAll(TERMS);
    return parse(kind, request.parameter("policy"), term);
  }

  /**
   * Checks that a policy of one virtual host is not said to be for many.
   *
   * @throws ApiException 400 that tells where it belongs
   */
  static void requireOneVhost(
      Request request, PolicyKind kind, String name, Map<String, Object> term) {
    if (term.containsKey(VHOSTS)) {
      throw ApiException.badRequest(
          "vhosts is for policies of many virtual hosts, and this one would be for '%s' alone: PUT it to /api/%s/%s"
              .formatted(request.parameter("vhost"), VhostPolicyResource.path(kind), name));
    }
  }

  /**
   * Returns a policy as definitions have it.
   *
   * @throws ApiException 400 that lists all errors in it
   */
  static Policy parse(PolicyKind kind, String name, Map<String, ?> term) {
    try {
      return Policy.parse(kind, name, term);
    } catch (PolicyException e) {
      throw ApiException.badRequest(e.report());
    }
  }

  private Response clear(Request request, PolicyKind kind) {
    requireMaker(request, kind);
    return clear(managed.ownVhost(request), kind, request.parameter("policy"));
  }

  /**
   * Clears a policy.
   *
   * @throws ApiException 404 if there is none of this kind and name
   */
  static Response clear(VirtualHost vhost, PolicyKind kind, String policy) {
    if (!Futures.await(vhost.policies().clear(kind, policy))) {
      throw ApiException.notFound(Missing.policy(vhost, kind, policy));
    }
    return Response.noContent();
  }

  // Asking first

  private Response dryRunOfSet(Request request, PolicyKind kind) {
    requireMaker(request, kind);
    VirtualHost vhost = managed.ownVhostToPutInto(request);
    Policy policy = wanted(request, kind);
    Map<String, Object> forecast = Futures.await(vhost.policies().dryRunSet(policy)).toMap();
    forecast.put("effect", vhost.policies().reachOf(policy).toMap());
    return Response.ok(forecast);
  }

  private Response dryRunOfClear(Request request, PolicyKind kind) {
    requireMaker(request, kind);
    VirtualHost vhost = managed.ownVhost(request);
    Policy policy = existing(request, vhost, kind);
    return Response.ok(Futures.await(vhost.policies().dryRunClear(kind, policy.name())).toMap());
  }
}
