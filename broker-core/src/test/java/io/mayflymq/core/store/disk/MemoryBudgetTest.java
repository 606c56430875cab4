package io.mayflymq.core.store.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.Message;
import io.mayflymq.protocol.types.BasicProperties;
import io.mayflymq.protocol.types.ShortString;
import org.junit.jupiter.api.Test;

class MemoryBudgetTest {
  private static final long MIB = 1 << 20;
  private static final int SLAB = 512 << 10;
  private static final Message OF_64_KIB = ofBytes(64 << 10);

  private final ContentArena packed = new Holders(SLAB).memory;

  private static Message ofBytes(int bytes) {
    return Message.ofBroker("", ShortString.of("q"), BasicProperties.EMPTY, new byte[bytes]);
  }

  private MemoryBudget budget(long limit) {
    return new MemoryBudget(limit, packed);
  }

  @Test
  void contentsThatAreInNoFileMayTakeTheWholeBudget() {
    MemoryBudget budget = budget(MIB);
    int held = 0;
    while (budget.hasRoomFor(OF_64_KIB)) {
      budget.enter();
      budget.hold(OF_64_KIB);
      held++;
    }
    assertThat(held).isEqualTo(15); // With what the objects cost, a sixteenth is too many.
    budget.release(OF_64_KIB);
    assertThat(budget.hasRoomFor(OF_64_KIB)).isTrue();
  }

  @Test
  void queuesThatHaveMessagesTakePartOfTheBudget() {
    MemoryBudget budget = budget(MIB);
    for (int i = 0; i < 500; i++) {
      budget.enterQueue();
    }
    assertThat(budget.hasRoomFor(OF_64_KIB)).isFalse();
    for (int i = 0; i < 50; i++) {
      budget.leaveQueue();
    }
    assertThat(budget.hasRoomFor(OF_64_KIB)).isTrue();
  }

  @Test
  void messagesCachedForConsumersMayTakeASixteenthOfTheBudget() {
    MemoryBudget budget = budget(1024 * MIB);
    long objects = 0;
    while (budget.hasRoomForConsumer(OF_64_KIB, 0)) {
      budget.enter();
      objects += budget.hold(OF_64_KIB);
    }
    assertThat(objects).isBetween(63 * MIB, 64 * MIB);
    assertThat(budget.hasRoomFor(OF_64_KIB)).as("for what is nowhere else").isTrue();
  }

  @Test
  void messagesCachedForOneQueueMayTakeAQuarterOfTheCache() {
    MemoryBudget budget = budget(1024 * MIB);
    long ofQueue = 0;
    while (budget.hasRoomForConsumer(OF_64_KIB, ofQueue)) {
      budget.enter();
      ofQueue += budget.hold(OF_64_KIB);
    }
    assertThat(ofQueue).isBetween(15 * MIB, 16 * MIB);
    assertThat(budget.hasRoomForConsumer(OF_64_KIB, 0)).as("for another queue").isTrue();
  }

  @Test
  void smallBudgetAllowsFewerMessagesCachedForConsumers() {
    MemoryBudget budget = budget(4 * MIB);
    long objects = 0;
    while (budget.hasRoomForConsumer(OF_64_KIB, 0)) {
      budget.enter();
      objects += budget.hold(OF_64_KIB);
    }
    assertThat(objects).isBetween(MIB * 3 / 4, MIB);
    budget.release(objects);
    while (budget.hasRoomFor(OF_64_KIB)) {
      budget.hold(OF_64_KIB);
    }
    assertThat(budget.hasRoomForConsumer(OF_64_KIB, 0)).isFalse();
  }

  @Test
  void indexEntriesUseTheBudget() {
    MemoryBudget budget = budget(MIB);
    for (int i = 0; i < MIB / 8; i++) {
      budget.enter();
    }
    assertThat(budget.hasRoomFor(OF_64_KIB)).isFalse();
    budget.leave(MIB / 8);
    assertThat(budget.hasRoomFor(OF_64_KIB)).isTrue();
  }

  @Test
  void packedContentsUseTheBudget() {
    MemoryBudget budget = budget(MIB);
    assertThat(budget.hasRoomFor(MIB)).isTrue();
    long location = packed.put(1, 0, ofBytes(100));
    assertThat(budget.hasRoomFor(MIB - SLAB)).isTrue();
    assertThat(budget.hasRoomFor(MIB - SLAB + 1)).isFalse();
    packed.release(location);
  }
}
