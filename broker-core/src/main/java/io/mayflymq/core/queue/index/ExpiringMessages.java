package io.mayflymq.core.queue.index;

import io.mayflymq.core.message.Message;

/**
 * The queue's messages as an order of expiry sees them.
 *
 * @param absolute whether it orders those whose own deadline is absolute, or the others
 */
record ExpiringMessages(MessageIndex<Message> index, boolean absolute)
    implements ExpiryOrder.Messages {
  @Override
  public long firstReadyFrom(long sequence) {
    return index.nextReady(sequence - 1);
  }

  @Override
  public boolean contains(long sequence) {
    return index.contains(sequence);
  }

  @Override
  public boolean isReady(long sequence) {
    return index.isReady(sequence);
  }

  @Override
  public long deadline(long sequence) {
    long own = index.deadline(sequence);
    return Deadlines.isAbsolute(own) == absolute ? Deadlines.moment(own) : Deadlines.NEVER;
  }

  @Override
  public boolean isIndexed(long sequence) {
    return (index.flags(sequence) & EntryFlags.INDEXED) != 0
        && Deadlines.isAbsolute(index.deadline(sequence)) == absolute;
  }

  @Override
  public boolean isOutOfOrder(long sequence) {
    return (index.flags(sequence) & EntryFlags.OUT_OF_ORDER) != 0;
  }

  @Override
  public void setIndexed(long sequence, boolean indexed) {
    int flags = index.flags(sequence);
    index.setFlags(
        sequence,
        indexed
            ? flags | EntryFlags.INDEXED | EntryFlags.OUT_OF_ORDER
            : flags & ~EntryFlags.INDEXED);
  }
}
