package io.mayflymq.core.vhost.link;

import io.mayflymq.core.link.LinkReader;
import io.mayflymq.core.runtime.Shard;
import java.util.ArrayDeque;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * The frames of a link that wait for a queue whose declaration is not in force here yet. On the
 * link's shard.
 */
final class HeldFrames {
  private static final long POLL_MILLIS = 5;

  /** A node that is so far behind is of no use as the home of a queue. */
  private static final long LONGEST_MILLIS = 10_000;

  private record Held(int type, LinkReader body) {}

  private final Shard shard;
  private final BiConsumer<Integer, LinkReader> process;
  private final ArrayDeque<Held> frames = new ArrayDeque<>();
  private BooleanSupplier over;
  private boolean closed;

  HeldFrames(Shard shard, BiConsumer<Integer, LinkReader> process) {
    this.shard = shard;
    this.process = process;
  }

  boolean isHolding() {
    return over != null;
  }

  void add(int type, LinkReader body) {
    byte[] copy = body.rest();
    frames.add(new Held(type, new LinkReader(copy, copy.length)));
  }

  /**
   * Holds all frames from now on.
   *
   * @param end whether it is over; asked again and again
   * @param onTimeout told when it has lasted too long, or a frame cannot be read
   */
  void hold(BooleanSupplier end, Consumer<String> onTimeout) {
    over = end;
    poll(LONGEST_MILLIS, onTimeout);
  }

  private void poll(long left, Consumer<String> onTimeout) {
    shard.loop().schedule(() -> shard.run(() -> look(left - POLL_MILLIS, onTimeout)), POLL_MILLIS);
  }

  private void look(long left, Consumer<String> onTimeout) {
    if (closed) {
      return;
    }
    if (over.getAsBoolean()) {
      over = null;
      processAll(onTimeout);
    } else if (left <= 0) {
      onTimeout.accept("this node does not know a queue yet that the other node uses");
    } else {
      poll(left, onTimeout);
    }
  }

  private void processAll(Consumer<String> onFailure) {
    try {
      while (over == null && !frames.isEmpty()) {
        Held frame = frames.poll();
        process.accept(frame.type(), frame.body());
      }
    } catch (RuntimeException e) {
      onFailure.accept(String.valueOf(e.getMessage()));
    }
  }

  void close() {
    closed = true;
    frames.clear();
  }
}
