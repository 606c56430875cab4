package io.mayflymq.core.vhost.command;

import io.mayflymq.core.codec.ByteFormatException;
import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.codec.ByteWriter;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.store.Commit;
import io.mayflymq.core.vhost.partition.BatchArrival;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.RemoteCommands;

/** A batch whose queues are on another node: how it is written, and how its outcome is read. */
final class OutgoingCommands implements RemoteCommands<Queue> {
  /** The flag of a command whose publisher waits for the outcome. */
  static final int AWAITED = 0x80;

  private final CommandBatch batch;
  private final Commit run;

  /** Null if there are none, or they have arrived. The batch is used again before that. */
  private BatchArrival consequences;

  OutgoingCommands(CommandBatch batch, Commit run) {
    this.batch = batch;
    this.run = run;
    this.consequences = batch.hasConsequences() ? batch.consequences() : null;
  }

  @Override
  public void encode(ByteWriter out, Names<Queue> names) {
    out.number(batch.size());
    for (int i = 0; i < batch.size(); i++) {
      byte kind = batch.kind(i);
      // It is always asked whether an offer has entered.
      boolean awaited = batch.isAwaited(i) || kind == CommandBatch.OFFER;
      out.octet(kind | (awaited ? AWAITED : 0));
      out.number(names.queue(batch.queue(i)));
      switch (kind) {
        case CommandBatch.PUBLISH -> names.messages().write(out, (Message) batch.subject(i));
        case CommandBatch.OFFER -> {
          out.octet(batch.last(i) == CommandBatch.AT_ONCE ? 1 : 0);
          names.messages().write(out, (Message) batch.subject(i));
        }
        case CommandBatch.SCHEDULE -> {
          // Clocks of nodes differ.
          out.number(Math.max(0, batch.last(i) - names.now()));
          names.messages().write(out, (Message) batch.subject(i));
        }
        default -> encodeSettlement(out, names, i);
      }
    }
  }

  /** One that comes too late has no messages. */
  private void encodeSettlement(ByteWriter out, Names<Queue> names, int i) {
    Consumer consumer = (Consumer) batch.subject(i);
    long from = names.sequence(consumer, batch.first(i));
    long to = names.sequence(consumer, batch.last(i));
    boolean isLate = from < 0 || to < from;
    out.number(isLate ? 0 : names.consumer(consumer, to - from + 1));
    out.number(isLate ? 0 : from);
    out.number(isLate ? 0 : to - from + 1);
  }

  @Override
  public boolean hasConsequences() {
    return consequences != null;
  }

  @Override
  public void returned(ByteReader outcome) {
    int refused = outcome.count(1);
    for (int i = 0; i < refused; i++) {
      batch.refused(checked(outcome.integer()));
    }
    int failed = outcome.count(1);
    for (int i = 0; i < failed; i++) {
      batch.failed(checked(outcome.integer()));
    }
    // Absent if there are none, as nodes of earlier versions have it.
    int gone = outcome.remaining() > 0 ? outcome.count(1) : 0;
    for (int i = 0; i < gone; i++) {
      batch.gone(checked(outcome.integer()));
    }
    run.safe();
  }

  private int checked(int index) {
    if (index >= batch.size()) {
      throw new ByteFormatException(
          "an outcome of command %d of %d".formatted(index, batch.size()));
    }
    return index;
  }

  @Override
  public void arrived() {
    if (consequences != null) {
      consequences.applied();
      consequences = null;
    }
  }

  @Override
  public void lost() {
    batch.lost();
    run.safe();
    arrived();
  }
}
