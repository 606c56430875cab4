package io.mayflymq.server.ctl;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Messages that are scheduled for a queue. */
final class ScheduleCommands {
  private static final long DEFAULT_LIMIT = 100;
  private static final long LARGEST_PAGE = 1000;
  private static final List<String> COLUMNS =
      List.of("message_id", "due_at", "enqueued_at", "payload_bytes", "exchange", "routing_key");

  private ScheduleCommands() {}

  public static List<Command> all() {
    return List.of(
        Command.named("list_scheduled", "Lists the scheduled messages of a queue, the next first")
            .inVhost()
            .option(
                Option.number(
                    "<limit>", "how many at most, %d".formatted(DEFAULT_LIMIT), "--limit"))
            .arguments("queue")
            .action(ScheduleCommands::list),
        Command.named("cancel_scheduled", "Removes a scheduled message from a queue")
            .inVhost()
            .arguments("queue", "message_id")
            .action(ScheduleCommands::cancel));
  }

  private static Result list(Invocation invocation) {
    String queue = invocation.argument(0);
    long limit = invocation.number("--limit", DEFAULT_LIMIT);
    if (limit < 1) {
      throw ControlException.usage("--limit must be a positive number");
    }
    invocation.banner(
        "Listing messages scheduled for queue '%s' in vhost '%s' ...", queue, invocation.vhost());
    List<Map<String, Object>> rows = new ArrayList<>();
    String path = Api.path("queues", invocation.vhost(), queue, "scheduled");
    Object next = "";
    try {
      while (next != null && rows.size() < limit) {
        long size = Math.min(LARGEST_PAGE, limit - rows.size());
        String after = next.equals("") ? "" : "&after=" + next;
        Map<String, Object> page =
            Api.object(invocation.api().get(path + "?limit=" + size + after));
        ((List<?>) page.get("items")).forEach(item -> rows.add(row(Api.object(item))));
        next = page.get("next");
      }
    } catch (ApiError e) {
      throw e.isNotFound() ? notFound() : e;
    }
    return new Result.Rows(COLUMNS, rows);
  }

  private static Map<String, Object> row(Map<String, Object> item) {
    Map<String, Object> row = new LinkedHashMap<>(ControlValues.only(item, COLUMNS));
    row.computeIfPresent("due_at", (name, millis) -> time(millis));
    row.computeIfPresent("enqueued_at", (name, millis) -> time(millis));
    return row;
  }

  private static String time(Object millis) {
    return Instant.ofEpochMilli(((Number) millis).longValue()).toString();
  }

  private static Result cancel(Invocation invocation) {
    String queue = invocation.argument(0);
    String message = invocation.argument(1);
    invocation.banner(
        "Cancelling scheduled message '%s' of queue '%s' in vhost '%s' ...",
        message, queue, invocation.vhost());
    return delete(invocation, Api.path("queues", invocation.vhost(), queue, "scheduled", message));
  }

  /** Carries out {@code purge_queue --scheduled}. */
  static Result purge(Invocation invocation) {
    String queue = invocation.argument(0);
    invocation.banner(
        "Purging messages scheduled for queue '%s' in vhost '%s' ...", queue, invocation.vhost());
    return delete(invocation, Api.path("queues", invocation.vhost(), queue, "scheduled"));
  }

  private static Result delete(Invocation invocation, String path) {
    try {
      invocation.api().delete(path);
      return Result.DONE;
    } catch (ApiError e) {
      throw e.isNotFound() ? notFound() : e;
    }
  }

  private static ControlException notFound() {
    return ControlException.error(Sysexits.UNAVAILABLE, "not_found");
  }
}
