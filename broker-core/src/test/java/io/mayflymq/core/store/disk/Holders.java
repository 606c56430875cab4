package io.mayflymq.core.store.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.Message;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Queues that have contents in a memory, and know what is to be there. */
final class Holders implements ContentOwner {
  private record Key(long queueId, long sequence) {}

  private record Held(long location, Message message) {}

  final CountedMemory blocks;
  final ContentArena memory;
  private final Map<Key, Held> held = new LinkedHashMap<>();
  private long sequence;

  Holders(int slabBytes) {
    this(new CountedMemory(slabBytes));
  }

  Holders(CountedMemory blocks) {
    this.blocks = blocks;
    memory = new ContentArena(blocks, this);
  }

  int count() {
    return held.size();
  }

  /** A message enters queues, one after the other. */
  void put(List<Long> queueIds, Message message) {
    sequence++;
    for (long queueId : queueIds) {
      long location = memory.put(queueId, sequence, message);
      held.put(new Key(queueId, sequence), new Held(location, message));
    }
  }

  void releaseAll() {
    List.copyOf(held.keySet()).forEach(this::release);
  }

  void releaseOldest() {
    release(held.keySet().iterator().next());
  }

  /** Releases the one that stands at a place in the order of their coming. */
  void release(int place) {
    release(held.keySet().stream().skip(place).findFirst().orElseThrow());
  }

  void releaseAllOf(long queueId) {
    List.copyOf(held.keySet()).stream()
        .filter(key -> key.queueId() == queueId)
        .forEach(this::release);
  }

  private void release(Key key) {
    memory.release(held.remove(key).location());
  }

  /** Everything can be read, and what is shared is still shared. */
  void check() {
    held.values()
        .forEach(
            each ->
                assertThat(memory.read(each.location()).content())
                    .isEqualTo(each.message().content()));
    Map<Message, Long> places =
        held.values().stream()
            .collect(
                Collectors.groupingBy(
                    Held::message,
                    Collectors.collectingAndThen(
                        Collectors.mapping(Held::location, Collectors.toSet()),
                        locations -> (long) locations.size())));
    assertThat(memory.liveBytes()).isLessThanOrEqualTo(memory.allocatedBytes());
    assertThat(memory.liveBytes() > 0).isEqualTo(!held.isEmpty());
    assertThat(places.values()).allMatch(count -> count <= 2); // A slab may end in between.
  }

  @Override
  public boolean isLive(long queueId, long number, long location) {
    Held at = held.get(new Key(queueId, number));
    return at != null && at.location() == location;
  }

  @Override
  public void moved(long queueId, long number, long from, long to) {
    Held before = held.get(new Key(queueId, number));
    assertThat(before.location()).isEqualTo(from);
    held.put(new Key(queueId, number), new Held(to, before.message()));
  }
}
