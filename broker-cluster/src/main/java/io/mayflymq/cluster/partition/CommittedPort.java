package io.mayflymq.cluster.partition;

import io.mayflymq.cluster.link.LinkPort;
import io.mayflymq.core.codec.ByteWriter;
import io.mayflymq.core.store.Commit;
import java.util.ArrayDeque;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * A connection of a node to a partition that this one leads. On the partition's shard.
 *
 * <p>What a replicated partition tells a node: deliveries, outcomes, answers.
 *
 * <p>A burst may be undone as long as it is not committed, as another node may lead without it. So
 * what is told in a burst waits until all that was written before is committed. The queues need not
 * know of that: they hand out what has just entered them, and if it is undone it was never told.
 *
 * <p>A node that may no longer lead must not deliver either, even if a burst is committed. What is
 * told waits then, until it may again or leads no more.
 */
final class CommittedPort implements LinkPort {
  private static final int MOST_SPARE = 16;

  private final LinkPort port;
  private final Consumer<Commit> commits;
  private final BooleanSupplier mayTell;
  private final ArrayDeque<ByteWriter> spare = new ArrayDeque<>(MOST_SPARE);

  /** What is committed and must not be told now. */
  private final ArrayDeque<Frame> held = new ArrayDeque<>(0);

  private boolean closed;

  /**
   * Creates the port.
   *
   * @param commits tells when what the partition has written so far is committed
   * @param mayTell whether what is committed may be told now
   */
  CommittedPort(LinkPort port, Consumer<Commit> commits, BooleanSupplier mayTell) {
    this.port = port;
    this.commits = commits;
    this.mayTell = mayTell;
  }

  /** A frame that waits for what was written before it. */
  private final class Frame implements Commit {
    private final int type;
    private final ByteWriter body;

    Frame(int type, ByteWriter body) {
      this.type = type;
      this.body = body;
    }

    @Override
    public void safe() {
      held.add(this);
      release();
    }

    /** This node leads no more. */
    @Override
    public void failed() {
      closed = true;
    }

    private void send() {
      port.send(type, body);
      if (spare.size() < MOST_SPARE) {
        spare.add(body.clear());
      }
    }
  }

  /** Sends what is committed, if it may be told now. */
  void release() {
    while (!held.isEmpty() && !closed && mayTell.getAsBoolean()) {
      held.poll().send();
    }
  }

  @Override
  public int version() {
    return port.version();
  }

  @Override
  public void send(int type, ByteWriter body) {
    if (!closed) {
      ByteWriter copy = spare.isEmpty() ? new ByteWriter() : spare.poll();
      commits.accept(new Frame(type, copy.append(body)));
    }
  }

  /** Sends a frame without a body that waits for nothing. */
  void sendNow(int type) {
    if (!closed) {
      port.send(type, new ByteWriter());
    }
  }

  @Override
  public boolean isWritable() {
    return port.isWritable();
  }

  @Override
  public void close(String why) {
    closed = true;
    port.close(why);
  }
}
