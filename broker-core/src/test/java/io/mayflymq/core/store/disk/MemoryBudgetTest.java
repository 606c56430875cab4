package io.mayflymq.core.store.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.Message;
import io.mayflymq.protocol.types.BasicProperties;
import io.mayflymq.protocol.types.ShortString;
import org.junit.jupiter.api.Test;

class MemoryBudgetTest {
  private static final long MIB = 1 << 20;
  private static final Message OF_64_KIB =
      Message.ofBroker("", ShortString.of("q"), BasicProperties.EMPTY, new byte[64 << 10]);

  @Test
  void aContentThatIsNowhereElseStaysAsLongAsThereIsRoom() {
    MemoryBudget budget = new MemoryBudget(MIB);
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
  void copiesOfWhatTheLogHasTakeASmallPart() {
    MemoryBudget budget = new MemoryBudget(1024 * MIB);
    long copies = 0;
    while (budget.hasRoomForCopy(OF_64_KIB, 0)) {
      budget.enter();
      copies += budget.holdCopy(OF_64_KIB);
    }
    assertThat(copies).isBetween(15 * MIB, 16 * MIB);
    assertThat(budget.hasRoomFor(OF_64_KIB)).as("for what is nowhere else").isTrue();
  }

  @Test
  void aQueueHasNoMoreThanAPartOfThem() {
    MemoryBudget budget = new MemoryBudget(1024 * MIB);
    long ofQueue = 0;
    while (budget.hasRoomForCopy(OF_64_KIB, ofQueue)) {
      budget.enter();
      ofQueue += budget.holdCopy(OF_64_KIB);
    }
    assertThat(ofQueue).isBetween(3 * MIB, 4 * MIB);
    assertThat(budget.hasRoomForCopy(OF_64_KIB, 0)).as("for another queue").isTrue();
  }

  @Test
  void whereMemoryIsShortCopiesGoFirst() {
    MemoryBudget budget = new MemoryBudget(4 * MIB);
    long copies = 0;
    while (budget.hasRoomForCopy(OF_64_KIB, 0)) {
      budget.enter();
      copies += budget.holdCopy(OF_64_KIB);
    }
    assertThat(copies).isBetween(MIB * 3 / 4, MIB);
    budget.release(0, copies);
    while (budget.hasRoomFor(OF_64_KIB)) {
      budget.hold(OF_64_KIB);
    }
    assertThat(budget.hasRoomForCopy(OF_64_KIB, 0)).isFalse();
  }

  @Test
  void entriesThatCannotBeHelpedTakeRoom() {
    MemoryBudget budget = new MemoryBudget(MIB);
    for (int i = 0; i < MIB / 8; i++) {
      budget.enter();
    }
    assertThat(budget.hasRoomFor(OF_64_KIB)).isFalse();
    budget.leave(MIB / 8);
    assertThat(budget.hasRoomFor(OF_64_KIB)).isTrue();
  }
}
