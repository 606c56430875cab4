package io.mayflymq.server.channel;

import io.mayflymq.core.message.Message;
import java.util.Arrays;

/** The deliveries of one burst of a shard to one connection, in columns. */
final class DeliveryBatch {
  private static final int INITIAL_CAPACITY = 32;

  private ConsumerOperations[] channels = new ConsumerOperations[INITIAL_CAPACITY];
  private DeliverySource[] sources = new DeliverySource[INITIAL_CAPACITY];
  private Message[] messages = new Message[INITIAL_CAPACITY];
  private long[] sequences = new long[INITIAL_CAPACITY];
  private boolean[] redelivered = new boolean[INITIAL_CAPACITY];
  private int size;

  void add(
      ConsumerOperations channel,
      DeliverySource source,
      long sequence,
      Message message,
      boolean again) {
    if (size == messages.length) {
      int capacity = size * 2;
      channels = Arrays.copyOf(channels, capacity);
      sources = Arrays.copyOf(sources, capacity);
      messages = Arrays.copyOf(messages, capacity);
      sequences = Arrays.copyOf(sequences, capacity);
      redelivered = Arrays.copyOf(redelivered, capacity);
    }
    channels[size] = channel;
    sources[size] = source;
    messages[size] = message;
    sequences[size] = sequence;
    redelivered[size] = again;
    size++;
  }

  void deliver() {
    for (int i = 0; i < size; i++) {
      channels[i].deliver(sources[i], sequences[i], messages[i], redelivered[i]);
    }
  }
}
