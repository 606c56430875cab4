package io.mayflymq.server.definitions;

import io.mayflymq.core.admin.Administration;
import io.mayflymq.core.admin.AdministrationException;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyException;
import io.mayflymq.core.policy.PolicyTable;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.routing.ExchangeType;
import io.mayflymq.core.routing.MetadataSize;
import io.mayflymq.core.routing.RoutingTable;
import io.mayflymq.core.security.Limit;
import io.mayflymq.core.security.Limits;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.ObjectLimits;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.core.vhost.queue.Preconditions;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.ChannelException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Whether there is room in a broker for all that an import adds: limits of virtual hosts and of the
 * broker that one item alone does not reach.
 */
final class ImportRoom {
  /** What is new in a virtual host. */
  private static final class Added {
    private final Set<Object> queues = new HashSet<>();
    private final Set<Object> exchanges = new HashSet<>();
    private final Set<Object> bindings = new HashSet<>();
    private long bytes;

    boolean isEmpty() {
      return queues.isEmpty() && exchanges.isEmpty() && bindings.isEmpty();
    }
  }

  private final Broker broker;
  private final Administration administration;
  private final Definitions accepted;
  private final Map<String, Added> added = new TreeMap<>();
  private final List<String> problems = new ArrayList<>();

  ImportRoom(Broker broker, Administration administration, Definitions accepted) {
    this.broker = broker;
    this.administration = administration;
    this.accepted = accepted;
  }

  /** Returns for what there is no room, one line each. */
  List<String> problems() {
    count();
    added.values().removeIf(Added::isEmpty);
    added.forEach(this::requireRoom);
    requireRoomInBroker();
    requireRoomForPolicies();
    return problems;
  }

  private RoutingTable<Queue> routing(String vhost) {
    VirtualHost current = broker.virtualHost(vhost);
    if (current != null) {
      return current.routing();
    }
    RoutingTable<Queue> fresh = RoutingTable.empty();
    for (ExchangeDefinition exchange : ExchangeDefinition.predeclared()) {
      fresh = fresh.withExchange(exchange);
    }
    return fresh;
  }

  private Added in(String vhost) {
    return added.computeIfAbsent(vhost, name -> new Added());
  }

  private void count() {
    for (Definitions.Exchange exchange : accepted.exchanges()) {
      Added here = in(exchange.vhost());
      if (here.exchanges.add(exchange.name())) {
        here.bytes +=
            MetadataSize.of(exchange.definition(ExchangeType.ofWireName(exchange.type())));
      }
    }
    for (Definitions.Queue queue : accepted.queues()) {
      Added here = in(queue.vhost());
      if (routing(queue.vhost()).queue(queue.name()) == null && here.queues.add(queue.name())) {
        here.bytes += MetadataSize.ofQueue(queue.name(), queue.arguments());
      }
    }
    for (Definitions.Bound bound : accepted.bindings()) {
      Added here = in(bound.vhost());
      if (!routing(bound.vhost()).contains(bound.binding()) && here.bindings.add(bound.binding())) {
        here.bytes += MetadataSize.of(bound.binding());
      }
    }
  }

  private void requireRoom(String vhost, Added here) {
    VirtualHost current = broker.virtualHost(vhost);
    Limits now =
        current == null
            ? administration.vhosts().defaultLimitsFor(vhost)
            : current.definition().limits();
    Limits limits = accepted.vhostLimits().getOrDefault(vhost, now);
    RoutingTable<Queue> routing = routing(vhost);
    requireRoom(
        vhost, limits, Limit.MAX_QUEUES, "queues", routing.queueCount(), here.queues.size());
    requireRoom(
        vhost,
        limits,
        Limit.MAX_EXCHANGES,
        "exchanges",
        routing.exchangeCount(),
        here.exchanges.size());
    requireRoom(
        vhost,
        limits,
        Limit.MAX_BINDINGS,
        "bindings",
        routing.bindingCount(),
        here.bindings.size());
    try {
      new Preconditions(vhost)
          .requireRoomFor(
              "cannot import",
              limits,
              broker.limits().vhostBytes(),
              routing.metadataBytes() + here.bytes);
    } catch (ChannelException e) {
      problems.add("vhost '%s': %s".formatted(vhost, e.detail()));
    }
  }

  private void requireRoom(
      String vhost, Limits limits, Limit limit, String what, int present, int fresh) {
    if (fresh > 0 && !limits.allow(limit, present + fresh - 1)) {
      problems.add(
          "vhost '%s': %d %s and %d new ones are more than its limit of %d"
              .formatted(vhost, present, what, fresh, limits.get(limit)));
    }
  }

  private void requireRoomInBroker() {
    if (added.isEmpty()) {
      return;
    }
    ObjectLimits limits = broker.limits();
    requireRoomInBroker(
        "queues",
        limits.queues(),
        broker.queueCount(),
        added.values().stream().mapToInt(each -> each.queues.size()).sum());
    requireRoomInBroker(
        "exchanges",
        limits.exchanges(),
        broker.exchangeCount(),
        added.values().stream().mapToInt(each -> each.exchanges.size()).sum());
    try {
      if (broker.isLowOnMemory()) {
        throw Preconditions.lowOnMemory("cannot import");
      }
      Preconditions.requireRoomInBroker(
          "cannot import",
          limits.bytes(),
          broker.metadataBytes() + added.values().stream().mapToLong(each -> each.bytes).sum());
    } catch (ChannelException e) {
      problems.add("definitions: " + e.detail());
    }
  }

  private void requireRoomInBroker(String what, int most, int present, int fresh) {
    if (fresh > 0 && present + fresh > most) {
      problems.add(
          "definitions: %d %s and %d new ones are more than the limit of %d"
              .formatted(present, what, fresh, most));
    }
  }

  /** Checks the total size of all policies, which may be too large although each one is allowed. */
  private void requireRoomForPolicies() {
    Map<String, List<Policy>> byVhost = new TreeMap<>();
    List<Policy> forMany = new ArrayList<>();
    try {
      for (PolicyItem item : accepted.policies()) {
        Policy policy = PolicyDefinitions.policy(item);
        (item.isForVhosts()
                ? forMany
                : byVhost.computeIfAbsent(item.vhost(), vhost -> new ArrayList<>()))
            .add(policy);
      }
      for (Map.Entry<String, List<Policy>> each : byVhost.entrySet()) {
        VirtualHost current = broker.virtualHost(each.getKey());
        PolicyTable present = current == null ? PolicyTable.EMPTY : current.policies().table();
        present.requireRoomFor(each.getValue(), each.getKey());
      }
      administration.policies().requireRoomFor(forMany);
    } catch (PolicyException | AdministrationException e) {
      problems.add("policies: " + e.getMessage());
    }
  }
}
