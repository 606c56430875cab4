package io.mayflymq.server.http;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;

/**
 * The body of a request while it is received, and its share of the budget for all bodies. On one
 * event loop.
 */
final class BodyBuffer {
  private static final int SMALLEST_PIECE = 1024;
  private static final int LARGEST_PIECE = 64 * 1024;

  /** The bytes that the bodies of one server take now. */
  static final class Budget {
    private final long most;
    private long taken;

    /**
     * @param most bytes, all bodies together
     */
    Budget(long most) {
      this.most = most;
    }

    long taken() {
      return taken;
    }
  }

  /** The result of appending bytes. */
  enum Outcome {
    TAKEN,
    /** The body is longer than its route allows. */
    TOO_LONG,
    /** All bodies together are too long. */
    NO_ROOM
  }

  private final Budget budget;
  private final int most;
  private final List<byte[]> pieces = new ArrayList<>();
  private int capacity;
  private int length;
  private boolean released;

  BodyBuffer(Budget budget, int most) {
    this.budget = budget;
    this.most = most;
  }

  /** Appends the bytes of a buffer; does not release the buffer. */
  Outcome append(ByteBuf part) {
    if (part.readableBytes() > most - length) {
      return Outcome.TOO_LONG;
    }
    while (part.isReadable()) {
      if (length == capacity && !grow(part.readableBytes())) {
        return Outcome.NO_ROOM;
      }
      byte[] last = pieces.get(pieces.size() - 1);
      int room = capacity - length;
      int taken = Math.min(room, part.readableBytes());
      part.readBytes(last, last.length - room, taken);
      length += taken;
    }
    return Outcome.TAKEN;
  }

  private boolean grow(int wanted) {
    int useful = Math.min(LARGEST_PIECE, Math.max(SMALLEST_PIECE, wanted + capacity));
    int size = (int) Math.min(Math.min(useful, most - capacity), budget.most - budget.taken);
    if (size == 0) {
      return false;
    }
    budget.taken += size;
    capacity += size;
    pieces.add(new byte[size]);
    return true;
  }

  /** Returns the received body; it counts towards the budget until this is released. */
  RequestBody received() {
    return new RequestBody(pieces, length);
  }

  /** Returns its share to the budget. May be called more than once. */
  void release() {
    if (!released) {
      released = true;
      budget.taken -= capacity;
      pieces.clear();
    }
  }
}
