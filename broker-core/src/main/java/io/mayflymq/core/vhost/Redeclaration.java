package io.mayflymq.core.vhost;

import io.mayflymq.core.deprecation.DeprecatedFeatures;
import io.mayflymq.core.metadata.Actor;
import io.mayflymq.core.metadata.QueueDefinition;
import io.mayflymq.core.policy.Defaults;
import io.mayflymq.core.policy.Dialect;
import io.mayflymq.core.policy.Equivalence;
import io.mayflymq.core.policy.Equivalence.Mismatch;
import io.mayflymq.core.policy.OnMismatch;
import io.mayflymq.core.policy.OnMismatch.Verdict;
import io.mayflymq.core.policy.PolicyTable;
import io.mayflymq.core.policy.QueueArguments;
import io.mayflymq.core.policy.QueueType;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.vhost.queue.AutoDeadLetterQueue;
import io.mayflymq.core.vhost.queue.Preconditions;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import java.util.ArrayList;
import java.util.List;

/**
 * What becomes of the declaration of what is there already.
 *
 * @param kept what differs and stays as it is
 * @param adopted what differs and is taken over from the declaration
 * @param definition what the queue is then
 */
record Redeclaration(List<Mismatch> kept, List<Mismatch> adopted, QueueDefinition definition) {
  private static final Redeclaration SAME = new Redeclaration(List.of(), List.of(), null);

  /**
   * Compares exchanges.
   *
   * @throws ChannelException 406 if they differ
   */
  static void check(String vhost, ExchangeDefinition wanted, ExchangeDefinition current) {
    Equivalence equivalence = new Equivalence("exchange", wanted.name(), vhost);
    equivalence.check("type", wanted.type(), current.type());
    equivalence.check("durable", wanted.durable(), current.durable());
    equivalence.check("auto_delete", wanted.autoDelete(), current.autoDelete());
    equivalence.check("internal", wanted.internal(), current.internal());
    equivalence.checkExchangeArguments(wanted.arguments(), current.arguments());
  }

  /**
   * Compares queues.
   *
   * @param definition what the queue is, or what it becomes by a change that is being written
   * @param policies those of the virtual host, which say what becomes of what differs, and what
   *     else they must agree on
   * @param deprecated what may not be used, and where uses are counted
   * @return what becomes of the declaration
   * @throws ChannelException 405 if the queue is another connection's; 406 if they differ in what
   *     must agree, or an argument that is kept or adopted is not valid
   */
  static Redeclaration of(
      String vhost,
      QueueDeclaration wanted,
      Queue current,
      QueueDefinition definition,
      PolicyTable policies,
      DeprecatedFeatures deprecated) {
    QueueType type = definition.settings().type();
    OnMismatch rules =
        AutoDeadLetterQueue.is(definition)
            ? OnMismatch.REFUSING
            : policies.onMismatch(type, wanted.name());
    Equivalence equivalence = new Equivalence("queue", wanted.name(), vhost);
    boolean isShared = current.owner() == null;
    boolean sharesAnyway =
        isShared && wanted.exclusive() && rules.on(OnMismatch.EXCLUSIVE) == Verdict.KEEP;
    boolean ownsAnyway =
        current.owner() == wanted.connection()
            && !wanted.exclusive()
            && rules.on(OnMismatch.EXCLUSIVE) == Verdict.KEEP;
    if (!sharesAnyway
        && !ownsAnyway
        && (isShared
            ? wanted.exclusive()
            : current.owner() != wanted.connection() || !wanted.exclusive())) {
      throw new Preconditions(vhost).locked(wanted.name());
    }
    List<Mismatch> found = new ArrayList<>();
    equivalence
        .compare(OnMismatch.EXCLUSIVE, wanted.exclusive(), definition.exclusive())
        .ifPresent(found::add);
    boolean durable = wanted.durable() && isShared && (sharesAnyway || !wanted.exclusive());
    equivalence.compare(OnMismatch.DURABLE, durable, definition.durable()).ifPresent(found::add);
    equivalence
        .compare(OnMismatch.AUTO_DELETE, wanted.autoDelete(), definition.autoDelete())
        .ifPresent(found::add);
    Defaults defaults = policies.defaults();
    FieldTable received = wanted.arguments();
    if (!defaults.compared().typeOfQuorumQueues() && type == QueueType.QUORUM) {
      received = received.with(QueueType.ARGUMENT, FieldValue.of(QueueType.QUORUM.wireName()));
    }
    found.addAll(
        equivalence.compareQueueArguments(
            received,
            definition.arguments(),
            defaults.dialect(),
            defaults.compared().extensions(),
            rules));
    if (found.isEmpty()) {
      return SAME;
    }
    for (Mismatch mismatch : found) {
      if (rules.on(mismatch.name()) == Verdict.REFUSE) {
        throw mismatch.error();
      }
    }
    QueueArguments.parse(wanted.arguments(), wanted.name(), vhost, defaults.dialect());
    List<Mismatch> kept =
        found.stream().filter(each -> rules.on(each.name()) == Verdict.KEEP).toList();
    List<Mismatch> adopted =
        found.stream().filter(each -> rules.on(each.name()) == Verdict.ADOPT).toList();
    return new Redeclaration(
        kept,
        adopted,
        adopted.isEmpty()
            ? definition
            : adopting(
                definition, received, adopted, vhost, defaults.dialect(), deprecated, wanted));
  }

  /** Only what is new is held to what may not be used any more. */
  private static QueueDefinition adopting(
      QueueDefinition before,
      FieldTable received,
      List<Mismatch> adopted,
      String vhost,
      Dialect dialect,
      DeprecatedFeatures deprecated,
      QueueDeclaration wanted) {
    FieldTable.Builder changed = before.arguments().toBuilder();
    FieldTable.Builder fresh = FieldTable.builder();
    FieldValue type = before.arguments().get(QueueType.ARGUMENT);
    if (type != null) {
      fresh.put(QueueType.ARGUMENT, type);
    }
    for (Mismatch mismatch : adopted) {
      FieldValue value = received.get(mismatch.name());
      if (value == null) {
        changed.remove(mismatch.name());
      } else {
        changed.put(mismatch.name(), value);
        fresh.put(mismatch.name(), value);
      }
    }
    QueueArguments.Valid valid =
        QueueArguments.parse(changed.build(), before.name(), vhost, dialect);
    QueueArguments.checkNew(
        fresh.build(),
        before.name(),
        vhost,
        dialect,
        deprecated,
        !Actor.of(wanted.connection()).pid().isEmpty());
    return new QueueDefinition(
        before.name(),
        before.durable(),
        before.exclusive(),
        before.autoDelete(),
        valid.table(),
        valid.settings(),
        before.declaredBy());
  }

  /** Returns whether the queue takes something over from the declaration. */
  boolean changes() {
    return !adopted.isEmpty();
  }
}
