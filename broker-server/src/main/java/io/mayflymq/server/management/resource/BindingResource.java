package io.mayflymq.server.management.resource;

import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.routing.DestinationKind;
import io.mayflymq.core.routing.RoutingTable;
import io.mayflymq.core.security.VhostAccess;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.server.channel.DeclareChecks;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Body;
import io.mayflymq.server.management.api.Listing;
import io.mayflymq.server.management.api.Missing;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import io.mayflymq.server.management.json.BindingFields;
import io.mayflymq.server.management.json.PathNames;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * Bindings: all, of a virtual host, from and to an exchange, to a queue, and between two. The
 * implicit bindings from the default exchange to each queue are listed too. What does not exist has
 * none.
 *
 * <p>Source: RabbitMQ 4.3.6, which lists an implicit binding of a queue that does not exist, too.
 */
public final class BindingResource {
  private static final Comparator<Binding> ORDER =
      Comparator.comparing(Binding::source)
          .thenComparing(binding -> binding.destinationKind().toString())
          .thenComparing(Binding::destination)
          .thenComparing(Binding::routingKey)
          .thenComparing(BindingFields::propertiesKey);

  private final ManagedBroker managed;

  public BindingResource(ManagedBroker managed) {
    this.managed = managed;
  }

  public void addTo(RequestRouter requestRouter) {
    requestRouter
        .get("bindings", request -> list(request, managed.vhosts(request.principal())))
        .get("bindings/{vhost}", request -> list(request, List.of(managed.visibleVhost(request))))
        .get("queues/{vhost}/{queue}/bindings", this::ofQueue)
        .get("exchanges/{vhost}/{exchange}/bindings/source", this::fromExchange)
        .get("exchanges/{vhost}/{exchange}/bindings/destination", this::toExchange);
    for (DestinationKind kind : DestinationKind.values()) {
      String between =
          "bindings/{vhost}/e/{exchange}/"
              + (kind == DestinationKind.QUEUE ? "q" : "e")
              + "/{destination}";
      requestRouter
          .get(between, request -> between(request, kind))
          .post(between, request -> bind(request, kind))
          .get(between + "/{key}", request -> get(request, kind))
          .delete(between + "/{key}", request -> unbind(request, kind));
    }
  }

  private record Found(VirtualHost vhost, Binding binding) {}

  private static Response list(Request request, Collection<VirtualHost> vhosts) {
    List<Found> all = new ArrayList<>();
    for (VirtualHost vhost : vhosts) {
      RoutingTable<Queue> table = vhost.routing();
      List<Binding> bindings = new ArrayList<>(implicit(table));
      bindings.addAll(table.bindings());
      bindings.stream().sorted(ORDER).map(binding -> new Found(vhost, binding)).forEach(all::add);
    }
    return answer(request, all);
  }

  private static Response list(Request request, VirtualHost vhost, List<Binding> bindings) {
    return answer(
        request,
        bindings.stream().sorted(ORDER).map(binding -> new Found(vhost, binding)).toList());
  }

  private static Response answer(Request request, List<Found> all) {
    return Listing.of(
            all,
            found -> found.binding.source(),
            found -> BindingFields.of(found.vhost, found.binding))
        .answer(request);
  }

  private static List<Binding> implicit(RoutingTable<Queue> table) {
    List<Binding> implicit = new ArrayList<>(table.queueCount());
    table.forEachQueue((name, queue) -> implicit.add(implicit(name)));
    return implicit;
  }

  private static Binding implicit(String queue) {
    return Binding.toQueue("", queue, queue);
  }

  private Response ofQueue(Request request) {
    VirtualHost vhost = managed.visibleVhost(request);
    String queue = request.parameter("queue");
    List<Binding> bindings = new ArrayList<>();
    if (vhost.routing().queue(queue) != null) {
      bindings.add(implicit(queue));
      bindings.addAll(vhost.routing().bindingsTo(DestinationKind.QUEUE, queue));
    }
    return list(request, vhost, bindings);
  }

  private Response fromExchange(Request request) {
    VirtualHost vhost = managed.visibleVhost(request);
    String exchange = request.exchange();
    return list(
        request,
        vhost,
        exchange.isEmpty() ? implicit(vhost.routing()) : vhost.routing().bindingsFrom(exchange));
  }

  private Response toExchange(Request request) {
    VirtualHost vhost = managed.visibleVhost(request);
    return list(
        request, vhost, vhost.routing().bindingsTo(DestinationKind.EXCHANGE, request.exchange()));
  }

  private static List<Binding> between(
      VirtualHost vhost, String source, DestinationKind kind, String destination) {
    if (source.isEmpty()) {
      return kind == DestinationKind.QUEUE && vhost.routing().queue(destination) != null
          ? List.of(implicit(destination))
          : List.of();
    }
    return vhost.routing().bindingsTo(kind, destination).stream()
        .filter(binding -> binding.source().equals(source))
        .toList();
  }

  private Response between(Request request, DestinationKind kind) {
    VirtualHost vhost = managed.visibleVhost(request);
    return list(
        request, vhost, between(vhost, request.exchange(), kind, request.parameter("destination")));
  }

  private Response get(Request request, DestinationKind kind) {
    VirtualHost vhost = managed.visibleVhost(request);
    return Response.ok(
        Listing.columns(request, BindingFields.of(vhost, named(request, vhost, kind))));
  }

  private static Binding named(Request request, VirtualHost vhost, DestinationKind kind) {
    String key = unquote(request.parameter("key"));
    return between(vhost, request.exchange(), kind, request.parameter("destination")).stream()
        .filter(binding -> unquote(BindingFields.propertiesKey(binding)).equals(key))
        .findFirst()
        .orElseThrow(() -> ApiException.notFound(Missing.other("binding", key)));
  }

  /** Clients quote more or less of a key, or nothing. */
  private static String unquote(String text) {
    try {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return text;
    }
  }

  private Response bind(Request request, DestinationKind kind) {
    VirtualHost vhost = managed.usableVhost(request);
    Body.Fields fields = request.body().fields();
    Binding binding =
        new Binding(
            request.exchange(),
            kind,
            request.parameter("destination"),
            fields.text("routing_key", ""),
            fields.table("arguments"));
    VhostAccess access = managed.access(request.principal(), vhost);
    DeclareChecks.newBinding(access, vhost, binding);
    Futures.await(vhost.bind(binding, request.principal()));
    String location =
        PathNames.quote(binding.destination())
            + "/"
            + PathNames.quote(BindingFields.propertiesKey(binding)).replace("%7E", "~");
    return new Response(201, null, Map.of("location", location));
  }

  private Response unbind(Request request, DestinationKind kind) {
    VirtualHost vhost = managed.usableVhost(request);
    Binding binding = named(request, vhost, kind);
    DeclareChecks.binding(managed.access(request.principal(), vhost), vhost, binding);
    Futures.await(vhost.unbind(binding, request.principal()));
    return Response.noContent();
  }
}
