package io.mayflymq.core.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.ShortString;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ConsumerRotationTest {
  private final ConsumerRotation rotation = new ConsumerRotation(false);

  private Consumer add(int number, int priority) {
    FieldTable arguments =
        FieldTable.builder().put("x-priority", new FieldValue.Int32(priority)).build();
    Consumer consumer =
        new Consumer(
            ShortString.of("c" + number), new ConsumeOptions(false, false, 0, arguments), null);
    rotation.add(consumer);
    return consumer;
  }

  private Consumer served() {
    Consumer next = rotation.next();
    rotation.served(next);
    return next;
  }

  @Test
  void thoseOfTheHighestPriorityTakeTurns() {
    Consumer low = add(1, 0);
    Consumer a = add(2, 5);
    Consumer b = add(3, 5);
    Consumer c = add(4, 5);
    assertThat(List.of(served(), served(), served(), served())).containsExactly(a, b, c, a);
    rotation.remove(b);
    assertThat(List.of(served(), served(), served())).containsExactly(c, a, c);
    rotation.block(a);
    assertThat(served()).isSameAs(c);
    rotation.block(c);
    assertThat(served()).isSameAs(low);
    a.blocked = false;
    rotation.join(a);
    assertThat(served()).isSameAs(a);
    rotation.remove(a);
    rotation.remove(c);
    assertThat(served()).isSameAs(low);
    rotation.remove(low);
    assertThat(rotation.next()).isNull();
    assertThat(rotation.count()).isZero();
  }

  /** In any order; this would take minutes if each had to be searched for. */
  @Test
  void hundredsOfThousandsLeaveOneByOne() {
    List<Consumer> all = new ArrayList<>();
    for (int i = 0; i < 400_000; i++) {
      all.add(add(i, 0));
    }
    Collections.shuffle(all, new Random(7));
    for (Consumer consumer : all) {
      rotation.remove(consumer);
    }
    assertThat(rotation.count()).isZero();
    assertThat(rotation.next()).isNull();
  }
}
