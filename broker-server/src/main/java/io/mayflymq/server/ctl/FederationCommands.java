package io.mayflymq.server.ctl;

import io.mayflymq.server.json.Json;
import java.util.List;
import java.util.Map;

/**
 * Links of federation: what they do, and their restart. Upstreams are made with {@code
 * set_parameter}.
 */
final class FederationCommands {
  private static final List<String> STATUS =
      List.of(
          "error",
          "id",
          "status",
          "type",
          "vhost",
          "uri",
          "upstream",
          "exchange",
          "upstream_exchange",
          "queue",
          "upstream_queue",
          "consumer_tag",
          "last_changed",
          "forwarded");

  private FederationCommands() {}

  public static List<Command> all() {
    return List.of(
        Command.named("federation_status", "Displays the state of federation links")
            .option(Option.flag("lists only links that do not run", "--only-down"))
            .action(FederationCommands::status),
        Command.named("restart_federation_link", "Restarts a federation link")
            .arguments("link_id")
            .action(FederationCommands::restart));
  }

  private static Result status(Invocation invocation) {
    boolean onlyDown = invocation.flag("--only-down");
    invocation.banner(
        onlyDown ? "Listing federation links which are down ..." : "Listing federation links ...");
    return new Result.Rows(
        STATUS,
        invocation
            .api()
            .list(onlyDown ? Api.path("federation-links", "state", "down") : "federation-links")
            .stream()
            .map(FederationCommands::row)
            .toList());
  }

  private static Map<String, Object> row(Map<String, Object> link) {
    Map<String, Object> row = Json.object();
    STATUS.forEach(column -> row.put(column, link.getOrDefault(column, "")));
    row.put("last_changed", link.get("timestamp"));
    return row;
  }

  private static Result restart(Invocation invocation) {
    String id = invocation.argument(0);
    invocation.banner("Restarting federation link %s ...", id);
    Map<String, Object> link =
        invocation.api().list("federation-links").stream()
            .filter(each -> id.equals(each.get("id")))
            .findFirst()
            .orElseThrow(
                () ->
                    ControlException.error(
                        Sysexits.UNAVAILABLE,
                        "Federation link with the given id was not found: " + id));
    invocation
        .api()
        .delete(
            Api.path(
                "federation-links",
                "vhost",
                (String) link.get("vhost"),
                id,
                (String) link.get("node"),
                "restart"));
    return Result.DONE;
  }
}
