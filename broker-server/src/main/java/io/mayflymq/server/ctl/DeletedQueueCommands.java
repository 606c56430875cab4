package io.mayflymq.server.ctl;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Deleted queues that can be brought back. */
final class DeletedQueueCommands {
  private static final String ID = "--id";
  private static final String AS = "--as";

  private static final Columns DELETED =
      Columns.of("name", "id")
          .with("deleted_at", queue -> ControlValues.time(queue.get("deleted_at")), "deleted_at")
          .with(
              "recoverable_until",
              queue -> ControlValues.time(queue.get("recoverable_until")),
              "recoverable_until")
          .with("deleted_by")
          .with("messages")
          .with("message_bytes")
          .with("messages_scheduled")
          .with("bindings")
          .with("type")
          .with("node");

  private DeletedQueueCommands() {}

  static Command list() {
    return Command.named("list_deleted_queues", "Lists deleted queues that can be brought back")
        .inVhost()
        .takesColumns(() -> DELETED)
        .action(DeletedQueueCommands::list);
  }

  static Command undelete() {
    return Command.named("undelete_queue", "Brings a deleted queue back, with its messages")
        .inVhost()
        .arguments("queue")
        .option(
            Option.number(
                "<id>",
                "which of several of that name, as list_deleted_queues shows it (the last one)",
                ID))
        .option(Option.text("<name>", "by another name", AS))
        .noting("The queue needs the policy key recoverable before it is deleted.")
        .shownAs(OutputFormat.STRING)
        .forecasting()
        .action(DeletedQueueCommands::undelete);
  }

  private static Result list(Invocation invocation) {
    Columns columns =
        DELETED.chosen(
            invocation.arguments(),
            "name",
            "id",
            "deleted_at",
            "recoverable_until",
            "deleted_by",
            "messages",
            "message_bytes",
            "messages_scheduled");
    invocation.banner("Listing deleted queues for vhost %s ...", invocation.vhost());
    return columns.rows(invocation.api().list(Api.path("deleted-queues", invocation.vhost())));
  }

  private static Result undelete(Invocation invocation) {
    String queue = invocation.argument(0);
    invocation.banner(
        "Bringing back deleted queue '%s' in vhost '%s' ...", queue, invocation.vhost());
    Map<String, Object> body = new LinkedHashMap<>();
    if (invocation.option(ID) != null) {
      body.put("id", invocation.number(ID, 0));
    }
    if (invocation.option(AS) != null) {
      body.put("name", invocation.option(AS));
    }
    String path = Api.path("deleted-queues", invocation.vhost(), queue, "undelete");
    Map<String, Object> report =
        report(invocation, invocation.dryRun() ? path + "/dry-run" : path, body);
    return new Result.Value(report, text(report, invocation.dryRun()));
  }

  private static Map<String, Object> report(
      Invocation invocation, String path, Map<String, Object> body) {
    try {
      return Api.object(invocation.api().post(path, body));
    } catch (ApiError e) {
      throw e.isNotFound() ? ControlException.error(Sysexits.DATA, e.getMessage()) : e;
    }
  }

  private static String text(Map<String, Object> report, boolean forecast) {
    List<String> lines = new ArrayList<>();
    lines.add(
        forecast
            ? "would be restored: " + report.get("would_be_restored")
            : "restored: " + report.get("restored"));
    Restorations.addIfAny(lines, "left, as their time is over: ", report.get("expired"));
    Restorations.addIfAny(lines, "left, as they cannot be read: ", report.get("unreadable"));
    if (!forecast) {
      lines.add("bindings: " + report.get("bindings"));
      for (Map<String, Object> missing : Api.objects(report.get("missing_bindings"))) {
        lines.add(
            "not bound, as exchange '%s' is not there: '%s'"
                .formatted(missing.get("source"), missing.get("routing_key")));
      }
      Restorations.addIfAny(
          lines, "not bound, as there were too many to keep: ", report.get("lost_bindings"));
    }
    return String.join("\n", lines);
  }
}
