package io.mayflymq.server.ctl;

import java.util.List;
import java.util.Locale;

/** What is done to queues. */
final class QueueCommands {
  private QueueCommands() {}

  static List<Command> all() {
    return List.of(
        Command.named("delete_queue", "Deletes a queue")
            .inVhost()
            .takes("queue_name")
            .option(Option.flag("only if it has no ready messages", "-e", "--if-empty"))
            .option(Option.flag("only if it has no consumers", "-u", "--if-unused"))
            .option(Option.flag("means nothing here", "--force"))
            .does(QueueCommands::delete),
        Command.named("purge_queue", "Purges a queue (removes all messages in it)")
            .inVhost()
            .option(Option.flag("the scheduled messages in place of the ready ones", "--scheduled"))
            .takes("queue")
            .does(QueueCommands::purge));
  }

  private static Result delete(Invocation invocation) {
    String queue = invocation.argument(0);
    boolean ifEmpty = invocation.flag("--if-empty");
    boolean ifUnused = invocation.flag("--if-unused");
    String only =
        ifEmpty && ifUnused
            ? " if queue is empty and if queue is unused"
            : ifEmpty ? " if queue is empty" : ifUnused ? " if queue is unused" : "";
    invocation.banner("Deleting queue '%s' on vhost '%s'%s ...", queue, invocation.vhost(), only);
    if (invocation.dryRun()) {
      return Result.DONE;
    }
    String path = Api.path("queues", invocation.vhost(), queue);
    try {
      long ready =
          Values.number(
              Api.object(invocation.api().get(path + "?columns=messages_ready")), "messages_ready");
      invocation.api().delete(path + "?if-empty=%b&if-unused=%b".formatted(ifEmpty, ifUnused));
      return new Result.Done(
          "Queue was successfully deleted with %d ready messages".formatted(ready));
    } catch (ApiError e) {
      throw ControlException.error(Sysexits.USAGE, refusal(e));
    }
  }

  private static String refusal(ApiError refused) {
    String reason = refused.getMessage().toLowerCase(Locale.ROOT);
    if (refused.isNotFound()) {
      return "Queue not found";
    }
    if (reason.contains("not empty")) {
      return "Queue is not empty";
    }
    return reason.contains("in use") ? "Queue is in use" : refused.getMessage();
  }

  private static Result purge(Invocation invocation) {
    if (invocation.flag("--scheduled")) {
      return ScheduleCommands.purge(invocation);
    }
    String queue = invocation.argument(0);
    invocation.banner("Purging queue '%s' in vhost '%s' ...", queue, invocation.vhost());
    if (invocation.dryRun()) {
      return Result.DONE;
    }
    try {
      invocation.api().delete(Api.path("queues", invocation.vhost(), queue, "contents"));
      return Result.DONE;
    } catch (ApiError e) {
      throw e.isNotFound() ? ControlException.error(Sysexits.UNAVAILABLE, "not_found") : e;
    }
  }
}
