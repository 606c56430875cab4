package io.mayflymq.shovel;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.shovel.transfer.AckMode;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ShovelParserTest {
  private static Map<String, Object> value(Object... more) {
    Map<String, Object> value = new LinkedHashMap<>();
    value.put("src-uri", "amqp://");
    value.put("src-queue", "a");
    value.put("dest-uri", "amqp://h");
    value.put("dest-queue", "b");
    for (int i = 0; i < more.length; i += 2) {
      if (more[i + 1] == null) {
        value.remove(more[i]);
      } else {
        value.put((String) more[i], more[i + 1]);
      }
    }
    return value;
  }

  private static ShovelDefinition parsed(Object... more) {
    ShovelParser.Parsed parsed = ShovelParser.parse("s", value(more));
    assertThat(parsed.problems()).isEmpty();
    return parsed.definition();
  }

  private static List<String> problems(Object... more) {
    return ShovelParser.parse("s", value(more)).problems();
  }

  @Test
  void defaultsAreThoseOfRabbitMq() {
    ShovelDefinition definition = parsed();
    assertThat(definition.ackMode()).isEqualTo(AckMode.ON_CONFIRM);
    assertThat(definition.reconnectDelayMillis()).isEqualTo(5_000);
    assertThat(definition.source().prefetch()).isEqualTo(1_000);
    assertThat(definition.source().deleteAfter()).isEqualTo(ShovelDefinition.NEVER);
    assertThat(definition.source().protocol()).isEqualTo("amqp091");
    assertThat(definition.source().predeclared()).isFalse();
    assertThat(definition.destination().forwardHeaders()).isFalse();
  }

  @Test
  void allKeysAreRead() {
    ShovelDefinition definition =
        parsed(
            "src-protocol",
            "amqp091",
            "src-uri",
            List.of("amqp://a", "amqps://b"),
            "src-queue-args",
            Map.of("x-queue-type", "quorum"),
            "src-predeclared",
            true,
            "src-prefetch-count",
            7L,
            "src-delete-after",
            "queue-length",
            "src-delete-after-duration",
            60L,
            "src-consumer-args",
            Map.of("x-priority", -1L),
            "src-consumer-name",
            "mover",
            "dest-protocol",
            "local",
            "dest-uri",
            "amqp:///v",
            "dest-queue-args",
            Map.of("x-max-length", 5L),
            "dest-predeclared",
            true,
            "dest-unroutable",
            "drop",
            "dest-keep-ttl",
            true,
            "dest-add-forward-headers",
            true,
            "dest-add-timestamp-header",
            true,
            "dest-publish-properties",
            Map.of("delivery_mode", 2L),
            "ack-mode",
            "on-publish",
            "reconnect-delay",
            0.5);
    assertThat(definition.source().uris()).hasSize(2);
    assertThat(definition.source().queueArguments()).containsEntry("x-queue-type", "quorum");
    assertThat(definition.source().predeclared()).isTrue();
    assertThat(definition.source().prefetch()).isEqualTo(7);
    assertThat(definition.source().deleteAfter()).isEqualTo(ShovelDefinition.QUEUE_LENGTH);
    assertThat(definition.source().deleteAfterMillis()).isEqualTo(60_000);
    assertThat(definition.source().consumerArguments()).containsEntry("x-priority", -1L);
    assertThat(definition.source().consumerTag()).isEqualTo("mover");
    assertThat(definition.destination().protocol()).isEqualTo("local");
    assertThat(definition.destination().queueArguments()).containsEntry("x-max-length", 5L);
    assertThat(definition.destination().predeclared()).isTrue();
    assertThat(definition.destination().dropsUnroutable()).isTrue();
    assertThat(definition.destination().keepsTtl()).isTrue();
    assertThat(definition.destination().forwardHeaders()).isTrue();
    assertThat(definition.destination().timestampHeader()).isTrue();
    assertThat(definition.destination().properties()).containsEntry("delivery_mode", 2L);
    assertThat(definition.ackMode()).isEqualTo(AckMode.ON_PUBLISH);
    assertThat(definition.reconnectDelayMillis()).isEqualTo(500);
  }

  @Test
  void olderNamesMeanTheSame() {
    ShovelDefinition definition =
        parsed(
            "prefetch-count",
            7L,
            "delete-after",
            9L,
            "add-forward-headers",
            true,
            "publish-properties",
            Map.of("priority", 1L));
    assertThat(definition.source().prefetch()).isEqualTo(7);
    assertThat(definition.source().deleteAfter()).isEqualTo(9);
    assertThat(definition.destination().forwardHeaders()).isTrue();
    assertThat(definition.destination().properties()).containsEntry("priority", 1L);
    assertThat(problems("prefetch-count", 7L, "src-prefetch-count", 8L))
        .containsExactly("src-prefetch-count and its older name exclude each other");
  }

  @Test
  void whatIsWrongIsToldAllAtOnce() {
    assertThat(problems("src-uri", null, "src-queue", null, "foo", 1L, "ack-mode", "never"))
        .containsExactlyInAnyOrder(
            "Unrecognised term foo in s",
            "ack-mode should be one of no-ack, on-publish, on-confirm, actually was \"never\"",
            "Key \"src-uri\" not found in s",
            "Must specify 'src-exchange' or 'src-queue'");
    assertThat(ShovelParser.parse("s", "amqp://u:p@h").problems())
        .containsExactly("the value of s should be an object, actually was \"amqp://h\"");
  }

  @Test
  void valuesAreChecked() {
    assertThat(problems("src-exchange", "x"))
        .containsExactly("Cannot specify 'src-exchange' and 'src-queue'");
    assertThat(problems("dest-exchange", "x"))
        .containsExactly("Cannot specify 'dest-exchange' and 'dest-queue'");
    assertThat(problems("ack-mode", "no-ack", "src-delete-after", 5L))
        .containsExactly("Cannot specify 'no-ack' and numerical 'delete-after'");
    assertThat(problems("ack-mode", "no-ack", "src-delete-after", "queue-length")).isEmpty();
    assertThat(problems("src-delete-after", -1L))
        .containsExactly(
            "src-delete-after should be a number greater than or equal to 0, \"never\" or"
                + " \"queue-length\", actually was -1");
    assertThat(problems("src-prefetch-count", 1.5))
        .containsExactly("src-prefetch-count should be a number, 0 to 65535, actually was 1.5");
    assertThat(problems("reconnect-delay", -1L))
        .containsExactly("reconnect-delay should be a number, 0 or more, actually was -1");
    assertThat(problems("src-predeclared", "x"))
        .containsExactly("src-predeclared should be boolean, actually was \"x\"");
    assertThat(problems("src-queue", "")).containsExactly("src-queue is empty");
    assertThat(problems("src-queue-args", List.of()))
        .containsExactly("src-queue-args should be an object, actually was []");
    assertThat(problems("src-uri", List.of())).containsExactly("src-uri has no URI");
    assertThat(problems("src-uri", 5L))
        .containsExactly("src-uri should be a URI or a list of URIs");
    assertThat(problems("src-protocol", "amqp10"))
        .containsExactly("src-protocol should be one of amqp091, local, actually was \"amqp10\"");
    assertThat(problems("dest-protocol", "local"))
        .containsExactly("dest-uri of the protocol local should be an address without a host");
    assertThat(problems("dest-publish-properties", Map.of("headers", Map.of())))
        .singleElement()
        .asString()
        .startsWith("Unrecognised term headers in dest-publish-properties");
    assertThat(problems("dest-publish-properties", Map.of("priority", "high")))
        .containsExactly("priority should be a number, actually was \"high\"");
  }

  @Test
  void passwordsAreMaskedInValidValuesAndInOthers() {
    Object masked =
        ShovelParser.masked(
            Map.of("src-uri", List.of("amqp://u:p@h", 5L), "dest-uri", "u:p@h", "other", "u:p@h"));
    assertThat(masked)
        .isEqualTo(
            Map.of(
                "src-uri", List.of("amqp://u:***@h", 5L),
                "dest-uri", "u:***@h",
                "other", "u:p@h"));
    assertThat(ShovelParser.masked("x")).isEqualTo("x");
    assertThat(problems("dest-uri", "amqp://u:sec/ret@h").toString()).doesNotContain("sec", "ret");
  }
}
