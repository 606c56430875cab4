package io.mayflymq.cluster.owner;

import io.mayflymq.cluster.link.LinkFrame;
import io.mayflymq.core.codec.ByteFormatException;
import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.codec.ByteWriter;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.store.AppliedBatches;
import io.mayflymq.core.store.BatchOrigin;
import io.mayflymq.core.store.LinkBatches;
import io.mayflymq.core.vhost.command.IncomingCommands;
import java.util.Arrays;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies the batches of commands that arrive on a link. On the link's shard.
 *
 * <h2>What is applied once</h2>
 *
 * <p>The queues of a node take each batch that arrives: if the connection is lost, the other node
 * does not send it again. The queues of a replicated partition may get a batch again, on another
 * connection or from another leader, since the other node keeps it until it is answered. So such a
 * link says first where its batches come from, and a batch that has been applied is only answered,
 * by what was noted of it in the partition's log.
 *
 * <p>A batch is applied as a whole in one burst of the partition, and noted in that burst. It must
 * not be applied in parts: after the loss of the leader it would be there in part, and be applied
 * again or not at all. So a batch of which a queue holds its commands, as it is not started yet,
 * waits, and all that follows on the link waits behind it. Nothing has been applied or noted of it
 * then, and when the connection is lost it is dropped. The same batch may come by another
 * connection meanwhile.
 *
 * <h2>What cannot be read</h2>
 *
 * <p>A batch that cannot be read ends the connection, and the other node sends it again by the next
 * one. If that does not help, by whichever defect, it would do so for ever, and all that follows
 * would wait. So the third time the batch is noted as applied, with all its commands failed.
 *
 * <p>What was noted may have been dropped as well. Then all commands of the batch are reported as
 * failed, which a client takes as "perhaps".
 */
final class OwnerBatches {
  private static final Logger LOGGER = LoggerFactory.getLogger(OwnerBatches.class);
  private static final int HAS_CONSEQUENCES = 1;

  /** So often a batch that cannot be read may come. */
  private static final int MOST_ATTEMPTS = 3;

  private final IncomingCommands commands;
  private final IncomingCommands.Names names;

  /** What a replicated partition has applied; null for the queues of a node. */
  private final AppliedBatches applied;

  private final Output output;
  private final ByteWriter frame = new ByteWriter();

  /** Null as long as it is not known where the batches come from, and for the queues of a node. */
  private LinkBatches link;

  /** A batch of which a queue holds its commands; null if there is none. */
  private IncomingCommands.Whole waiting;

  /** The connection, and what follows on it. */
  interface Output {
    /** Sends a frame to the other node. */
    void send(int type, ByteWriter body);

    /** Holds what follows until this is over; it is asked again and again. */
    void hold(BooleanSupplier end);

    /** Ends the connection. */
    void close(String why);
  }

  /**
   * Creates it for one connection.
   *
   * @param applied what the replicated partition has applied; null for the queues of a node
   */
  OwnerBatches(Shard shard, IncomingCommands.Names names, AppliedBatches applied, Output output) {
    this.commands = new IncomingCommands(shard);
    this.names = names;
    this.applied = applied;
    this.output = output;
  }

  /** Notes where the batches come from. */
  void origin(ByteReader in) {
    if (applied == null || link != null) {
      throw new ByteFormatException("unexpected origin of batches");
    }
    UUID id = new UUID(in.number(), in.number());
    link = applied.of(new BatchOrigin(in.integer(), id));
  }

  /** Applies a batch, or answers it if it has been applied. */
  void commands(ByteReader in) {
    long number = in.number();
    boolean hasConsequences = (in.octet() & HAS_CONSEQUENCES) != 0;
    if (applied == null) {
      commands.apply(in, hasConsequences, names, new Answer(number));
    } else if (link == null) {
      throw new ByteFormatException("commands before their origin");
    } else if (link.hasEnded()) {
      output.close("another link of node %d has begun".formatted(link.origin().node()));
    } else if (link.isApplied(number)) {
      answerAgain(number, in);
      if (hasConsequences) {
        new Answer(number).arrived();
      }
    } else {
      IncomingCommands.Whole batch =
          commands.readWhole(in, hasConsequences, names, new Answer(number));
      if (batch.unreadable() != null) {
        unreadable(number, batch.unreadable());
        if (hasConsequences) {
          new Answer(number).arrived();
        }
      } else if (!apply(number, batch)) {
        waiting = batch;
        output.hold(() -> isElsewhere(number) || apply(number, batch));
      }
    }
  }

  /** Throws, or answers the batch if that has been done too often. */
  private void unreadable(long number, IncomingCommands.Unreadable batch) {
    if (link.unreadable(number) < MOST_ATTEMPTS) {
      throw batch.why();
    }
    LOGGER.error(
        "the {} commands of batch {} of node {} have failed: one of them, for {}, could not be read"
            + " {} times",
        batch.commands(),
        number,
        link.origin().node(),
        batch.queue() == null ? "a queue that is not known" : batch.queue(),
        MOST_ATTEMPTS,
        batch.why());
    frame.clear();
    noneSucceeded(batch.commands());
    byte[] outcome = Arrays.copyOf(frame.bytes(), frame.size());
    link.applied(number, outcome);
    output.send(LinkFrame.RETURNED, frame.clear().number(number).append(outcome));
  }

  /** The connection was lost. */
  void close() {
    if (waiting != null) {
      waiting.drop();
    }
  }

  /**
   * Returns whether a batch that waits has come by another connection, or must not come any more.
   */
  private boolean isElsewhere(long number) {
    boolean elsewhere = link.hasEnded() || link.isApplied(number);
    if (elsewhere) {
      output.close("node %d has another connection".formatted(link.origin().node()));
    }
    return elsewhere;
  }

  /** Returns whether the batch was applied. */
  private boolean apply(long number, IncomingCommands.Whole batch) {
    byte[] outcome = batch.apply();
    if (outcome != null) {
      waiting = null;
      link.applied(number, outcome);
    }
    return outcome != null;
  }

  private void answerAgain(long number, ByteReader in) {
    byte[] outcome = link.outcome(number);
    frame.clear().number(number);
    if (outcome == null) {
      noneSucceeded(in.count(2));
    } else if (outcome.length == 0) {
      frame.number(0).number(0);
    } else {
      frame.append(outcome);
    }
    output.send(LinkFrame.RETURNED, frame);
  }

  private void noneSucceeded(int count) {
    frame.number(0).number(count);
    for (int i = 0; i < count; i++) {
      frame.number(i);
    }
  }

  /** Tells the other node what becomes of a batch. */
  private final class Answer implements IncomingCommands.Outcome {
    private final long number;

    Answer(long number) {
      this.number = number;
    }

    @Override
    public void returned(ByteWriter result) {
      output.send(LinkFrame.RETURNED, frame.clear().number(number).append(result));
    }

    @Override
    public void arrived() {
      output.send(LinkFrame.ARRIVED, frame.clear().number(number));
    }
  }
}
