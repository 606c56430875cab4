package io.mayflymq.server.management.resource;

import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.server.channel.ChannelView;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Listing;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import io.mayflymq.server.management.json.ConnectionJson;
import io.mayflymq.server.management.json.History;
import java.util.List;
import java.util.function.Predicate;

/** Connections and channels: listed, by virtual host and user, and closed. */
public final class ConnectionResource {
  private static final String DEFAULT_REASON = "Closed via management plugin";

  private final ManagedBroker managed;

  public ConnectionResource(ManagedBroker managed) {
    this.managed = managed;
  }

  public void addTo(RequestRouter requestRouter) {
    requestRouter
        .get("connections", request -> connections(request, view -> true))
        .get("connections/{connection}", this::get)
        .delete("connections/{connection}", this::close)
        .get("connections/{connection}/channels", this::channelsOf)
        .get("connections/username/{user}", this::ofUser)
        .delete("connections/username/{user}", this::closeAllOfUser)
        .get("vhosts/{vhost}/connections", this::ofVhost)
        .get("channels", request -> channels(request, view -> true))
        .get("channels/{channel}", this::channel)
        .get("vhosts/{vhost}/channels", this::channelsOfVhost);
  }

  private Response connections(Request request, Predicate<ManagedBroker.Connected> wanted) {
    return Listing.of(
            managed.connections(request.principal()).stream().filter(wanted).toList(),
            found -> found.view().identity().name(),
            found -> ConnectionJson.connection(found.view(), History.NONE))
        .answer(request);
  }

  private Response channels(Request request, Predicate<ChannelView> wanted) {
    return Listing.of(
            managed.channels(request.principal()).stream().filter(wanted).toList(),
            view -> view.identity().name(),
            view -> ConnectionJson.channel(view, History.NONE))
        .answer(request);
  }

  private Response get(Request request) {
    return Response.ok(
        Listing.columns(
            request,
            ConnectionJson.connection(
                managed.connection(request.principal(), request.parameter("connection")).view(),
                History.of(request))));
  }

  private Response close(Request request) {
    managed
        .connection(request.principal(), request.parameter("connection"))
        .connection()
        .forceClose(reason(request));
    return Response.noContent();
  }

  private static String reason(Request request) {
    return request.headers().getOrDefault("x-reason", DEFAULT_REASON);
  }

  private Response ofUser(Request request) {
    String user = request.parameter("user");
    return Response.ok(
        managed.connections(request.principal()).stream()
            .filter(found -> found.view().identity().user().equals(user))
            .map(found -> ConnectionJson.brief(found.view().identity()))
            .toList());
  }

  private Response closeAllOfUser(Request request) {
    String user = request.parameter("user");
    List<ManagedBroker.Connected> connections = managed.connections(request.principal());
    connections.stream()
        .filter(found -> found.view().identity().user().equals(user))
        .forEach(found -> found.connection().forceClose(reason(request)));
    return Response.noContent();
  }

  private Response ofVhost(Request request) {
    VirtualHost vhost = managed.visibleVhost(request);
    return connections(request, found -> found.view().identity().vhost().equals(vhost.name()));
  }

  private Response channelsOf(Request request) {
    String name =
        managed
            .connection(request.principal(), request.parameter("connection"))
            .view()
            .identity()
            .name();
    return channels(request, view -> view.identity().connection().name().equals(name));
  }

  private Response channel(Request request) {
    String name = request.parameter("channel");
    History history = History.of(request);
    return managed.channels(request.principal()).stream()
        .filter(view -> view.identity().name().equals(name) || view.identity().pid().equals(name))
        .findFirst()
        .map(
            view ->
                Response.ok(Listing.columns(request, ConnectionJson.channelDetail(view, history))))
        .orElseThrow(ApiException::notFound);
  }

  private Response channelsOfVhost(Request request) {
    VirtualHost vhost = managed.visibleVhost(request);
    return channels(request, view -> view.identity().connection().vhost().equals(vhost.name()));
  }
}
