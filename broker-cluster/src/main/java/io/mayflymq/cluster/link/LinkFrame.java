package io.mayflymq.cluster.link;

/** The types of frames on a link. Their codes never change. */
public final class LinkFrame {
  // To the home node

  /** Gives a queue a number for later frames: number, virtual host, name, id. */
  public static final int QUEUE = 16;

  /** Takes all numbers of queues back. */
  public static final int FORGET_QUEUES = 17;

  /** Commands of a burst: the batch's number, flags, count, then the commands. */
  public static final int COMMANDS = 18;

  /** A request: its number, its kind, the queue's number, then what the kind needs. */
  public static final int REQUEST = 19;

  /** A consumer may be sent more: its number, bytes. */
  public static final int CREDIT = 20;

  /** Everything that was held for a consumer when it was recalled is back: its number. */
  public static final int RECALLED = 21;

  /**
   * The first frame of a connection to the leader of a replicated partition: the two halves of the
   * random number of the link, and the number of its node. The numbers of its batches go on from
   * connection to connection, so a batch whose number was applied is not applied again. It ends an
   * earlier connection of the same link, whose consumers join again.
   */
  public static final int ORIGIN = 22;

  /**
   * All consumers have been sent that had joined by an earlier connection to a leader: no body.
   * From {@link LinkVersion#OF_RANKS} on.
   */
  public static final int REJOINED = 23;

  // From the home node

  /** A batch was applied: its number, flags, which commands were refused, which failed. */
  public static final int RETURNED = 32;

  /** What a batch has led to has arrived: its number. */
  public static final int ARRIVED = 33;

  /** A request was answered: its number, the answer. */
  public static final int ANSWER = 34;

  /** A request failed: its number, the scope of the error, its code and text. */
  public static final int ERROR = 35;

  /** Messages for consumers: see {@link DeliveryCodec}. */
  public static final int DELIVER = 36;

  /** The queue of a consumer is deleted: the consumer's number. */
  public static final int CANCELLED = 37;

  /** The queue of a request has moved, and nothing was done: the request's number. */
  public static final int MOVED = 38;

  /**
   * The deadlines in a queue have changed, so what is held for a consumer is to be released: the
   * consumer's number. Answered by {@link #RECALLED}. From {@link LinkVersion#OF_DEADLINES} on.
   */
  public static final int RECALL = 39;

  /**
   * A consumer is the single active one of its replicated queue from here on: its number. From
   * {@link LinkVersion#OF_RANKS} on.
   */
  public static final int ACTIVE = 40;

  /**
   * The leader of a replicated partition cannot commit anything at present: no body. What it tells
   * waits until it can, but for this frame. From {@link LinkVersion#OF_STALLS} on.
   */
  public static final int STALLED = 41;

  /** It can again: no body. From {@link LinkVersion#OF_STALLS} on. */
  public static final int GOES_ON = 42;

  private LinkFrame() {}
}
