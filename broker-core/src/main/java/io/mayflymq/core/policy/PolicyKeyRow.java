package io.mayflymq.core.policy;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Everything that {@link PolicyKey} knows of one key, as a row of its table. Used only while the
 * keys are made.
 *
 * <p>Unless the row says otherwise, a key is about queues of all types, is set by the argument of
 * its name behind {@code x-}, is not allowed in operator policies, and the value of the stronger
 * source replaces the other one.
 */
final class PolicyKeyRow {
  final String name;
  final ValueValidator values;
  String doc = "";
  String formerName;
  Object byDefault;
  String argument;
  boolean effect = true;
  boolean ofExchanges;
  boolean ofBoth;
  boolean byArgument = true;
  boolean extension;
  boolean newArgument;
  boolean forOperators;
  boolean overArgumentOfQuorumQueues;
  Set<QueueType> types = EnumSet.allOf(QueueType.class);
  Merge withOperatorPolicy = Merge.SECOND;
  Merge withArgument = Merge.SECOND;

  private PolicyKeyRow(String name, ValueValidator values) {
    this.name = name;
    this.values = values;
    this.argument = "x-" + name;
  }

  /** A key of this name with these values. */
  static PolicyKeyRow row(String name, ValueValidator values) {
    return new PolicyKeyRow(name, values);
  }

  /** What its values are and mean, for the page about policies, in Markdown. */
  PolicyKeyRow doc(String text) {
    doc = text;
    return this;
  }

  /** Its name in earlier versions, which is still accepted. */
  PolicyKeyRow formerly(String earlier) {
    formerName = earlier;
    return this;
  }

  /** What counts for a queue if nothing sets the key, and neither its dialect. */
  PolicyKeyRow byDefault(Object value) {
    byDefault = value;
    return this;
  }

  /** It is accepted, shown and exported, and does nothing. */
  PolicyKeyRow withoutEffect() {
    effect = false;
    return this;
  }

  /** It is about queues, and policies alone set it. */
  PolicyKeyRow byPoliciesOnly() {
    byArgument = false;
    return this;
  }

  /** It is set by this argument. */
  PolicyKeyRow byArgument(String name) {
    argument = name;
    return this;
  }

  /** It is about exchanges or their bindings, which this argument sets. */
  PolicyKeyRow ofExchanges(String byArgument) {
    ofExchanges = true;
    return byArgument(byArgument);
  }

  /** It is about queues as well as about exchanges, and policies alone set it. */
  PolicyKeyRow ofBoth() {
    ofBoth = true;
    byArgument = false;
    return this;
  }

  /** Only these types of queue support it. */
  PolicyKeyRow of(QueueType... supporting) {
    types = EnumSet.copyOf(List.of(supporting));
    return this;
  }

  /** It is this broker's own: RabbitMQ does not know it. */
  PolicyKeyRow extension() {
    extension = true;
    newArgument = true;
    return this;
  }

  /** RabbitMQ 3.13 does not know its argument, and so does not check it. */
  PolicyKeyRow newArgument() {
    newArgument = true;
    return this;
  }

  /** Operator policies may have it. */
  PolicyKeyRow forOperators() {
    forOperators = true;
    return this;
  }

  /** How a policy's value and an operator policy's are merged. */
  PolicyKeyRow withOperatorPolicy(Merge merge) {
    withOperatorPolicy = merge;
    return this;
  }

  /** How a policy's value and an argument's are merged. */
  PolicyKeyRow withArgument(Merge merge) {
    withArgument = merge;
    return this;
  }

  /** For quorum queues a policy's value replaces an argument's. */
  PolicyKeyRow overArgumentOfQuorumQueues() {
    overArgumentOfQuorumQueues = true;
    return this;
  }
}
