package io.mayflymq.server.management.resource;

import io.mayflymq.server.config.NodeName;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Missing;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import io.mayflymq.server.management.cluster.ListKind;
import io.mayflymq.server.management.cluster.SpreadList;
import io.mayflymq.server.management.json.LocalTime;
import io.mayflymq.shovel.federation.LinkStatus;
import io.mayflymq.shovel.federation.LinkStatus.State;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * The links of federation: what they do, and their restart. Upstreams are made by {@link
 * ParameterResource}. In a cluster each node lists those that run on it.
 */
public final class FederationResource {
  private static final String LINKS = "federation-links";
  private static final String RESTART = LINKS + "/vhost/{vhost}/{id}/{node}/restart";

  private final ManagedBroker managed;
  private final SpreadList<LinkStatus> links;
  private final SpreadList<LinkStatus> down;

  public FederationResource(ManagedBroker managed) {
    this.managed = managed;
    this.links = list("federation-links", link -> true);
    this.down = list("federation-links-down", link -> link.state() != State.RUNNING);
  }

  private SpreadList<LinkStatus> list(String kind, Predicate<LinkStatus> shown) {
    return new SpreadList<>(
        new ListKind<>(
            kind,
            request -> here(request, shown),
            LinkStatus::id,
            LinkStatus::id,
            link -> link.federated().name(),
            FederationResource::object),
        managed.nodes());
  }

  public void addTo(RequestRouter requestRouter) {
    requestRouter
        .get(LINKS, request -> list(request, links))
        .get(LINKS + "/state/down", request -> list(request, down))
        .get(LINKS + "/{vhost}", request -> listOfVhost(request, links))
        .get(LINKS + "/{vhost}/state/down", request -> listOfVhost(request, down))
        .delete(RESTART, managed.nodes().orElsewhere(this::restart));
  }

  /** Adds what other nodes ask. */
  public void addQuestionsTo(RequestRouter questions) {
    links.addTo(questions);
    down.addTo(questions);
    questions.delete(RESTART, this::restart);
  }

  private Response listOfVhost(Request request, SpreadList<LinkStatus> wanted) {
    managed.visibleVhost(request);
    return list(request, wanted);
  }

  private static Response list(Request request, SpreadList<LinkStatus> wanted) {
    request.principal().requireMonitor();
    return wanted.answer(request);
  }

  private List<LinkStatus> here(Request request, Predicate<LinkStatus> shown) {
    Predicate<String> asked = managed.vhostsAsked(request);
    return managed.federation().statuses().stream()
        .filter(link -> asked.test(link.federated().vhost()))
        .filter(shown)
        .toList();
  }

  private static Map<String, Object> object(LinkStatus link) {
    String kind = link.federated().kind().wireName();
    Map<String, Object> object =
        Json.object(
            "node",
            NodeName.value(),
            "type",
            kind,
            "vhost",
            link.federated().vhost(),
            kind,
            link.federated().name(),
            "upstream",
            link.upstream(),
            "upstream_" + kind,
            link.upstreamObject(),
            "id",
            link.id(),
            "status",
            link.state().wireName(),
            "uri",
            link.uri(),
            "timestamp",
            LocalTime.text(link.since()),
            "forwarded",
            link.forwarded());
    if (link.federated().selection().policy() != null) {
      object.put("policy", link.federated().selection().policy());
    }
    if (!link.consumerTag().isEmpty()) {
      object.put("consumer_tag", link.consumerTag());
    }
    if (!link.error().isEmpty()) {
      object.put("error", link.error());
    }
    return object;
  }

  /** Restarts a link, on the node that it runs on. */
  private Response restart(Request request) {
    request.principal().requirePolicymaker();
    String vhost = managed.ownVhost(request).name();
    String node = request.parameter("node");
    String id = request.parameter("id");
    if (!node.equals(NodeName.value()) || !managed.federation().restart(vhost, id)) {
      throw ApiException.notFound(Missing.other("federation link", id));
    }
    return Response.noContent();
  }
}
