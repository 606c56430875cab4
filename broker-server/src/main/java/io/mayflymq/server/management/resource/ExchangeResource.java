package io.mayflymq.server.management.resource;

import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.routing.ExchangeType;
import io.mayflymq.core.security.Permission;
import io.mayflymq.core.security.ResourceKind;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.server.channel.DeclareChecks;
import io.mayflymq.server.channel.GeneratedNames;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Body;
import io.mayflymq.server.management.api.Listing;
import io.mayflymq.server.management.api.Missing;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import io.mayflymq.server.management.cluster.NodeSums;
import io.mayflymq.server.management.json.ExchangeFields;
import io.mayflymq.server.management.json.History;
import io.mayflymq.server.management.json.PathNames;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Exchanges: listed, declared, deleted. */
public final class ExchangeResource {
  private final ManagedBroker managed;
  private final NodeSums<Found> list;
  private final NodeSums<Found> one;

  public ExchangeResource(ManagedBroker managed) {
    this.managed = managed;
    this.list = counts("exchanges", ExchangeFields::listed);
    this.one = counts("exchange", ExchangeFields::alone);
  }

  /** How an exchange is shown. */
  private interface Form {
    Map<String, Object> of(VirtualHost vhost, ExchangeDefinition exchange, History history);
  }

  private NodeSums<Found> counts(String kind, Form form) {
    return new NodeSums<>(
        new NodeSums.Kind<>(
            kind,
            Found::id,
            found -> found.exchange.name(),
            (request, all) -> {
              History history = History.of(request);
              return Listing.lazy(all, found -> form.of(found.vhost, found.exchange, history));
            },
            this::countsById),
        managed.nodes());
  }

  public void addTo(RequestRouter requestRouter) {
    requestRouter
        .get("exchanges", request -> list(request, managed.vhosts(request.principal())))
        .get("exchanges/{vhost}", request -> list(request, List.of(managed.visibleVhost(request))))
        .get("exchanges/{vhost}/{exchange}", this::get)
        .put(
            "exchanges/{vhost}/{exchange}",
            request -> managed.onNamedNode(request, () -> declare(request)))
        .delete("exchanges/{vhost}/{exchange}", this::delete);
  }

  /** Adds what other nodes ask. */
  public void addQuestionsTo(RequestRouter questions) {
    list.addTo(questions);
    one.addTo(questions);
    questions.put("exchanges/{vhost}/{exchange}", this::declare);
  }

  private record Found(VirtualHost vhost, ExchangeDefinition exchange) {
    /** The length of the first name tells where the second one begins. */
    String id() {
      return "%d:%s%s".formatted(vhost.name().length(), vhost.name(), exchange.name());
    }
  }

  /** Answers another node: with the statistics only, as it knows the rest. */
  private Map<String, Map<String, Object>> countsById(Request request, List<String> ids) {
    Map<String, VirtualHost> visible =
        managed.vhosts(request.principal()).stream()
            .collect(Collectors.toMap(VirtualHost::name, vhost -> vhost));
    Map<String, Map<String, Object>> counts = new HashMap<>();
    for (String id : ids) {
      int colon = id.indexOf(':');
      int end = colon + 1 + Integer.parseInt(id.substring(0, colon));
      VirtualHost vhost = visible.get(id.substring(colon + 1, end));
      ExchangeDefinition exchange =
          vhost == null ? null : vhost.routing().exchange(id.substring(end));
      if (exchange != null) {
        counts.put(id, ExchangeFields.counted(vhost, exchange, History.of(request)));
      }
    }
    return counts;
  }

  private Response list(Request request, Collection<VirtualHost> vhosts) {
    List<Found> all =
        vhosts.stream()
            .flatMap(
                vhost ->
                    vhost.routing().exchanges().stream()
                        .sorted(Comparator.comparing(ExchangeDefinition::name))
                        .map(exchange -> new Found(vhost, exchange)))
            .toList();
    return list.answer(request, all);
  }

  private Response get(Request request) {
    VirtualHost vhost = managed.visibleVhost(request);
    ExchangeDefinition exchange = vhost.routing().exchange(request.exchange());
    if (exchange == null) {
      throw ApiException.notFound(Missing.exchange(vhost, request.exchange()));
    }
    return Response.ok(
        Listing.columns(request, one.objects(request, List.of(new Found(vhost, exchange))).get(0)));
  }

  private Response declare(Request request) {
    VirtualHost vhost = managed.usableVhost(request);
    String name = GeneratedNames.clean(request.exchange());
    Body.Fields fields = request.body().fields();
    FieldTable arguments = fields.table("arguments");
    String typeName = fields.text("type", ExchangeType.DIRECT.wireName());
    ExchangeType type = ExchangeType.ofWireName(typeName);
    if (type == null) {
      throw ApiException.badRequest("invalid exchange type '%s'".formatted(typeName));
    }
    PathNames.check("exchange", name);
    DeclareChecks.exchange(managed.access(request.principal(), vhost), vhost, name, arguments);
    boolean isNew = vhost.routing().exchange(name) == null;
    Futures.await(
        vhost.declareExchange(
            new ExchangeDefinition(
                name,
                type,
                fields.bool("durable"),
                fields.bool("auto_delete"),
                fields.bool("internal"),
                arguments),
            request.principal()));
    return Response.put(isNew);
  }

  private Response delete(Request request) {
    VirtualHost vhost = managed.usableVhost(request);
    String name = request.exchange();
    if (vhost.routing().exchange(name) == null) {
      throw ApiException.notFound(Missing.exchange(vhost, name));
    }
    managed
        .access(request.principal(), vhost)
        .check(ResourceKind.EXCHANGE, name, Permission.CONFIGURE);
    if (name.isEmpty()) {
      throw ApiException.notAuthorised("operation not permitted on the default exchange");
    }
    Futures.await(vhost.deleteExchange(name, request.flag("if-unused"), request.principal()));
    return Response.noContent();
  }
}
