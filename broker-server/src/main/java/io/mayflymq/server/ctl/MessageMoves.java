package io.mayflymq.server.ctl;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Moving single messages to other queues. */
final class MessageMoves {
  private static final String SEQUENCE = "--sequence";
  private static final String TO = "--to";
  private static final String EXCHANGE = "--exchange";
  private static final String ROUTING_KEY = "--routing-key";

  private MessageMoves() {}

  static Command move() {
    return Command.named(
            "move_message", "Moves a ready message, or several, to another queue or an exchange")
        .inVhost()
        .option(Option.number("<n>", "the one with this sequence", SEQUENCE))
        .option(Option.text("<id>", "those with this message id", QueueCommands.MESSAGE_ID))
        .option(Option.number("<n>", "no more than so many, the oldest ones", QueueCommands.COUNT))
        .option(
            Option.number(
                "<seconds>", "those that have been there for so long", QueueCommands.OLDER_THAN))
        .option(
            Option.texts(
                "<name>=<value>",
                "those that have this header; may be given several times",
                QueueCommands.HEADER))
        .option(Option.text("<queue>", "to this queue", TO))
        .option(Option.text("<exchange>", "to this exchange, as if published there", EXCHANGE))
        .option(Option.text("<key>", "by this routing key (that of each message)", ROUTING_KEY))
        .arguments("queue")
        .noting(
            "browse_queue shows the sequence of each message. A message that no queue takes stays.")
        .shownAs(OutputFormat.STRING)
        .forecasting()
        .action(MessageMoves::move);
  }

  private static Result move(Invocation invocation) {
    String queue = invocation.argument(0);
    Map<String, Object> body = new LinkedHashMap<>(QueueCommands.choice(invocation));
    if (invocation.option(SEQUENCE) != null) {
      body.put("sequence", invocation.number(SEQUENCE, 0));
    }
    if (body.isEmpty()) {
      throw ControlException.usage(
          "Bad argument: one of %s is needed; redrive_queue with %s moves all messages"
              .formatted(
                  String.join(
                      ", ",
                      SEQUENCE,
                      QueueCommands.MESSAGE_ID,
                      QueueCommands.COUNT,
                      QueueCommands.OLDER_THAN,
                      QueueCommands.HEADER),
                  TO));
    }
    boolean toQueue = invocation.option(TO) != null;
    boolean toExchange = invocation.option(EXCHANGE) != null;
    if (toQueue == toExchange || (toQueue && invocation.option(ROUTING_KEY) != null)) {
      throw ControlException.usage(
          "Bad argument: either %s is needed, or %s, and with it perhaps %s"
              .formatted(TO, EXCHANGE, ROUTING_KEY));
    }
    put(body, "to", invocation.option(TO));
    put(body, "exchange", invocation.option(EXCHANGE));
    put(body, "routing_key", invocation.option(ROUTING_KEY));
    invocation.banner("Moving messages of queue '%s' in vhost '%s' ...", queue, invocation.vhost());
    Map<String, Object> report = report(invocation, queue, body);
    String text = text(report, invocation.dryRun());
    if ("failed".equals(report.get("state"))) {
      throw ControlException.error(
          Sysexits.UNAVAILABLE, "%s: %s".formatted(report.get("reason"), text));
    }
    if (ControlValues.number(report, "moved") == 0 && !invocation.dryRun()) {
      throw ControlException.error(
          Sysexits.DATA,
          ControlValues.number(report, "skipped") == 0
              ? "queue '%s' in vhost '%s' has no such ready message"
                  .formatted(queue, invocation.vhost())
              : text);
    }
    return new Result.Value(report, text);
  }

  private static void put(Map<String, Object> body, String field, String given) {
    if (given != null) {
      body.put(field, given);
    }
  }

  private static Map<String, Object> report(
      Invocation invocation, String queue, Map<String, Object> body) {
    String path = Api.path("queues", invocation.vhost(), queue, "messages", "move");
    try {
      return Api.object(
          invocation.api().post(invocation.dryRun() ? path + "/dry-run" : path, body));
    } catch (ApiError e) {
      throw e.isNotFound() ? ControlException.noSuchQueue(queue, invocation.vhost()) : e;
    }
  }

  private static String text(Map<String, Object> report, boolean forecast) {
    List<String> lines = new ArrayList<>();
    lines.add((forecast ? "would be moved: " : "moved: ") + report.get("moved"));
    counts(report.get("moved_to"), lines);
    if (ControlValues.number(report, "skipped") > 0) {
      lines.add((forecast ? "would stay: " : "stayed: ") + report.get("skipped"));
      counts(report.get("skipped_because"), lines);
    }
    if (forecast && ControlValues.number(report, "moved") > 0) {
      lines.add(Redrives.ROOM);
    }
    if ("running".equals(report.get("state")) || "paused".equals(report.get("state"))) {
      lines.add("It goes on in the broker");
    }
    return String.join("\n", lines);
  }

  private static void counts(Object counts, List<String> lines) {
    Api.object(counts).forEach((name, count) -> lines.add("  " + name + ": " + count));
  }
}
