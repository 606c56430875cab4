package io.mayflymq.shovel.federation;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.admin.Parameter;
import io.mayflymq.shovel.transfer.AckMode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UpstreamsTest {
  private final List<Parameter> parameters = new ArrayList<>();
  private final Map<String, Object> values = new HashMap<>();

  private void set(String vhost, String component, String name, Object value) {
    String json = vhost + component + name;
    values.put(json, value);
    parameters.add(new Parameter(vhost, component, name, json));
  }

  private void upstream(String name, Object... more) {
    Map<String, Object> value = new HashMap<>();
    value.put("uri", "amqp://user:secret@" + name);
    for (int i = 0; i < more.length; i += 2) {
      value.put((String) more[i], more[i + 1]);
    }
    set("/", Federation.UPSTREAM, name, value);
  }

  private List<Upstream> selected(String upstream, String set, String pattern) {
    return of(Federated.Kind.QUEUE, "q", new Selection("p", upstream, set, pattern));
  }

  private List<Upstream> of(Federated.Kind kind, String name, Selection selection) {
    return new Upstreams("/", parameters, values::get)
        .of(new Federated(kind, "/", name, "", true, false, Map.of(), selection, true));
  }

  @Test
  void wrongPatternIsRefused() {
    assertThat(
            UpstreamParser.parse("name", Map.of("uri", "amqp://", "queue-pattern", "(")).problems())
        .singleElement()
        .asString()
        .startsWith("queue-pattern should be a regular expression, actually was \"(\": ");
  }

  @Test
  void queuesWhoseNamesAnUpstreamFindsNeedNoPolicy() {
    upstream("a", "queue-pattern", "^order");
    upstream("b", "queue-pattern", "s$");
    upstream("c");
    assertThat(of(Federated.Kind.QUEUE, "orders", Selection.NONE))
        .extracting(Upstream::name)
        .containsExactlyInAnyOrder("a", "b");
    assertThat(of(Federated.Kind.QUEUE, "order", Selection.NONE))
        .extracting(Upstream::name)
        .containsExactly("a");
    assertThat(of(Federated.Kind.QUEUE, "audit", Selection.NONE)).isEmpty();
    assertThat(of(Federated.Kind.EXCHANGE, "orders", Selection.NONE)).isEmpty();
  }

  @Test
  void upstreamThatPolicyAndPatternNameIsThereOnce() {
    upstream("a", "queue-pattern", ".");
    set("/", Federation.SET, "some", List.of(Map.of("upstream", "a", "prefetch-count", 7L)));
    assertThat(of(Federated.Kind.QUEUE, "orders", new Selection("p", null, "some", null)))
        .extracting(Upstream::prefetch)
        .containsExactly(7);
  }

  private List<String> names(String upstream, String set, String pattern) {
    return selected(upstream, set, pattern).stream().map(Upstream::name).toList();
  }

  @Test
  void upstreamHasRabbitMqsDefaults() {
    upstream("a");
    Upstream a = selected("a", null, null).get(0);
    assertThat(a.prefetch()).isEqualTo(1_000);
    assertThat(a.reconnectDelayMillis()).isEqualTo(5_000);
    assertThat(a.maxHops()).isEqualTo(1);
    assertThat(a.ackMode()).isEqualTo(AckMode.ON_CONFIRM);
    assertThat(a.consumerTag()).isEqualTo("federation-link-a");
    assertThat(a.queueType()).isEqualTo("classic");
    assertThat(a.keepsQueue()).isFalse();
    assertThat(a.trustUserId()).isFalse();
    assertThat(a.exchange()).isNull();
    assertThat(a.messageTtlMillis()).isNegative();
    assertThat(a.toString()).doesNotContain("secret");
  }

  @Test
  void policiesNameOneOrASetOrAPattern() {
    upstream("north-1");
    upstream("north-2");
    upstream("south");
    set("other", Federation.UPSTREAM, "elsewhere", Map.of("uri", "amqp://"));
    set(
        "/",
        Federation.SET,
        "some",
        List.of(
            Map.of("upstream", "south", "exchange", "other", "max-hops", 3L),
            Map.of("upstream", "unknown")));
    assertThat(names("south", null, null)).containsExactly("south");
    assertThat(names("unknown", null, null)).isEmpty();
    assertThat(names("elsewhere", null, null)).isEmpty();
    assertThat(names(null, "all", null)).containsExactly("north-1", "north-2", "south");
    assertThat(names(null, null, "^north")).containsExactly("north-1", "north-2");
    assertThat(names(null, null, "2$")).containsExactly("north-2");
    assertThat(names(null, null, "(")).isEmpty();
    assertThat(names(null, "missing", null)).isEmpty();
    Upstream south = selected(null, "some", null).get(0);
    assertThat(south.exchange()).isEqualTo("other");
    assertThat(south.maxHops()).isEqualTo(3);
  }

  @ParameterizedTest
  @CsvSource({
    "prefetch-count, -1, 'prefetch-count should be a number, 0 to 65535, actually was -1'",
    "max-hops, 0, 'max-hops should be a number, 1 to 1000, actually was 0'",
    "expires, -1, 'expires should be a number, 1 to 315360000000, actually was -1'",
    "unknown, 1, Unrecognised term unknown in name",
  })
  void wrongNumbersAreTold(String key, long value, String problem) {
    assertThat(UpstreamParser.parse("name", Map.of("uri", "amqp://", key, value)).problems())
        .containsExactly(problem);
  }

  @Test
  void wrongWordsAreTold() {
    assertThat(
            UpstreamParser.parse(
                    "name",
                    Map.of(
                        "uri", List.of(),
                        "ack-mode", "never",
                        "queue-type", "stream",
                        "trust-user-id", "yes"))
                .problems())
        .containsExactlyInAnyOrder(
            "uri has no URI",
            "ack-mode should be one of no-ack, on-publish, on-confirm, actually was \"never\"",
            "queue-type should be one of classic, quorum, actually was \"stream\"",
            "trust-user-id should be boolean, actually was \"yes\"");
    assertThat(UpstreamParser.parse("name", 5L).problems())
        .containsExactly("the value of name should be an object, actually was 5");
    assertThat(UpstreamParser.masked(Map.of("uri", "amqp://u:secret@h")).toString())
        .doesNotContain("secret");
  }
}
