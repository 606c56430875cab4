package io.mayflymq.server.ctl;

import io.mayflymq.server.json.Json;
import java.util.List;
import java.util.Map;

/** Shovels: what they do, their end and restart. They are made with {@code set_parameter}. */
final class ShovelCommands {
  private static final List<String> STATUS =
      List.of(
          "name",
          "vhost",
          "type",
          "state",
          "source",
          "source_protocol",
          "source_queue",
          "destination",
          "destination_protocol",
          "destination_queue",
          "last_changed",
          "termination_reason",
          "pending",
          "remaining",
          "remaining_unacked",
          "forwarded");

  private ShovelCommands() {}

  public static List<Command> all() {
    return List.of(
        Command.named("shovel_status", "Displays status of Shovel on a node")
            .action(ShovelCommands::status),
        Command.named("list_shovels", "Lists the shovels of a virtual host")
            .inVhost()
            .action(ShovelCommands::list),
        Command.named("restart_shovel", "Restarts a dynamic Shovel")
            .inVhost()
            .arguments("name")
            .action(ShovelCommands::restart),
        Command.named("delete_shovel", "Deletes a Shovel")
            .inVhost()
            .arguments("name")
            .action(ShovelCommands::delete));
  }

  private static Result status(Invocation invocation) {
    invocation.banner("Shovel status:");
    return new Result.Rows(
        STATUS, invocation.api().list("shovels").stream().map(ShovelCommands::row).toList());
  }

  private static Map<String, Object> row(Map<String, Object> shovel) {
    return Json.object(
        "name", shovel.get("name"),
        "vhost", shovel.get("vhost"),
        "type", shovel.get("type"),
        "state", shovel.get("state"),
        "source", text(shovel, "src_uri"),
        "source_protocol", text(shovel, "src_protocol"),
        "source_queue", text(shovel, "src_queue"),
        "destination", text(shovel, "dest_uri"),
        "destination_protocol", text(shovel, "dest_protocol"),
        "destination_queue", text(shovel, "dest_queue"),
        "last_changed", text(shovel, "timestamp"),
        "termination_reason", text(shovel, "reason"),
        "pending", shovel.get("pending"),
        "remaining", shovel.get("remaining"),
        "remaining_unacked", shovel.get("remaining_unacked"),
        "forwarded", shovel.get("forwarded"));
  }

  private static String text(Map<String, Object> shovel, String field) {
    Object value = shovel.get(field);
    return value == null ? "" : value.toString();
  }

  private static Result list(Invocation invocation) {
    String vhost = invocation.vhost();
    invocation.banner("Listing shovels of vhost \"%s\" ...", vhost);
    List<String> columns = List.of("name", "state", "source", "destination", "forwarded");
    try {
      return new Result.Rows(
          columns,
          invocation.api().list(Api.path("shovels", vhost)).stream()
              .map(shovel -> ControlValues.only(row(shovel), columns))
              .toList());
    } catch (ApiError e) {
      throw e.isNotFound() ? ControlException.noSuchVhost(vhost) : e;
    }
  }

  private static Result restart(Invocation invocation) {
    String name = invocation.argument(0);
    invocation.banner("Restarting dynamic Shovel %s on vhost %s", name, invocation.vhost());
    try {
      invocation.api().delete(Api.path("shovels", "vhost", invocation.vhost(), name, "restart"));
      return Result.DONE;
    } catch (ApiError e) {
      throw e.isNotFound() ? missing(name) : e;
    }
  }

  private static Result delete(Invocation invocation) {
    String name = invocation.argument(0);
    invocation.banner("Deleting Shovel %s on vhost %s", name, invocation.vhost());
    try {
      invocation.api().delete(Api.path("parameters", "shovel", invocation.vhost(), name));
      return Result.DONE;
    } catch (ApiError e) {
      throw e.isNotFound() ? missing(name) : e;
    }
  }

  private static ControlException missing(String name) {
    return ControlException.error(
        Sysexits.UNAVAILABLE, "Shovel with the given name was not found: " + name);
  }
}
