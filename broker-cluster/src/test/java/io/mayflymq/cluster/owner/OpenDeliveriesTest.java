package io.mayflymq.cluster.owner;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.TreeSet;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** Compared with a set of the library. */
class OpenDeliveriesTest {
  @Property
  void isLikeASet(@ForAll @Size(max = 200) List<@IntRange(max = 60) Integer> commands) {
    OpenDeliveries open = new OpenDeliveries();
    TreeSet<Long> model = new TreeSet<>();
    for (int command : commands) {
      long sequence = command * 1_000_003L;
      if (model.add(sequence)) {
        open.add(sequence);
      } else {
        model.remove(sequence);
        assertThat(open.remove(sequence)).isTrue();
        assertThat(open.remove(sequence)).isFalse();
      }
      assertThat(open.isEmpty()).isEqualTo(model.isEmpty());
    }
    assertThat(open.takeAll()).containsExactly(model.toArray(Long[]::new));
    assertThat(open.isEmpty()).isTrue();
  }
}
