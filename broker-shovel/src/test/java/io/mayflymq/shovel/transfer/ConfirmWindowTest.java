package io.mayflymq.shovel.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class ConfirmWindowTest {
  private final ConfirmWindow<String> window = new ConfirmWindow<>();
  private final List<Long> refused = new ArrayList<>();

  private int settled(long number, boolean multiple, boolean taken) {
    return window.settled(number, multiple, taken, refused::add);
  }

  @Test
  void messagesAreAcknowledgedUpToTheFirstThatIsOpen() {
    for (int tag = 11; tag <= 15; tag++) {
      window.published(tag, "m");
    }
    assertThat(settled(2, false, true)).isEqualTo(1);
    assertThat(window.takeSettledTag()).isZero();
    assertThat(settled(1, false, true)).isEqualTo(1);
    assertThat(window.takeSettledTag()).isEqualTo(12);
    assertThat(window.takeSettledTag()).isZero();
    assertThat(settled(5, true, true)).isEqualTo(3);
    assertThat(window.takeSettledTag()).isEqualTo(15);
    assertThat(window.open()).isZero();
    assertThat(refused).isEmpty();
  }

  @Test
  void refusedMessagesGoBackAndThoseBehindThemAreAcknowledged() {
    window.published(1, "a");
    window.published(2, "b");
    assertThat(settled(1, false, false)).isZero();
    assertThat(refused).containsExactly(1L);
    assertThat(window.takeSettledTag()).isZero();
    assertThat(settled(2, false, true)).isEqualTo(1);
    assertThat(window.takeSettledTag()).isEqualTo(2);
  }

  @Test
  void returnedMessagesAreRefusedAlthoughTheyAreConfirmed() {
    window.published(1, "a");
    window.published(2, "b");
    window.published(3, "b");
    assertThat(window.returned("b"::equals)).isEqualTo(2);
    assertThat(settled(3, true, true)).isEqualTo(1);
    assertThat(refused).containsExactly(2L, 3L);
    assertThat(window.takeSettledTag()).isEqualTo(1);
  }

  /** Against a map of all numbers. */
  @Property
  void everyMessageIsSettledOnce(@ForAll long seed) {
    Random random = new Random(seed);
    ConfirmWindow<Integer> tested = new ConfirmWindow<>();
    TreeMap<Long, Boolean> open = new TreeMap<>();
    List<Long> back = new ArrayList<>();
    long next = 1;
    long acknowledged = 0;
    for (int step = 0; step < 500; step++) {
      if (random.nextInt(3) > 0) {
        int burst = 1 + random.nextInt(random.nextInt(20) == 0 ? 2_000 : 20);
        for (int i = 0; i < burst; i++) {
          tested.published(next * 2, i);
          open.put(next++, true);
        }
      } else if (!open.isEmpty()) {
        long number =
            open.firstKey() + random.nextInt((int) (open.lastKey() - open.firstKey()) + 1);
        boolean multiple = random.nextBoolean();
        boolean taken = random.nextInt(10) > 0;
        int expected = 0;
        int refusedBefore = back.size();
        List<Long> hit =
            multiple
                ? new ArrayList<>(open.headMap(number, true).keySet())
                : open.containsKey(number) ? List.of(number) : List.of();
        for (long each : hit) {
          open.remove(each);
          expected += taken ? 1 : 0;
        }
        assertThat(tested.settled(number, multiple, taken, back::add)).isEqualTo(expected);
        assertThat(back.size() - refusedBefore).isEqualTo(taken ? 0 : hit.size());
      }
      assertThat(tested.open()).isEqualTo(open.size());
      long tag = tested.takeSettledTag();
      if (tag != 0) {
        assertThat(tag).isGreaterThan(acknowledged);
        assertThat(open.headMap(tag / 2, true)).isEmpty();
        acknowledged = tag;
      }
    }
  }
}
