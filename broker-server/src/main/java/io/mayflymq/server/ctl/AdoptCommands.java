package io.mayflymq.server.ctl;

import io.mayflymq.server.json.Json;
import io.mayflymq.shovel.federation.Federation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Moving in from another broker while it is used: its definitions are imported, and each queue gets
 * the messages of that of the same name there as soon as it has consumers here. Then its clients
 * come, consumers first; then what is left is moved.
 */
final class AdoptCommands {
  static final String MANAGEMENT = "--management";

  private static final String FORCE = "--force";
  private static final String MOVE_WAITING = "--move-waiting";
  private static final String UPSTREAMS = Federation.UPSTREAM;

  /** So many of what is wrong are named. */
  private static final int SHOWN = 10;

  private static final Option WHERE =
      Option.text(
          "<url>",
          "the management API of the other broker, if not http://HOST:15672, or"
              + " https://HOST:15671 for amqps",
          MANAGEMENT);
  private static final Option FORCED =
      Option.flag("although clients still use the broker that is left", FORCE);

  private AdoptCommands() {}

  public static List<Command> all() {
    return List.of(
        Command.named(
                "adopt", "Takes over the queues of another broker, RabbitMQ or MayflyMQ, in use")
            .inVhost()
            .arguments("uri")
            .option(WHERE)
            .shownAs(OutputFormat.STRING)
            .noting(
                "The address is amqp://user:password@host[:port][/vhost], of an administrator"
                    + " with permissions in each virtual host. Without a virtual host all are"
                    + " adopted. With --dry-run it tells what would come, and what stays. It may"
                    + " be called again, if something was declared there meanwhile.")
            .forecasting()
            .action(AdoptCommands::adopt),
        Command.named("adoption_status", "Tells what is left at a broker that is being adopted")
            .inVhost()
            .arguments("uri")
            .option(WHERE)
            .shownAs(OutputFormat.STRING)
            .action(AdoptCommands::status),
        Command.named(
                "finish_adoption", "Moves what is left at the other broker, and ends the links")
            .inVhost()
            .arguments("uri")
            .option(WHERE)
            .option(FORCED)
            .option(
                Option.flag(
                    "also messages that wait for their time in queues with a dead letter exchange,"
                        + " whose time begins anew",
                    MOVE_WAITING))
            .shownAs(OutputFormat.STRING)
            .waits(TimeUnit.HOURS.toSeconds(1))
            .action(AdoptCommands::finish),
        Command.named("undo_adoption", "Moves all messages to the other broker, and ends the links")
            .inVhost()
            .arguments("uri")
            .option(WHERE)
            .option(FORCED)
            .shownAs(OutputFormat.STRING)
            .waits(TimeUnit.HOURS.toSeconds(1))
            .action(AdoptCommands::undo));
  }

  // Beginning

  private static Result adopt(Invocation invocation) {
    AdoptedBroker other = AdoptedBroker.of(invocation);
    invocation.banner("Adopting %s (%s) ...", other, other.product());
    AdoptionPlan plan = AdoptionPlan.of(invocation, other);
    if (!plan.problems().isEmpty()) {
      throw ControlException.error(
          Sysexits.DATA, "it cannot be adopted:\n  " + String.join("\n  ", plan.problems()));
    }
    if (invocation.dryRun()) {
      return new Result.Value(plan.json(), plan.text());
    }
    Map<String, Object> report = load(invocation, other, Part.AT_THE_BEGINNING);
    for (String vhost : plan.vhosts()) {
      invocation
          .api()
          .put(
              Api.path("parameters", UPSTREAMS, vhost, AdoptedBroker.NAME),
              Json.object("value", Json.object("uri", other.uriOf(vhost), "queue-pattern", ".")));
    }
    int links = awaitLinks(invocation, plan);
    List<?> skipped = (List<?>) report.get("skipped");
    List<String> lines = new ArrayList<>();
    lines.add(
        "imported %s, skipped %d, links %d"
            .formatted(report.get("imported"), skipped.size(), links));
    skipped.forEach(line -> lines.add("  " + line));
    plan.leftOut().forEach(line -> lines.add("  not imported yet: " + line));
    lines.add("Now consumers may connect here, then publishers. When all have:");
    lines.add("  %s finish_adoption %s".formatted(invocation.script(), other));
    return new Result.Value(
        Json.object(
            "imported",
            report.get("imported"),
            "skipped",
            skipped,
            "left_out",
            plan.leftOut(),
            "links",
            links),
        String.join("\n", lines));
  }

  /** Which definitions are imported. */
  private enum Part {
    /** All but what would run twice. */
    AT_THE_BEGINNING,
    /** Of these what there is not yet: what was changed here meanwhile stays. */
    DECLARED_SINCE,
    /** What would have run twice, as far as it is not here. */
    AT_THE_END
  }

  private static Map<String, Object> load(Invocation invocation, AdoptedBroker other, Part part) {
    for (String vhost : other.vhosts()) {
      if (!invocation.api().hasVhost(vhost)) {
        invocation.api().put(Api.path("vhosts", vhost), Json.object());
      }
    }
    Map<String, Object> theirs =
        AdoptedBroker.definitions(other.definitions(), part == Part.AT_THE_END);
    Map<String, Object> imported =
        part == Part.AT_THE_BEGINNING
            ? theirs
            : AdoptedBroker.missing(
                theirs, Api.object(invocation.api().get(other.definitionsPath())));
    return Api.object(invocation.api().post(other.definitionsPath() + "?report=true", imported));
  }

  /** Waits until each queue here that has one there has a link; returns how many there are. */
  private static int awaitLinks(Invocation invocation, AdoptionPlan plan) {
    Set<QueueName> here =
        ours(invocation, plan.vhosts()).stream()
            .map(queue -> QueueName.of(queue, "name"))
            .collect(Collectors.toSet());
    List<QueueName> wanted =
        plan.linked().stream().map(QueueName::of).filter(here::contains).toList();
    Map<QueueName, String> failures = new LinkedHashMap<>();
    boolean all =
        LookingAgain.until(
            invocation,
            () -> {
              failures.clear();
              wanted.forEach(queue -> failures.put(queue, "it has no link yet"));
              for (Map<String, Object> link : links(invocation)) {
                QueueName queue = QueueName.of(link, "queue");
                if ("running".equals(link.get("status"))) {
                  failures.remove(queue);
                } else if (link.get("error") != null) {
                  failures.replace(queue, (String) link.get("error"));
                }
              }
              return failures.isEmpty();
            });
    if (!all) {
      throw ControlException.error(
          Sysexits.UNAVAILABLE,
          "the definitions are here, but after %d s %d of %d queues have no link; it tries again:\n  %s"
              .formatted(
                  invocation.timeoutSeconds(),
                  failures.size(),
                  wanted.size(),
                  failures.entrySet().stream()
                      .limit(SHOWN)
                      .map(each -> each.getKey() + ": " + each.getValue())
                      .collect(Collectors.joining("\n  "))));
    }
    return wanted.size();
  }

  private static List<Map<String, Object>> links(Invocation invocation) {
    return invocation.api().list("federation-links").stream()
        .filter(link -> AdoptedBroker.NAME.equals(link.get("upstream")))
        .filter(link -> link.get("queue") != null)
        .toList();
  }

  /** Returns the queues of this broker in these virtual hosts. */
  private static List<Map<String, Object>> ours(Invocation invocation, List<String> vhosts) {
    return invocation
        .api()
        .list(
            "queues?columns=vhost,name,type,durable,exclusive,auto_delete,arguments,"
                + "messages,messages_delayed,consumers")
        .stream()
        .filter(queue -> vhosts.contains(queue.get("vhost")))
        .toList();
  }

  // Looking

  private static Result status(Invocation invocation) {
    AdoptedBroker other = AdoptedBroker.of(invocation);
    invocation.banner("Adoption of %s (%s):", other, other.product());
    List<AdoptedBroker.Queue> queues =
        other.queues().stream().filter(queue -> queue.stays() == null).toList();
    List<AdoptedBroker.Client> clients = other.clients();
    Map<QueueName, Map<String, Object>> here = new HashMap<>();
    ours(invocation, other.vhosts()).forEach(each -> here.put(QueueName.of(each, "name"), each));
    Map<QueueName, Map<String, Object>> links = new HashMap<>();
    links(invocation).forEach(each -> links.put(QueueName.of(each, "queue"), each));
    List<Map<String, Object>> rows = new ArrayList<>();
    List<String> lines = new ArrayList<>();
    lines.add("connections of clients there: " + clients.size());
    clients.forEach(client -> lines.add("  " + client));
    long messages = 0;
    for (AdoptedBroker.Queue queue : queues) {
      QueueName name = QueueName.of(queue);
      Map<String, Object> own = here.getOrDefault(name, Map.of());
      Map<String, Object> link = links.getOrDefault(name, Map.of());
      Object state = link.getOrDefault("status", "none");
      rows.add(
          Json.object(
              "vhost", queue.vhost(),
              "name", queue.name(),
              "messages_there", queue.messages() + queue.delayed(),
              "consumers_there", queue.consumers(),
              "messages_here", own.getOrDefault("messages", 0L),
              "consumers_here", own.getOrDefault("consumers", 0L),
              "link", state,
              "forwarded", link.getOrDefault("forwarded", 0L)));
      messages += queue.messages() + queue.delayed();
      if (queue.messages() + queue.delayed() > 0 || !state.equals("running")) {
        lines.add(
            "  %s: %d messages there%s, link %s%s"
                .formatted(
                    queue.label(),
                    queue.messages() + queue.delayed(),
                    queue.waits() ? ", waiting for their time" : "",
                    state,
                    link.get("error") == null ? "" : ": " + link.get("error")));
      }
    }
    lines.add(
        1 + clients.size(), "queues: %d, with %d messages there".formatted(rows.size(), messages));
    return new Result.Value(
        Json.object(
            "clients",
            clients.stream()
                .map(
                    client ->
                        Json.object(
                            "peer", client.peer(), "user", client.user(), "name", client.name()))
                .toList(),
            "delayed",
            other.delayed(),
            "queues",
            rows),
        String.join("\n", lines));
  }

  // Ending

  private static Result finish(Invocation invocation) {
    AdoptedBroker other = AdoptedBroker.of(invocation);
    invocation.banner("Finishing the adoption of %s ...", other);
    requireAdoption(invocation, other);
    boolean moveWaiting = invocation.flag(MOVE_WAITING);
    requireNoClients(invocation, other.clients(), "the other broker");
    requireNothingWaits(other, moveWaiting);
    // What was declared there since.
    load(invocation, other, Part.DECLARED_SINCE);
    AdoptionMoves moves = new AdoptionMoves(invocation);
    AdoptionMoves.Counted left =
        () ->
            other.queues().stream()
                .filter(queue -> queue.stays() == null)
                .collect(Collectors.toMap(QueueName::of, AdoptedBroker.Queue::messages));
    AdoptionMoves.ShovelOf toHere =
        queue ->
            Json.object(
                "src-uri", other.uriOf(queue.vhost()),
                "src-queue", queue.name(),
                "dest-uri", local(queue.vhost()),
                "dest-queue", queue.name());
    moves.drain(left, toHere);
    unlink(invocation, other);
    moves.drain(left, toHere);
    Map<String, Object> report = load(invocation, other, Part.AT_THE_END);
    String imported =
        Objects.equals(report.get("imported"), 0L)
            ? ""
            : "\nimported what ran there, shovels and upstreams: " + report.get("imported");
    return new Result.Value(
        Json.object("imported", report.get("imported"), "skipped", report.get("skipped")),
        "%s has no messages left, and can be stopped%s".formatted(other, imported));
  }

  private static Result undo(Invocation invocation) {
    AdoptedBroker other = AdoptedBroker.of(invocation);
    invocation.banner("Moving all messages to %s ...", other);
    requireAdoption(invocation, other);
    List<String> vhosts = other.vhosts();
    requireNoClients(
        invocation,
        AdoptedBroker.clients(
            invocation.api().list("connections?columns=vhost,name,user,client_properties").stream()
                .filter(connection -> vhosts.contains(connection.get("vhost")))
                .toList()),
        "this broker");
    List<Map<String, Object>> staying =
        ours(invocation, vhosts).stream()
            .filter(queue -> ControlValues.number(queue, "messages_delayed") > 0)
            .toList();
    Set<QueueName> there = other.queues().stream().map(QueueName::of).collect(Collectors.toSet());
    Predicate<Map<String, Object>> isMoved =
        queue ->
            !Boolean.TRUE.equals(queue.get("exclusive"))
                && !"stream".equals(queue.get("type"))
                && there.contains(QueueName.of(queue, "name"));
    AdoptionMoves moves = new AdoptionMoves(invocation);
    AdoptionMoves.Counted left =
        () ->
            ours(invocation, vhosts).stream()
                .filter(isMoved)
                .collect(
                    Collectors.toMap(
                        queue -> QueueName.of(queue, "name"),
                        queue -> ControlValues.number(queue, "messages")));
    AdoptionMoves.ShovelOf back =
        queue ->
            Json.object(
                "src-uri", local(queue.vhost()),
                "src-queue", queue.name(),
                "dest-uri", other.uriOf(queue.vhost()),
                "dest-queue", queue.name(),
                "dest-keep-ttl", true);
    moves.drain(left, back);
    unlink(invocation, other);
    moves.drain(left, back);
    List<String> lines = new ArrayList<>();
    lines.add("what could be moved is at %s".formatted(other));
    staying.forEach(
        queue ->
            lines.add(
                "  %s: %s messages are scheduled, and stay here"
                    .formatted(QueueName.of(queue, "name"), queue.get("messages_delayed"))));
    ours(invocation, vhosts).stream()
        .filter(queue -> ControlValues.number(queue, "messages") > 0)
        .forEach(
            queue ->
                lines.add(
                    "  %s: %s messages stay here: it is exclusive, a stream, or not there"
                        .formatted(QueueName.of(queue, "name"), queue.get("messages"))));
    return new Result.Value(
        Json.object("staying", lines.subList(1, lines.size()).stream().map(String::trim).toList()),
        String.join("\n", lines));
  }

  private static String local(String vhost) {
    return "amqp:///" + Api.encode(vhost);
  }

  private static void requireAdoption(Invocation invocation, AdoptedBroker other) {
    boolean any =
        other.vhosts().stream()
            .anyMatch(
                vhost ->
                    invocation
                            .api()
                            .find(Api.path("parameters", UPSTREAMS, vhost, AdoptedBroker.NAME))
                        != null);
    if (!any) {
      throw ControlException.error(
          Sysexits.DATA,
          "%s is not being adopted: there is no upstream '%s' here. Begin with %s adopt %s"
              .formatted(other, AdoptedBroker.NAME, invocation.script(), other));
    }
  }

  private static void requireNoClients(
      Invocation invocation, List<AdoptedBroker.Client> clients, String where) {
    if (!clients.isEmpty() && !invocation.flag(FORCE)) {
      throw ControlException.error(
          Sysexits.UNAVAILABLE,
          "%d connections of clients still use %s, and what they publish there would stay; %s does it nevertheless:\n  %s"
              .formatted(
                  clients.size(),
                  where,
                  FORCE,
                  clients.stream()
                      .limit(SHOWN)
                      .map(Object::toString)
                      .collect(Collectors.joining("\n  "))));
    }
  }

  private static void requireNothingWaits(AdoptedBroker other, boolean moveWaiting) {
    List<String> waiting = new ArrayList<>();
    for (AdoptedBroker.Queue queue : other.queues()) {
      if (queue.stays() == null && queue.waits() && queue.messages() > 0 && !moveWaiting) {
        waiting.add("%s: %d messages".formatted(queue.label(), queue.messages()));
      } else if (queue.delayed() > 0) {
        waiting.add("%s: %d delayed messages".formatted(queue.label(), queue.delayed()));
      }
    }
    long delayed = other.delayed();
    if (delayed > 0) {
      waiting.add("exchanges for delayed messages: %d messages".formatted(delayed));
    }
    if (!waiting.isEmpty()) {
      throw ControlException.error(
          Sysexits.UNAVAILABLE,
          "messages still wait there for their time, and come by the links when it has come. Leave the other broker running, and finish later%s:\n  %s"
              .formatted(
                  moveWaiting ? "" : "; " + MOVE_WAITING + " moves those in queues now",
                  String.join("\n  ", waiting)));
    }
  }

  /** Ends the links; what they have not acknowledged is in its queue again. */
  private static void unlink(Invocation invocation, AdoptedBroker other) {
    for (String vhost : other.vhosts()) {
      try {
        invocation.api().delete(Api.path("parameters", UPSTREAMS, vhost, AdoptedBroker.NAME));
      } catch (ApiError e) {
        if (!e.isNotFound()) {
          throw e;
        }
      }
    }
    require(invocation, "the links have not ended", () -> links(invocation).isEmpty());
  }

  private static void require(Invocation invocation, String otherwise, BooleanSupplier condition) {
    if (!LookingAgain.until(invocation, condition)) {
      throw ControlException.error(
          Sysexits.UNAVAILABLE, "%s after %d s".formatted(otherwise, invocation.timeoutSeconds()));
    }
  }
}
