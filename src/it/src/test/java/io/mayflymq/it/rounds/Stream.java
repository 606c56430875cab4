package io.mayflymq.it.rounds;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;

/**
 * What one publisher sends to one queue, in an order that can be read from the messages: each body
 * begins with an id, the stream's number and a sequence number, and goes on with bytes that follow
 * from it.
 */
public final class Stream {
  private static final int SEQUENCE_BITS = 40;
  private static final int ID_BYTES = 8;
  private static final int BIG_ONE_OF = 500;
  private static final int BIG_BYTES = 60_000;
  private static final int SMALL_BYTES = 400;

  private final long number;
  private final String queue;
  private final ExpectedMessages ledger;
  private long sequence;

  Stream(int number, String queue, ExpectedMessages ledger) {
    this.number = number;
    this.queue = queue;
    this.ledger = ledger;
  }

  String queue() {
    return queue;
  }

  ExpectedMessages ledger() {
    return ledger;
  }

  long nextId() {
    return id(number, sequence++);
  }

  /** Returns the id of a message by the number of its stream and its place in that. */
  public static long id(long number, long sequence) {
    return number << SEQUENCE_BITS | sequence;
  }

  /** Returns the number of the stream that a message is of. */
  public static long numberOf(long id) {
    return id >> SEQUENCE_BITS;
  }

  /** Returns an id for people. */
  public static String text(long id) {
    return numberOf(id) + "/" + (id & (1L << SEQUENCE_BITS) - 1);
  }

  /** Returns a body for this id, usually a small one. */
  public static byte[] body(long id, Random random) {
    int padding = random.nextInt(random.nextInt(BIG_ONE_OF) == 0 ? BIG_BYTES : SMALL_BYTES);
    byte[] body = new byte[ID_BYTES + padding];
    Arrays.fill(body, (byte) id);
    ByteBuffer.wrap(body).putLong(id);
    return body;
  }

  /** Returns the id in a body; fails if the body differs from the published one. */
  public static long id(byte[] body) {
    long id = body.length < ID_BYTES ? -1 : ByteBuffer.wrap(body).getLong();
    for (int i = ID_BYTES; i < body.length; i++) {
      if (body[i] != (byte) id) {
        throw new AssertionError("message " + text(id) + " is changed at byte " + i);
      }
    }
    if (id < 0) {
      throw new AssertionError("a message of " + body.length + " bytes that was never published");
    }
    return id;
  }
}
