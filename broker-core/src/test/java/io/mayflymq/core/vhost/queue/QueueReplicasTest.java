package io.mayflymq.core.vhost.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class QueueReplicasTest {
  private static final List<String> ALL = List.of("c", "a", "b");

  private static QueueReplicas of(List<String> inSync, String... online) {
    return new QueueReplicas("b", 1, ALL, inSync, List.of(online));
  }

  @Test
  void stateIsThatOfRabbitMq() {
    assertThat(of(ALL, "a", "b", "c").state()).isEqualTo("running");
    assertThat(of(ALL, "a", "b").state()).isEqualTo("running");
    assertThat(of(ALL, "a", "c").state()).isEqualTo("down");
    assertThat(of(ALL, "b").state()).isEqualTo("minority");
    assertThat(of(ALL).state()).isEqualTo("down");
  }

  @Test
  void listsAreInTheOrderOfNames() {
    assertThat(of(ALL, "c", "b").members()).containsExactly("a", "b", "c");
    assertThat(of(ALL, "c", "b").online()).containsExactly("b", "c");
  }

  @Test
  void nodeIsNeededIfTheOthersInSyncAreNoMajority() {
    assertThat(of(ALL, "a", "b", "c").needs("a")).isFalse();
    assertThat(of(ALL, "a", "b").needs("a")).isTrue();
    assertThat(of(List.of("a", "b"), "a", "b", "c").needs("b")).isTrue();
    assertThat(of(List.of("a", "b"), "a", "b", "c").needs("c")).isFalse();
    assertThat(of(ALL, "a", "b").needs("elsewhere")).isFalse();
  }
}
