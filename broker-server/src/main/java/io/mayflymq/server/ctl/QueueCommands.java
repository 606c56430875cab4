package io.mayflymq.server.ctl;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Commands that change queues. */
final class QueueCommands {
  private static final long USUAL_LIMIT = 50;
  private static final long USUAL_TRUNCATE = 4096;
  private static final long LARGEST_PAGE = 1000;

  private static final String SCHEDULED = "--scheduled";
  static final String COUNT = "--count";
  static final String OLDER_THAN = "--older-than";
  static final String MESSAGE_ID = "--message-id";
  static final String HEADER = "--header";
  private static final String DELIVERIES = "--deliveries";
  private static final String PUBLISHING = "--publishing";
  private static final String PAUSE = "pause";
  private static final String TTL = "--ttl";

  private static final Columns MESSAGES =
      Columns.of("position", "sequence")
          .with("message_id", message -> property(message, "message_id"), "properties")
          .with("exchange")
          .with("routing_key")
          .with(
              "enqueued_at",
              message -> ControlValues.time(message.get("enqueued_at")),
              "enqueued_at")
          .with("deadline", message -> ControlValues.time(message.get("deadline")), "deadline")
          .with("ttl_left_ms")
          .with("redelivered")
          .with("delivery_count")
          .with("headers", message -> Term.table(property(message, "headers")), "properties")
          .withTable("properties")
          .with("payload_bytes")
          .with("payload_encoding")
          .with("payload");

  private QueueCommands() {}

  public static List<Command> all() {
    return List.of(
        Command.named("delete_queue", "Deletes a queue")
            .inVhost()
            .arguments("queue_name")
            .option(Option.flag("only if it has no ready messages", "-e", "--if-empty"))
            .option(Option.flag("only if it has no consumers", "-u", "--if-unused"))
            .option(Option.flag("means nothing here", "--force"))
            .action(QueueCommands::delete),
        Command.named("purge_queue", "Purges a queue (removes all messages in it)")
            .inVhost()
            .option(Option.flag("the scheduled messages in place of the ready ones", SCHEDULED))
            .option(Option.number("<n>", "no more than so many, the oldest ones", COUNT))
            .option(
                Option.number(
                    "<seconds>", "only those that have been there for so long", OLDER_THAN))
            .option(Option.text("<id>", "only those with this message id", MESSAGE_ID))
            .option(
                Option.texts(
                    "<name>=<value>",
                    "only those that have this header; may be given several times",
                    HEADER))
            .arguments("queue")
            .action(QueueCommands::purge),
        Command.named("delete_message", "Removes one ready message from a queue")
            .inVhost()
            .arguments("queue", "sequence")
            .noting("browse_queue shows the sequence of each message.")
            .action(QueueCommands::deleteMessage),
        MessageMoves.move(),
        Restorations.undoPurge(),
        Restorations.rewind(),
        DeletedQueueCommands.undelete(),
        DeletedQueueCommands.list(),
        Command.named("pause_queue", "Holds the messages of a queue, or its publishers, or both")
            .inVhost()
            .option(Option.flag("consumers get nothing, and publishers go on", DELIVERIES))
            .option(Option.flag("publishers wait, and consumers go on", PUBLISHING))
            .option(
                Option.text(
                    "<stop|run>", "whether the TTL of messages stands still meanwhile", TTL))
            .arguments("queue")
            .noting(
                "Without --deliveries and --publishing both wait. What waits already goes on to do"
                    + " so. The pause stays until resume_queue, over restarts too.")
            .action(QueueCommands::pause),
        Command.named("resume_queue", "Ends the pause of a queue")
            .inVhost()
            .arguments("queue")
            .action(QueueCommands::resume),
        Command.named("browse_queue", "Shows ready messages of a queue, and leaves them there")
            .inVhost()
            .arguments("queue")
            .takesMany("column")
            .option(Option.number("<n>", "from this position on, 0 is the head (0)", "--from"))
            .option(Option.number("<n>", "no more than so many (50)", "--limit"))
            .option(Option.number("<bytes>", "no more of each body (4096)", "--truncate"))
            .noting(MESSAGES.note())
            .action(QueueCommands::browse));
  }

  private static Result browse(Invocation invocation) {
    List<String> arguments = invocation.arguments();
    String queue = arguments.get(0);
    Columns columns =
        MESSAGES.chosen(
            arguments.subList(1, arguments.size()),
            "position",
            "message_id",
            "routing_key",
            "enqueued_at",
            "ttl_left_ms",
            "redelivered",
            "payload_bytes",
            "payload");
    invocation.banner("Browsing queue '%s' in vhost '%s' ...", queue, invocation.vhost());
    List<Map<String, Object>> messages = new ArrayList<>();
    long wanted = invocation.number("--limit", USUAL_LIMIT);
    Object next = invocation.number("--from", 0);
    while (next != null && messages.size() < wanted) {
      Map<String, Object> page =
          page(
              invocation,
              queue,
              "?from=%s&count=%d&truncate=%d"
                  .formatted(
                      next,
                      Math.min(LARGEST_PAGE, wanted - messages.size()),
                      invocation.number("--truncate", USUAL_TRUNCATE)));
      ((List<?>) page.get("items")).forEach(message -> messages.add(Api.object(message)));
      next = page.get("next");
    }
    return columns.rows(messages);
  }

  private static Map<String, Object> page(Invocation invocation, String queue, String query) {
    try {
      return Api.object(
          invocation.api().get(Api.path("queues", invocation.vhost(), queue, "messages") + query));
    } catch (ApiError e) {
      throw e.isNotFound() ? ControlException.noSuchQueue(queue, invocation.vhost()) : e;
    }
  }

  private static Object property(Map<String, Object> message, String name) {
    return ControlValues.at(message, "properties", name);
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
    String path = Api.path("queues", invocation.vhost(), queue);
    try {
      Map<String, Object> counts =
          Api.object(invocation.api().get(path + "?columns=messages_ready,consumers"));
      long ready = ControlValues.number(counts, "messages_ready");
      if (invocation.dryRun()) {
        return wouldDelete(ready, ifEmpty, ControlValues.number(counts, "consumers"), ifUnused);
      }
      invocation.api().delete(path + "?if-empty=%b&if-unused=%b".formatted(ifEmpty, ifUnused));
      return new Result.Done(
          "Queue was successfully deleted with %d ready messages".formatted(ready));
    } catch (ApiError e) {
      throw ControlException.error(Sysexits.USAGE, refusal(e));
    }
  }

  private static Result wouldDelete(long ready, boolean ifEmpty, long consumers, boolean ifUnused) {
    if (ifUnused && consumers > 0) {
      throw ControlException.error(Sysexits.USAGE, "Queue is in use");
    }
    if (ifEmpty && ready > 0) {
      throw ControlException.error(Sysexits.USAGE, "Queue is not empty");
    }
    return new Result.Done(
        "Would be lost: %d ready messages; would be cancelled: %d consumers"
            .formatted(ready, consumers));
  }

  private static String refusal(ApiError refused) {
    String reason = refused.getMessage().toLowerCase(Locale.ROOT);
    if (refused.isNotFound()) {
      return "No such queue was found";
    }
    if (reason.contains("not empty")) {
      return "Queue is not empty";
    }
    return reason.contains("in use") ? "Queue is in use" : refused.getMessage();
  }

  private static Result purge(Invocation invocation) {
    Map<String, Object> choice = choice(invocation);
    if (invocation.flag(SCHEDULED)) {
      if (!choice.isEmpty()) {
        throw ControlException.usage(
            "Bad argument: %s purges all scheduled messages, and excludes the other options"
                .formatted(SCHEDULED));
      }
      return ScheduleCommands.purge(invocation);
    }
    String queue = invocation.argument(0);
    invocation.banner("Purging queue '%s' in vhost '%s' ...", queue, invocation.vhost());
    if (!choice.isEmpty()) {
      long count = purge(invocation, queue, choice);
      return new Result.Done(
          (invocation.dryRun() ? "Would be lost: %d messages" : "Purged %d messages")
              .formatted(count));
    }
    String path = Api.path("queues", invocation.vhost(), queue);
    try {
      if (invocation.dryRun()) {
        Object counts = invocation.api().get(path + "?columns=messages_ready");
        return new Result.Done(
            "Would be lost: %d ready messages"
                .formatted(ControlValues.number(Api.object(counts), "messages_ready")));
      }
      invocation.api().delete(path + "/contents");
      return Result.DONE;
    } catch (ApiError e) {
      throw e.isNotFound()
          ? ControlException.plain(
              Sysexits.DATA, "Object (queue, stream, exchange, etc) was not found")
          : e;
    }
  }

  /** Returns what the options say of the messages that are meant; empty for all. */
  static Map<String, Object> choice(Invocation invocation) {
    Map<String, Object> choice = new LinkedHashMap<>();
    if (invocation.option(COUNT) != null) {
      choice.put("count", invocation.number(COUNT, 0));
    }
    if (invocation.option(OLDER_THAN) != null) {
      long seconds = invocation.number(OLDER_THAN, 0);
      if (seconds < 0) {
        throw ControlException.usage(
            "Bad argument: %s '%d' should be a number of seconds, 0 or more"
                .formatted(OLDER_THAN, seconds));
      }
      choice.put("older_than", TimeUnit.SECONDS.toMillis(seconds));
    }
    if (invocation.option(MESSAGE_ID) != null) {
      choice.put("message_id", invocation.option(MESSAGE_ID));
    }
    Map<String, Object> headers = new LinkedHashMap<>();
    for (String given : invocation.options(HEADER)) {
      int equals = given.indexOf('=');
      if (equals < 1) {
        throw ControlException.usage(
            "Bad argument: %s '%s' should be name=value".formatted(HEADER, given));
      }
      headers.put(given.substring(0, equals), given.substring(equals + 1));
    }
    if (!headers.isEmpty()) {
      choice.put("headers", headers);
    }
    return choice;
  }

  /** Returns how many messages were removed, or would be. */
  private static long purge(Invocation invocation, String queue, Map<String, Object> choice) {
    String path = Api.path("queues", invocation.vhost(), queue, "purge");
    try {
      return invocation.dryRun()
          ? ControlValues.number(
              Api.object(invocation.api().post(path + "/dry-run", choice)), "would_be_purged")
          : ControlValues.number(Api.object(invocation.api().post(path, choice)), "purged");
    } catch (ApiError e) {
      throw e.isNotFound()
          ? ControlException.plain(
              Sysexits.DATA, "Object (queue, stream, exchange, etc) was not found")
          : e;
    }
  }

  private static long sequence(String given) {
    if (!given.matches("[0-9]{1,18}")) {
      throw ControlException.usage(
          "Bad argument: sequence '%s' should be a number, 0 or more".formatted(given));
    }
    return Long.parseLong(given);
  }

  private static Result deleteMessage(Invocation invocation) {
    String queue = invocation.argument(0);
    long sequence = sequence(invocation.argument(1));
    invocation.banner(
        "Deleting message %d of queue '%s' in vhost '%s' ...", sequence, queue, invocation.vhost());
    if (purge(invocation, queue, Map.of("sequence", sequence)) == 0) {
      throw ControlException.error(
          Sysexits.DATA,
          "queue '%s' has no ready message with the sequence %d".formatted(queue, sequence));
    }
    return Result.DONE;
  }

  private static Result pause(Invocation invocation) {
    String queue = invocation.argument(0);
    boolean deliveries = invocation.flag(DELIVERIES);
    String what =
        deliveries == invocation.flag(PUBLISHING)
            ? "both"
            : deliveries ? "deliveries" : "publishing";
    invocation.banner(
        "Pausing queue '%s' in vhost '%s': %s ...",
        queue, invocation.vhost(), what.equals("both") ? "deliveries and publishing" : what);
    try {
      invocation
          .api()
          .put(Api.path("queues", invocation.vhost(), queue, PAUSE), pauseBody(what, invocation));
    } catch (ApiError e) {
      throw e.isNotFound() ? ControlException.noSuchQueue(queue, invocation.vhost()) : e;
    }
    return Result.DONE;
  }

  private static Map<String, Object> pauseBody(String what, Invocation invocation) {
    String ttl = invocation.option(TTL);
    return ttl == null
        ? Map.of("what", what, "add", true)
        : Map.of("what", what, "add", true, "ttl", ttl);
  }

  private static Result resume(Invocation invocation) {
    String queue = invocation.argument(0);
    invocation.banner("Resuming queue '%s' in vhost '%s' ...", queue, invocation.vhost());
    try {
      invocation.api().delete(Api.path("queues", invocation.vhost(), queue, PAUSE));
    } catch (ApiError e) {
      throw e.isNotFound() ? ControlException.error(Sysexits.DATA, e.getMessage()) : e;
    }
    return Result.DONE;
  }
}
