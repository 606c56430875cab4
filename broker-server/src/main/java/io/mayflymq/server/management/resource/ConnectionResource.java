package io.mayflymq.server.management.resource;

import io.mayflymq.server.channel.ChannelView;
import io.mayflymq.server.channel.ConnectionIdentity;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Listing;
import io.mayflymq.server.management.api.Missing;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import io.mayflymq.server.management.cluster.AllNodes;
import io.mayflymq.server.management.cluster.ListKind;
import io.mayflymq.server.management.cluster.SpreadList;
import io.mayflymq.server.management.json.ChannelFields;
import io.mayflymq.server.management.json.ConnectionFields;
import io.mayflymq.server.management.json.History;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Connections and channels: listed, by virtual host and user, and closed. Monitors see those of
 * others, and only administrators close them.
 */
public final class ConnectionResource {
  private static final String DEFAULT_REASON = "Closed via management plugin";

  private final ManagedBroker managed;
  private final SpreadList<ManagedBroker.Connected> connections;
  private final SpreadList<ManagedBroker.Connected> connectionsOfUser;
  private final SpreadList<ChannelView> channels;

  public ConnectionResource(ManagedBroker managed) {
    this.managed = managed;
    this.connections = connections("connections", found -> ConnectionFields.listed(found.view()));
    this.connectionsOfUser =
        connections(
            "connections-of-user", found -> ConnectionFields.brief(found.view().identity()));
    this.channels =
        new SpreadList<>(
            new ListKind<>(
                "channels",
                this::channelsHere,
                view -> view.identity().pid(),
                ConnectionResource::placeOf,
                view -> view.identity().name(),
                view -> List.of(view.identity().connection().givenName()),
                ChannelFields::listed),
            managed.nodes());
  }

  private SpreadList<ManagedBroker.Connected> connections(
      String kind, Function<ManagedBroker.Connected, Map<String, Object>> object) {
    return new SpreadList<>(
        new ListKind<>(
            kind,
            this::connectionsHere,
            found -> found.view().identity().pid(),
            found -> found.view().identity().name(),
            found -> found.view().identity().name(),
            found -> List.of(found.view().identity().givenName()),
            object),
        managed.nodes());
  }

  public void addTo(RequestRouter requestRouter) {
    AllNodes nodes = managed.nodes();
    requestRouter
        .get("connections", connections::answer)
        .get("connections/{connection}", nodes.orElsewhere(this::get))
        .delete("connections/{connection}", nodes.orElsewhere(this::close))
        .get("connections/{connection}/channels", nodes.orElsewhere(this::channelsOf))
        .get("connections/username/{user}", connectionsOfUser::answer)
        .delete("connections/username/{user}", nodes.everywhere(this::closeAllOfUser))
        .get("vhosts/{vhost}/connections", request -> inVhost(request, connections))
        .get("channels", channels::answer)
        .get("channels/{channel}", nodes.orElsewhere(this::channel))
        .get("vhosts/{vhost}/channels", request -> inVhost(request, channels));
  }

  /** Adds what other nodes ask. */
  public void addQuestionsTo(RequestRouter questions) {
    connections.addTo(questions);
    connectionsOfUser.addTo(questions);
    channels.addTo(questions);
    questions
        .get("connections/{connection}", this::get)
        .delete("connections/{connection}", this::close)
        .get("connections/{connection}/channels", this::channelsOf)
        .delete("connections/username/{user}", this::closeAllOfUser)
        .get("channels/{channel}", this::channel);
  }

  private Response inVhost(Request request, SpreadList<?> list) {
    managed.visibleVhost(request);
    return list.answer(request);
  }

  /** Returns those that a request asks for by its path. */
  private List<ManagedBroker.Connected> connectionsHere(Request request) {
    return managed.connections(request.principal()).stream()
        .filter(found -> isMeant(request, found.view().identity()))
        .toList();
  }

  private List<ChannelView> channelsHere(Request request) {
    return managed.channels(request.principal()).stream()
        .filter(view -> isMeant(request, view.identity().connection()))
        .toList();
  }

  private static boolean isMeant(Request request, ConnectionIdentity connection) {
    String user = request.parameter("user");
    String vhost = request.parameter("vhost");
    return (user == null || user.equals(connection.user()))
        && (vhost == null || vhost.equals(connection.vhost()));
  }

  /** By connection, and by number in it. */
  private static String placeOf(ChannelView view) {
    return "%s %05d".formatted(view.identity().connection().name(), view.identity().number());
  }

  private Response get(Request request) {
    return Response.ok(
        Listing.columns(
            request,
            ConnectionFields.alone(
                managed.connection(request.principal(), request.parameter("connection")).view(),
                History.of(request))));
  }

  private Response close(Request request) {
    ManagedBroker.Connected found =
        managed.connection(request.principal(), request.parameter("connection"));
    request.principal().requireMayChange(found.view().identity().user());
    found.connection().forceClose(reason(request));
    return Response.noContent();
  }

  private static String reason(Request request) {
    return request.headers().getOrDefault("x-reason", DEFAULT_REASON);
  }

  private Response closeAllOfUser(Request request) {
    request.principal().requireMayChange(request.parameter("user"));
    connectionsHere(request).forEach(found -> found.connection().forceClose(reason(request)));
    return Response.noContent();
  }

  private Response channelsOf(Request request) {
    String name =
        managed
            .connection(request.principal(), request.parameter("connection"))
            .view()
            .identity()
            .name();
    return Listing.of(
            managed.channels(request.principal()).stream()
                .filter(view -> view.identity().connection().name().equals(name))
                .toList(),
            view -> view.identity().name(),
            ChannelFields::listed)
        .answer(request);
  }

  private Response channel(Request request) {
    String name = request.parameter("channel");
    History history = History.of(request);
    return managed.channels(request.principal()).stream()
        .filter(view -> view.identity().name().equals(name) || view.identity().pid().equals(name))
        .findFirst()
        .map(view -> Response.ok(Listing.columns(request, ChannelFields.alone(view, history))))
        .orElseThrow(() -> ApiException.notFound(Missing.other("channel", name)));
  }
}
