package io.mayflymq.core.routing;

import io.mayflymq.core.queue.IdleLease;
import io.vavr.collection.HashMap;
import io.vavr.collection.HashSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;

/**
 * The exchanges, queues and bindings of a virtual host, at one moment. Immutable.
 *
 * <p>Every change returns another table, or this very one if it changes nothing; its cost does not
 * grow with the size of the table. The owner keeps the current table in a volatile field and is the
 * only one to replace it; all other threads read that field and route with that table, without a
 * lock. The results of one table remain valid for that table.
 *
 * <p>The default exchange (the empty name) is implicit: it routes to the queue that the routing key
 * names, and can be neither added, removed nor bound. Names are compared exactly; the caller checks
 * that a name is not in use and that the client may use it.
 *
 * @param <Q> the handle of a queue, never null
 */
public final class RoutingTable<Q> {
  private static final RoutingTable<Object> EMPTY =
      new RoutingTable<>(RoutingNodes.empty(), HashMap.empty(), HashMap.empty(), 0, 0, 0);

  private final RoutingNodes<Q> nodes;
  // The bindings by destination; no set is empty. By source they are in the exchange's index.
  private final HashMap<String, HashSet<Binding>> toQueues;
  private final HashMap<String, HashSet<Binding>> toExchanges;
  private final int bindingCount;
  private final int timedQueues;
  private final long metadataBytes;

  private RoutingTable(
      RoutingNodes<Q> nodes,
      HashMap<String, HashSet<Binding>> toQueues,
      HashMap<String, HashSet<Binding>> toExchanges,
      int bindingCount,
      int timedQueues,
      long metadataBytes) {
    this.nodes = nodes;
    this.toQueues = toQueues;
    this.toExchanges = toExchanges;
    this.bindingCount = bindingCount;
    this.timedQueues = timedQueues;
    this.metadataBytes = metadataBytes;
  }

  /** The table of nothing but the default exchange. */
  @SuppressWarnings("unchecked") // it holds no Q
  public static <Q> RoutingTable<Q> empty() {
    return (RoutingTable<Q>) EMPTY;
  }

  // Routing

  /**
   * Returns the route of a message with one routing key, through bindings between exchanges, and
   * through alternate exchanges if it would be unroutable.
   *
   * @return each queue once; no queue if there is no such exchange, so ask {@link #exchange} first
   *     where that is an error
   */
  public Route<Q> route(String exchange, String routingKey, MessageProperties properties) {
    if (exchange.isEmpty()) {
      QueueNode<Q> queue = nodes.queue(routingKey);
      return queue == null ? Route.none() : queue.route();
    }
    ExchangeNode<Q> node = nodes.exchange(exchange);
    if (node == null) {
      return Route.none();
    }
    if (node.isPlain()) {
      Targets<Q> targets = node.index().match(routingKey, properties);
      if (targets.exchanges().isEmpty() && !(targets.isEmpty() && node.alternate() != null)) {
        return node.index().variesByMessage() ? targets.route().thisTime() : targets.route();
      }
      return new Router<>(nodes, List.of(routingKey), properties).route(node, targets);
    }
    return new Router<>(nodes, List.of(routingKey), properties).route(exchange);
  }

  /**
   * Returns the route of a message with several routing keys: its own and those in its {@code CC}
   * and {@code BCC} headers (rabbitmq.com/docs/sender-selected).
   *
   * @return each queue once; no queue if there is no such exchange
   */
  public Route<Q> route(String exchange, List<String> routingKeys, MessageProperties properties) {
    return routingKeys.size() == 1
        ? route(exchange, routingKeys.get(0), properties)
        : new Router<>(nodes, routingKeys, properties).route(exchange);
  }

  // Exchanges

  /** The exchange of this name, or null; for the empty name the default exchange. */
  public ExchangeDefinition exchange(String name) {
    if (name.isEmpty()) {
      return ExchangeDefinition.DEFAULT;
    }
    ExchangeNode<Q> node = nodes.exchange(name);
    return node == null ? null : node.definition();
  }

  /** All exchanges, the default exchange first and the others in no particular order. */
  public List<ExchangeDefinition> exchanges() {
    List<ExchangeDefinition> all = new ArrayList<>(exchangeCount());
    all.add(ExchangeDefinition.DEFAULT);
    nodes.exchanges().valuesIterator().forEachRemaining(node -> all.add(node.definition()));
    return all;
  }

  /** The number of exchanges with the default exchange, at least 1. */
  public int exchangeCount() {
    return nodes.exchanges().size() + 1;
  }

  /** The alternate exchange in effect for an exchange, or null; it need not exist. */
  public String alternateExchange(String exchange) {
    ExchangeNode<Q> node = nodes.exchange(exchange);
    return node == null ? null : node.alternate();
  }

  /** Whether anything is bound to an exchange. */
  public boolean hasBindingsFrom(String exchange) {
    ExchangeNode<Q> node = nodes.exchange(exchange);
    return node != null && !node.index().isEmpty();
  }

  /** Returns the recent messages of an exchange, or null if it does not keep them. */
  public RecentHistory history(String exchange) {
    ExchangeNode<Q> node = nodes.exchange(exchange);
    return node == null ? null : node.index().history();
  }

  /**
   * This table with an exchange, whose alternate exchange is the one in its arguments until {@link
   * #withAlternateExchange} changes it.
   *
   * @throws IllegalArgumentException if there is an exchange of that name that differs, or the name
   *     is empty: declaring again never changes an exchange
   */
  public RoutingTable<Q> withExchange(ExchangeDefinition definition) {
    ExchangeDefinition present = exchange(definition.name());
    if (present == null) {
      return withNode(ExchangeNode.of(definition)).grownBy(MetadataSize.of(definition));
    }
    if (definition.isDefault() || !definition.equals(present)) {
      throw new IllegalArgumentException("exchange exists: " + present);
    }
    return this;
  }

  /**
   * Returns this table with another alternate exchange in effect for an exchange. A policy may set
   * it; in RabbitMQ the argument of the declaration has precedence over a policy, which the caller
   * must observe.
   *
   * @param alternate null for none
   * @throws IllegalArgumentException if there is no such exchange, or it is the default exchange
   */
  public RoutingTable<Q> withAlternateExchange(String exchange, String alternate) {
    ExchangeNode<Q> node = existing(exchange);
    return Objects.equals(node.alternate(), alternate)
        ? this
        : withNode(node.withAlternate(alternate));
  }

  /**
   * This table with another lease of an exchange.
   *
   * @param lease null for none
   * @throws IllegalArgumentException if there is no such exchange, or it is the default exchange
   */
  public RoutingTable<Q> withLease(String exchange, IdleLease lease) {
    ExchangeNode<Q> node = existing(exchange);
    return node.lease() == lease ? this : withNode(node.withLease(lease));
  }

  /** The lease of an exchange, or null. */
  public IdleLease lease(String exchange) {
    ExchangeNode<Q> node = nodes.exchange(exchange);
    return node == null ? null : node.lease();
  }

  /**
   * This table with another lease of a binding that is there.
   *
   * @param lease null for none
   */
  public RoutingTable<Q> withLease(Binding binding, IdleLease lease) {
    ExchangeNode<Q> source = existing(binding.source());
    Target<Q> target = target(binding);
    return withNode(
        source.withIndex(
            source
                .index()
                .with(binding, lease == null ? target : new LeasedTarget<>(target, lease))));
  }

  /**
   * This table without an exchange and its bindings. Exchanges that thereby lose their last binding
   * stay, which is what replaying a log of deletions wants; see {@link #deleteExchange}.
   */
  public RoutingTable<Q> withoutExchange(String name) {
    ExchangeNode<Q> node = nodes.exchange(name);
    if (node == null) {
      return this;
    }
    RoutingTable<Q> table = this;
    for (Binding binding : bindingsFrom(name)) {
      table = table.withoutBinding(binding);
    }
    for (Binding binding : table.bindingsTo(DestinationKind.EXCHANGE, name)) {
      table = table.withoutBinding(binding);
    }
    return table
        .withNodes(table.nodes.withoutExchange(name))
        .grownBy(-MetadataSize.of(node.definition()));
  }

  /** Removes an exchange with its bindings and the auto-delete exchanges this leaves unbound. */
  public Removal<Q> deleteExchange(String name) {
    return new RemovalCascade<>(this).exchange(name);
  }

  // Queues

  /** The queue of this name, or null. */
  public Q queue(String name) {
    QueueNode<Q> node = nodes.queue(name);
    return node == null ? null : node.handle();
  }

  /** All queues, in no particular order. */
  public List<Q> queues() {
    List<Q> all = new ArrayList<>(queueCount());
    forEachQueue((name, queue) -> all.add(queue));
    return all;
  }

  public void forEachQueue(BiConsumer<String, ? super Q> action) {
    nodes
        .queues()
        .valuesIterator()
        .forEachRemaining(node -> action.accept(node.name(), node.handle()));
  }

  public int queueCount() {
    return nodes.queues().size();
  }

  /** Returns whether there is a queue that was put in as timed. */
  public boolean hasTimedQueues() {
    return timedQueues > 0;
  }

  /**
   * This table with a queue that is not timed, or with another handle for it: its bindings stay.
   *
   * @param bytes what it counts in {@link #metadataBytes}
   */
  public RoutingTable<Q> withQueue(String name, Q handle, long bytes) {
    return withQueue(name, handle, bytes, false);
  }

  /**
   * The same.
   *
   * @param timed whether its declaration names a header with a time, so that publishers look for it
   */
  public RoutingTable<Q> withQueue(String name, Q handle, long bytes, boolean timed) {
    Objects.requireNonNull(handle, "handle");
    QueueNode<Q> present = nodes.queue(name);
    QueueNode<Q> node = new QueueNode<>(name, handle, bytes, timed);
    if (present != null && present.isSame(node)) {
      return this;
    }
    RoutingTable<Q> table = withNodes(nodes.with(node)).without(present).plus(node, 1);
    for (Binding binding : bindingsTo(DestinationKind.QUEUE, name)) {
      ExchangeNode<Q> source = table.existing(binding.source());
      table = table.withNode(source.withIndex(source.index().with(binding, node)));
    }
    return table;
  }

  /**
   * This table without a queue and its bindings. Exchanges that thereby lose their last binding
   * stay, which is what replaying a log of deletions wants; see {@link #deleteQueue}.
   */
  public RoutingTable<Q> withoutQueue(String name) {
    QueueNode<Q> node = nodes.queue(name);
    if (node == null) {
      return this;
    }
    RoutingTable<Q> table = this;
    for (Binding binding : bindingsTo(DestinationKind.QUEUE, name)) {
      table = table.withoutBinding(binding);
    }
    return table.withNodes(table.nodes.withoutQueue(name)).without(node);
  }

  /**
   * What a queue counts no more.
   *
   * @param node null if there is none
   */
  private RoutingTable<Q> without(QueueNode<Q> node) {
    return node == null ? this : plus(node, -1);
  }

  /** What a queue counts, so many times. */
  private RoutingTable<Q> plus(QueueNode<Q> node, int times) {
    return new RoutingTable<>(
        nodes,
        toQueues,
        toExchanges,
        bindingCount,
        timedQueues + (node.timed() ? times : 0),
        metadataBytes + times * node.bytes());
  }

  /** Removes a queue with its bindings and the auto-delete exchanges this leaves unbound. */
  public Removal<Q> deleteQueue(String name) {
    return new RemovalCascade<>(this).queue(name);
  }

  // Bindings

  public boolean contains(Binding binding) {
    ExchangeNode<Q> source = nodes.exchange(binding.source());
    return source != null && source.index().contains(binding);
  }

  /** The bindings from an exchange, in no particular order; none for the default exchange. */
  public List<Binding> bindingsFrom(String exchange) {
    ExchangeNode<Q> node = nodes.exchange(exchange);
    if (node == null || node.index().isEmpty()) {
      return List.of();
    }
    List<Binding> all = new ArrayList<>();
    node.index().forEach(all::add);
    return all;
  }

  /**
   * The bindings to a queue or an exchange, in no particular order, without the implicit one from
   * the default exchange.
   */
  public List<Binding> bindingsTo(DestinationKind kind, String destination) {
    HashSet<Binding> bindings = to(kind).getOrElse(destination, null);
    return bindings == null ? List.of() : bindings.toJavaList();
  }

  /** All bindings, in no particular order, without the implicit ones. */
  public List<Binding> bindings() {
    List<Binding> all = new ArrayList<>();
    nodes.exchanges().valuesIterator().forEachRemaining(node -> node.index().forEach(all::add));
    return all;
  }

  /** The number of bindings, without the implicit ones. */
  public int bindingCount() {
    return bindingCount;
  }

  /** How much memory its exchanges, queues and bindings take, in bytes, about. */
  public long metadataBytes() {
    return metadataBytes;
  }

  /**
   * This table with a binding.
   *
   * @throws IllegalArgumentException if its source or destination is not in the table, or is the
   *     default exchange
   */
  public RoutingTable<Q> withBinding(Binding binding) {
    ExchangeNode<Q> source = existing(binding.source());
    Target<Q> target = target(binding);
    if (source.index().contains(binding)) {
      return this;
    }
    HashMap<String, HashSet<Binding>> to = to(binding.destinationKind());
    HashSet<Binding> siblings = to.getOrElse(binding.destination(), HashSet.empty());
    return withNode(source.withIndex(source.index().with(binding, target)))
        .withTo(
            binding.destinationKind(),
            to.put(binding.destination(), siblings.add(binding)),
            1,
            MetadataSize.of(binding));
  }

  /**
   * This table without a binding. An auto-delete exchange that it was the last one of stays; see
   * {@link #deleteBinding}.
   */
  public RoutingTable<Q> withoutBinding(Binding binding) {
    ExchangeNode<Q> source = nodes.exchange(binding.source());
    if (source == null) {
      return this;
    }
    BindingIndex<Q> rest = source.index().without(binding);
    if (rest == source.index()) {
      return this;
    }
    HashMap<String, HashSet<Binding>> to = to(binding.destinationKind());
    HashSet<Binding> siblings =
        to.getOrElse(binding.destination(), HashSet.empty()).remove(binding);
    return withNode(source.withIndex(rest))
        .withTo(
            binding.destinationKind(),
            siblings.isEmpty()
                ? to.remove(binding.destination())
                : to.put(binding.destination(), siblings),
            -1,
            -MetadataSize.of(binding));
  }

  /** Removes a binding and the auto-delete exchanges this leaves unbound. */
  public Removal<Q> deleteBinding(Binding binding) {
    return new RemovalCascade<>(this).binding(binding);
  }

  /** Whether an exchange is to be deleted as nothing is bound to it any more. */
  boolean isUnusedAutoDelete(String exchange) {
    ExchangeNode<Q> node = nodes.exchange(exchange);
    return node != null && node.isUnusedAutoDelete();
  }

  private ExchangeNode<Q> existing(String exchange) {
    ExchangeNode<Q> node = nodes.exchange(exchange);
    if (node == null) {
      throw new IllegalArgumentException("no exchange '" + exchange + "'");
    }
    return node;
  }

  private Target<Q> target(Binding binding) {
    if (binding.destinationKind() == DestinationKind.EXCHANGE) {
      return new ExchangeTarget<>(existing(binding.destination()).definition().name());
    }
    QueueNode<Q> queue = nodes.queue(binding.destination());
    if (queue == null) {
      throw new IllegalArgumentException("no queue '" + binding.destination() + "'");
    }
    return queue;
  }

  private HashMap<String, HashSet<Binding>> to(DestinationKind kind) {
    return kind == DestinationKind.QUEUE ? toQueues : toExchanges;
  }

  private RoutingTable<Q> withTo(
      DestinationKind kind, HashMap<String, HashSet<Binding>> to, int more, long bytes) {
    boolean isQueue = kind == DestinationKind.QUEUE;
    return new RoutingTable<>(
        nodes,
        isQueue ? to : toQueues,
        isQueue ? toExchanges : to,
        bindingCount + more,
        timedQueues,
        metadataBytes + bytes);
  }

  private RoutingTable<Q> withNode(ExchangeNode<Q> node) {
    return withNodes(nodes.with(node));
  }

  private RoutingTable<Q> withNodes(RoutingNodes<Q> changed) {
    return new RoutingTable<>(
        changed, toQueues, toExchanges, bindingCount, timedQueues, metadataBytes);
  }

  private RoutingTable<Q> grownBy(long bytes) {
    return new RoutingTable<>(
        nodes, toQueues, toExchanges, bindingCount, timedQueues, metadataBytes + bytes);
  }
}
