package io.mayflymq.core.routing;

import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import java.util.List;
import java.util.function.Consumer;

/**
 * The bindings of an exchange that a link of federation has at its upstream: all of them match a
 * message that may pass one more link. Others have passed as many as they may, or have been where
 * the link leads to; so messages do not go round in circles.
 *
 * <p>The arguments and the header are RabbitMQ's.
 *
 * @param bindings which of them match
 * @param maxHops how many links a message may have passed, after this one
 * @param downstream the name of the cluster that the link leads to
 * @param downstreamVhost the virtual host there
 */
record FederationUpstreamIndex<Q>(
    FanoutIndex<Q> bindings, long maxHops, String downstream, String downstreamVhost)
    implements BindingIndex<Q> {
  private static final String RECEIVED_FROM = "x-received-from";

  /**
   * The index without a binding.
   *
   * @param arguments those of the exchange; what they do not say is no reason to drop a message
   */
  static <Q> FederationUpstreamIndex<Q> empty(FieldTable arguments) {
    return new FederationUpstreamIndex<>(
        FanoutIndex.empty(),
        arguments.get("x-max-hops") instanceof FieldValue.Int64 hops
            ? hops.value()
            : Long.MAX_VALUE,
        text(arguments.get("x-downstream-name")),
        text(arguments.get("x-downstream-vhost")));
  }

  private static String text(FieldValue value) {
    return value instanceof FieldValue.LongString text ? text.string() : null;
  }

  @Override
  public BindingIndex<Q> with(Binding binding, Target<Q> target) {
    return with(bindings.with(binding, target));
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // the very index if the binding is not there
  public BindingIndex<Q> without(Binding binding) {
    FanoutIndex<Q> rest = bindings.without(binding);
    return rest == bindings ? this : with(rest);
  }

  private BindingIndex<Q> with(FanoutIndex<Q> changed) {
    return new FederationUpstreamIndex<>(changed, maxHops, downstream, downstreamVhost);
  }

  @Override
  public boolean contains(Binding binding) {
    return bindings.contains(binding);
  }

  @Override
  public boolean isEmpty() {
    return bindings.isEmpty();
  }

  @Override
  public void forEach(Consumer<? super Binding> action) {
    bindings.forEach(action);
  }

  @Override
  public boolean variesByMessage() {
    return true;
  }

  @Override
  public Targets<Q> match(String routingKey, MessageProperties properties) {
    return mayPass(properties) ? bindings.match(routingKey, properties) : Targets.none();
  }

  private boolean mayPass(MessageProperties properties) {
    if (!(properties.headers().get(RECEIVED_FROM) instanceof FieldValue.Array places)) {
      return true;
    }
    List<FieldValue> passed = places.values();
    return passed.size() < maxHops && passed.stream().noneMatch(this::isDownstream);
  }

  private boolean isDownstream(FieldValue place) {
    return downstream != null
        && place instanceof FieldValue.Table fields
        && downstream.equals(text(fields.table().get("cluster-name")))
        && (downstreamVhost == null || downstreamVhost.equals(text(fields.table().get("vhost"))));
  }
}
