package io.mayflymq.shovel.federation;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Envelope;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReceivedFormTest {
  private static final Map<String, Object> NORTH = Map.of("uri", "amqp://n", "queue", "q");
  private static final Map<String, Object> SOUTH = Map.of("uri", "amqp://s", "queue", "q");

  private static BasicProperties received(
      Federated.Kind kind, Map<String, Object> place, boolean trust, BasicProperties given) {
    return new ReceivedForm(kind, place, trust).of(new Envelope(1, true, "x", "k"), given);
  }

  private static Map<?, ?> entry(BasicProperties properties, int number) {
    return (Map<?, ?>) ((List<?>) properties.getHeaders().get("x-received-from")).get(number);
  }

  @Test
  void newestPlaceIsFirst() {
    BasicProperties once =
        received(Federated.Kind.EXCHANGE, NORTH, false, new BasicProperties.Builder().build());
    BasicProperties twice = received(Federated.Kind.EXCHANGE, SOUTH, false, once);
    assertThat(entry(twice, 0).get("uri")).isEqualTo("amqp://s");
    assertThat(entry(twice, 0).get("redelivered")).isEqualTo(true);
    assertThat(entry(twice, 1).get("uri")).isEqualTo("amqp://n");
    assertThat(once.getHeaders()).doesNotContainKey("x-original-exchange");
  }

  @Test
  void queueThatIsVisitedAgainCounts() {
    BasicProperties there =
        received(Federated.Kind.QUEUE, NORTH, false, new BasicProperties.Builder().build());
    BasicProperties back = received(Federated.Kind.QUEUE, SOUTH, false, there);
    BasicProperties again = received(Federated.Kind.QUEUE, NORTH, false, back);
    assertThat((List<?>) again.getHeaders().get("x-received-from")).hasSize(2);
    assertThat(entry(again, 0).get("uri")).isEqualTo("amqp://n");
    assertThat(entry(again, 0).get("visit-count")).isEqualTo(2L);
    assertThat(entry(again, 1).get("visit-count")).isEqualTo(1L);
    assertThat(again.getHeaders()).containsEntry("x-original-exchange", "x");
  }

  @Test
  void copiesAreNotRoutedAgainFromAQueue() {
    BasicProperties given =
        new BasicProperties.Builder().headers(Map.of("CC", List.of("other"))).build();
    assertThat(received(Federated.Kind.QUEUE, NORTH, false, given).getHeaders())
        .doesNotContainKey("CC")
        .containsEntry("x-original-cc", List.of("other"));
    assertThat(received(Federated.Kind.EXCHANGE, NORTH, false, given).getHeaders())
        .containsKey("CC");
  }

  @Test
  void userStaysIfTrusted() {
    BasicProperties given = new BasicProperties.Builder().userId("ann").build();
    assertThat(received(Federated.Kind.QUEUE, NORTH, false, given).getUserId()).isNull();
    assertThat(received(Federated.Kind.QUEUE, NORTH, true, given).getUserId()).isEqualTo("ann");
  }
}
