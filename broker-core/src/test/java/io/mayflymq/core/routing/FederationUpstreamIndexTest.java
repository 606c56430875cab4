package io.mayflymq.core.routing;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.protocol.types.BasicProperties;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class FederationUpstreamIndexTest {
  private static final FieldTable ARGUMENTS =
      FieldTable.builder()
          .put("x-max-hops", 2L)
          .put("x-downstream-name", "down")
          .put("x-downstream-vhost", "/")
          .build();

  private static RoutingTable<String> table(FieldTable arguments) {
    return RoutingTable.<String>empty()
        .withExchange(
            new ExchangeDefinition(
                "f", ExchangeType.X_FEDERATION_UPSTREAM, true, false, false, arguments))
        .withQueue("q", "q", 1)
        .withBinding(Binding.toQueue("f", "q", ""));
  }

  private static FieldValue place(String cluster, String vhost) {
    return new FieldValue.Table(
        FieldTable.builder().put("cluster-name", cluster).put("vhost", vhost).build());
  }

  private static boolean passes(FieldTable arguments, FieldValue... places) {
    FieldTable headers =
        FieldTable.builder()
            .put("x-received-from", new FieldValue.Array(Arrays.asList(places)))
            .build();
    MessageProperties properties = () -> BasicProperties.builder().headers(headers).build();
    return !table(arguments).route("f", "k", properties).isEmpty();
  }

  @Test
  void messageOfThisBrokerPasses() {
    assertThat(table(ARGUMENTS).route("f", "k", MessageProperties.NONE).size()).isEqualTo(1);
  }

  @Test
  void messagePassesAsManyLinksAsItMay() {
    assertThat(passes(ARGUMENTS)).isTrue();
    assertThat(passes(ARGUMENTS, place("a", "/"))).isTrue();
    assertThat(passes(ARGUMENTS, place("a", "/"), place("b", "/"))).isFalse();
    assertThat(passes(FieldTable.EMPTY, place("a", "/"), place("b", "/"))).isTrue();
  }

  @Test
  void messageDoesNotGoBackToWhereItHasBeen() {
    assertThat(passes(ARGUMENTS, place("down", "/"))).isFalse();
    assertThat(passes(ARGUMENTS, place("down", "other"))).isTrue();
    assertThat(passes(ARGUMENTS, new FieldValue.Bool(true))).isTrue();
  }
}
