package io.mayflymq.cluster.owner;

import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.runtime.Shard;
import java.util.ArrayDeque;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * The frames of a link that wait for a queue: its declaration is not in force here yet, or it does
 * not take commands yet. On the link's shard.
 */
final class HeldFrames {
  private static final long POLL_MILLIS = 5;

  private record Held(int type, ByteReader body) {}

  private final Shard shard;
  private final BiConsumer<Integer, ByteReader> process;
  private final ArrayDeque<Held> frames = new ArrayDeque<>();
  private BooleanSupplier over;
  private boolean closed;

  HeldFrames(Shard shard, BiConsumer<Integer, ByteReader> process) {
    this.shard = shard;
    this.process = process;
  }

  boolean isHolding() {
    return over != null;
  }

  void add(int type, ByteReader body) {
    byte[] copy = body.rest();
    frames.add(new Held(type, new ByteReader(copy, copy.length)));
  }

  /**
   * Holds all frames from now on.
   *
   * @param end whether it is over; asked again and again
   * @param longestMillis after this time it is over in any case
   * @param onFailure told when a frame cannot be read
   */
  void hold(BooleanSupplier end, long longestMillis, Consumer<String> onFailure) {
    over = end;
    poll(longestMillis, onFailure);
  }

  private void poll(long left, Consumer<String> onFailure) {
    shard.loop().schedule(() -> shard.run(() -> look(left - POLL_MILLIS, onFailure)), POLL_MILLIS);
  }

  private void look(long left, Consumer<String> onFailure) {
    if (closed) {
      return;
    }
    if (over.getAsBoolean() || left <= 0) {
      over = null;
      processAll(onFailure);
    } else {
      poll(left, onFailure);
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
