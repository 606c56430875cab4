package io.mayflymq.core.queue.index;

/**
 * What only some queues keep for a message, packed into {@link MessageIndex#extra}: its priority,
 * and how often it was returned by consumers.
 */
public final class EntryMetadata {
  private static final int PRIORITY_BITS = 8;
  private static final int PRIORITY_MASK = (1 << PRIORITY_BITS) - 1;
  private static final int MOST_RETURNS = -1 >>> PRIORITY_BITS;

  private EntryMetadata() {}

  /** The priority, 0 to 255. */
  public static int priority(MessageIndex<?> index, long sequence) {
    return index.extra(sequence) & PRIORITY_MASK;
  }

  /** Sets the priority of a message that has not been returned yet. */
  public static void setPriority(MessageIndex<?> index, long sequence, int priority) {
    index.setExtra(sequence, priority);
  }

  /** Returns how often the message was returned; not counted past 16,777,215. */
  public static int returns(MessageIndex<?> index, long sequence) {
    return index.extra(sequence) >>> PRIORITY_BITS;
  }

  /** Sets how often the message was returned. */
  public static void setReturns(MessageIndex<?> index, long sequence, int returns) {
    index.setExtra(sequence, (returns << PRIORITY_BITS) | priority(index, sequence));
  }

  /** Counts a return of the message. @return how often it has been returned now */
  public static int countReturn(MessageIndex<?> index, long sequence) {
    int returns = Math.min(returns(index, sequence) + 1, MOST_RETURNS);
    setReturns(index, sequence, returns);
    return returns;
  }
}
