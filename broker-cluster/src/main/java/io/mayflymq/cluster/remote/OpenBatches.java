package io.mayflymq.cluster.remote;

import io.mayflymq.core.codec.ByteFormatException;
import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.RemoteCommands;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/** The batches of a link that have not come back, in the order of their numbers. On its shard. */
final class OpenBatches {
  private final Map<Long, RemoteCommands<Queue>> underWay = new LinkedHashMap<>();

  /** Those that have come back, and what they have led to has not arrived. */
  private final Map<Long, RemoteCommands<Queue>> arriving = new HashMap<>();

  private long last;

  /** Adds one and returns its number. */
  long add(RemoteCommands<Queue> commands) {
    last++;
    underWay.put(last, commands);
    if (commands.hasConsequences()) {
      arriving.put(last, commands);
    }
    return last;
  }

  void returned(ByteReader in) {
    long number = in.number();
    RemoteCommands<Queue> commands = underWay.remove(number);
    if (commands == null) {
      throw new ByteFormatException("batch %d has not been sent".formatted(number));
    }
    try {
      commands.returned(in);
    } catch (RuntimeException e) {
      arriving.remove(number);
      commands.lost();
      throw e;
    }
  }

  void arrived(ByteReader in) {
    RemoteCommands<Queue> commands = arriving.remove(in.number());
    if (commands != null) {
      commands.arrived();
    }
  }

  /** A batch cannot be sent. */
  void remove(long number) {
    underWay.remove(number);
    arriving.remove(number);
  }

  /** Visits those that have not come back now, in order. */
  void forEach(BiConsumer<Long, RemoteCommands<Queue>> visitor) {
    new LinkedHashMap<>(underWay).forEach(visitor);
  }

  /** The connection was lost: nothing more is heard of those that have come back. */
  void forgetReturned() {
    List<RemoteCommands<Queue>> returned = new ArrayList<>();
    arriving
        .entrySet()
        .removeIf(entry -> !underWay.containsKey(entry.getKey()) && returned.add(entry.getValue()));
    returned.forEach(RemoteCommands::arrived);
  }

  /** The connection was lost: what becomes of any of them is not known. */
  void lost() {
    List<RemoteCommands<Queue>> lost = new ArrayList<>(underWay.values());
    underWay.clear();
    List<RemoteCommands<Queue>> never = new ArrayList<>(arriving.values());
    arriving.clear();
    lost.forEach(RemoteCommands::lost);
    never.forEach(RemoteCommands::arrived);
  }
}
