package io.mayflymq.server.ctl;

import io.mayflymq.server.json.Json;
import io.mayflymq.shovel.client.BrokerUri;
import io.mayflymq.shovel.federation.Federation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** What an adoption does, and what it does not. */
final class AdoptionPlan {
  private static final String UPSTREAM = Federation.UPSTREAM;

  private final List<String> problems = new ArrayList<>();
  private final Map<String, Object> counts = new LinkedHashMap<>();
  private final List<String> replaced = new ArrayList<>();
  private final List<String> leftOut = new ArrayList<>();
  private final List<AdoptedBroker.Queue> linked;
  private final List<AdoptedBroker.Queue> staying;
  private final List<String> vhosts;
  private final long delayed;
  private final int clients;

  private AdoptionPlan(AdoptedBroker other) {
    vhosts = other.vhosts();
    List<AdoptedBroker.Queue> queues = other.queues();
    linked = queues.stream().filter(queue -> queue.stays() == null).toList();
    staying = queues.stream().filter(queue -> queue.stays() != null).toList();
    delayed = other.delayed() + queues.stream().mapToLong(AdoptedBroker.Queue::delayed).sum();
    clients = other.clients().size();
  }

  static AdoptionPlan of(Invocation invocation, AdoptedBroker other) {
    AdoptionPlan plan = new AdoptionPlan(other);
    if (other.isSameAs(invocation.api())) {
      plan.problems.add(other + " is this broker itself");
    }
    plan.vhosts.forEach(vhost -> plan.requireNoOther(invocation, other, vhost));
    Set<String> permitted = other.permittedVhosts();
    plan.vhosts.stream()
        .filter(vhost -> !permitted.contains(vhost))
        .forEach(
            vhost ->
                plan.problems.add(
                    "user '%s' has no permissions in virtual host '%s' there: rabbitmqctl set_permissions -p '%s' '%s' '.*' '.*' '.*'"
                        .formatted(other.user(), vhost, vhost, other.user())));
    Map<String, Object> theirs = other.definitions();
    plan.compare(
        AdoptedBroker.definitions(theirs, false), Api.object(invocation.api().get("definitions")));
    AdoptedBroker.definitions(theirs, true)
        .values()
        .forEach(
            items ->
                Api.objects(items)
                    .forEach(
                        item ->
                            plan.leftOut.add(
                                "%s '%s' in virtual host '%s', which runs there"
                                    .formatted(
                                        item.get("component"),
                                        item.get("name"),
                                        item.get("vhost")))));
    return plan;
  }

  /** Links to two brokers would be mixed up. */
  private void requireNoOther(Invocation invocation, AdoptedBroker other, String vhost) {
    Object upstream =
        invocation.api().find(Api.path("parameters", UPSTREAM, vhost, AdoptedBroker.NAME));
    if (upstream == null) {
      return;
    }
    String adopted =
        BrokerUri.withoutLogin(
            String.valueOf(ControlValues.at(Api.object(upstream), "value", "uri")));
    if (!adopted.equals(BrokerUri.withoutLogin(other.uriOf(vhost)))) {
      problems.add(
          "virtual host '%s' adopts %s: expected that finish_adoption or undo_adoption ends that first"
              .formatted(vhost, adopted));
    }
  }

  private void compare(Map<String, Object> theirs, Map<String, Object> ours) {
    theirs.forEach(
        (section, items) -> {
          if (items instanceof List<?> list && !list.isEmpty()) {
            counts.put(section, list.size());
          }
        });
    changed(theirs, ours, "users", "user", user -> null, "password_hash");
    changed(theirs, ours, "policies", "policy", item -> item.get("vhost"), "definition");
  }

  /** Notes what is here with the same name and another value, which the import replaces. */
  private void changed(
      Map<String, Object> theirs,
      Map<String, Object> ours,
      String section,
      String kind,
      Function<Map<String, Object>, Object> vhostOf,
      String field) {
    Map<List<Object>, Object> here = new LinkedHashMap<>();
    for (Map<String, Object> item : items(ours, section)) {
      here.put(Json.list(vhostOf.apply(item), item.get("name")), item.get(field));
    }
    for (Map<String, Object> item : items(theirs, section)) {
      List<Object> key = Json.list(vhostOf.apply(item), item.get("name"));
      if (here.containsKey(key) && !Objects.equals(here.get(key), item.get(field))) {
        replaced.add(
            "%s '%s'%s"
                .formatted(
                    kind,
                    item.get("name"),
                    key.get(0) == null ? "" : " in virtual host '%s'".formatted(key.get(0))));
      }
    }
  }

  private static List<Map<String, Object>> items(Map<String, Object> all, String section) {
    return all.get(section) instanceof List<?> list ? Api.objects(list) : List.of();
  }

  private List<AdoptedBroker.Queue> waiting() {
    return linked.stream().filter(queue -> queue.waits() && queue.messages() > 0).toList();
  }

  private long messages() {
    return linked.stream().mapToLong(AdoptedBroker.Queue::messages).sum();
  }

  /** Returns why it cannot be adopted; empty if it can. */
  List<String> problems() {
    return problems;
  }

  /** Returns the virtual hosts that are adopted. */
  List<String> vhosts() {
    return vhosts;
  }

  /** Returns what is not imported before the end. */
  List<String> leftOut() {
    return leftOut;
  }

  /** Returns the queues whose messages come here. */
  List<AdoptedBroker.Queue> linked() {
    return linked;
  }

  /** Returns what it does, and what it does not, as JSON. */
  Map<String, Object> json() {
    return Json.object(
        "vhosts", vhosts,
        "imported", counts,
        "replaced", replaced,
        "left_out", leftOut,
        "queues", linked.size(),
        "messages", messages(),
        "waiting", waiting().stream().map(AdoptionPlan::object).toList(),
        "delayed", delayed,
        "staying", staying.stream().map(AdoptionPlan::object).toList(),
        "clients", clients);
  }

  /** Returns the same in lines. */
  String text() {
    List<String> lines = new ArrayList<>();
    lines.add("virtual hosts: " + String.join(", ", vhosts));
    lines.add(
        "would be imported: "
            + counts.entrySet().stream()
                .map(each -> each.getValue() + " " + each.getKey().replace('_', ' '))
                .collect(Collectors.joining(", ")));
    replaced.forEach(each -> lines.add("  replaces the one here: " + each));
    leftOut.forEach(each -> lines.add("  not before the adoption is finished: " + each));
    lines.add(
        "queues that would get a link: %d, with %d messages".formatted(linked.size(), messages()));
    waiting()
        .forEach(
            queue ->
                lines.add(
                    "  %s: %d messages wait there for their time, and come when they are dead-lettered"
                        .formatted(queue.label(), queue.messages())));
    if (delayed > 0) {
      lines.add("  %d delayed messages wait there for their time".formatted(delayed));
    }
    staying.forEach(queue -> lines.add("  stays: %s: %s".formatted(queue.label(), queue.stays())));
    lines.add("connections of clients there: " + clients);
    return String.join("\n", lines);
  }

  private static Map<String, Object> object(AdoptedBroker.Queue queue) {
    Map<String, Object> object =
        Json.object(
            "vhost", queue.vhost(),
            "name", queue.name(),
            "messages", queue.messages(),
            "consumers", queue.consumers());
    if (queue.stays() != null) {
      object.put("reason", queue.stays());
    }
    return object;
  }
}
