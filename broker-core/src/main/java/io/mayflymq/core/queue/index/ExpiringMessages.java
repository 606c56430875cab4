package io.mayflymq.core.queue.index;

import io.mayflymq.core.message.Message;

/** The queue's messages as the order of expiry sees them. */
record ExpiringMessages(MessageIndex<Message> index) implements ExpiryOrder.Messages {
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
    return index.deadline(sequence);
  }

  @Override
  public boolean isIndexed(long sequence) {
    return (index.flags(sequence) & EntryFlags.INDEXED) != 0;
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
