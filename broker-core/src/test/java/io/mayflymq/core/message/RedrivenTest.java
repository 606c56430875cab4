package io.mayflymq.core.message;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.protocol.types.BasicProperties;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.ShortString;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is left of its death on a message that is sent back. */
class RedrivenTest {
  private static final FieldTable HEADERS =
      FieldTable.builder()
          .put("mine", "kept")
          .put("CC", new FieldValue.Array(List.of(FieldValue.of("copy"))))
          .build();

  private static Message message(FieldTable headers) {
    byte[] properties =
        BasicProperties.builder()
            .messageId("id")
            .expiration("50")
            .deliveryMode(2)
            .headers(headers)
            .build()
            .encode();
    byte[] content = Arrays.copyOf(properties, properties.length + 1);
    content[properties.length] = 'b';
    return new Message(
        ShortString.of("orders"),
        ShortString.of("new"),
        content,
        properties.length,
        50,
        3,
        true,
        List.of());
  }

  private static Message dead(Message message, String queue, DeathReason reason) {
    return DeadLetter.of(message, queue, reason, 1_800_000_000_000L, "dlx", "dead", false)
        .message();
  }

  @Test
  void redrivenMessageIsTheOriginalWithoutExpirationAndWithACount() {
    Message dead = dead(message(HEADERS), "q", DeathReason.EXPIRED);
    Message back = Redriven.of(dead, Redriven.origin(dead.headers()), false);
    assertThat(back.exchange().value()).isEqualTo("orders");
    assertThat(back.routingKey().value()).isEqualTo("new");
    assertThat(back.body()).containsExactly('b');
    assertThat(back.priority()).isEqualTo(3);
    assertThat(back.persistent()).isTrue();
    assertThat(back.ttlMillis()).isEqualTo(Message.NO_TTL);
    assertThat(back.properties().messageId()).isEqualTo("id");
    assertThat(back.properties().expiration()).isNull();
    assertThat(back.headers())
        .isEqualTo(HEADERS.with(Redriven.COUNT_HEADER, new FieldValue.Int64(1)));
  }

  @Test
  void secondRedriveIncreasesTheCountAndCanKeepTheDeathHistory() {
    Message dead = dead(message(HEADERS), "q", DeathReason.REJECTED);
    Message once = Redriven.of(dead, Redriven.origin(dead.headers()), true);
    Message twice =
        Redriven.of(dead(once, "q", DeathReason.REJECTED), Redriven.origin(dead.headers()), true);
    assertThat(twice.headers().get(Redriven.COUNT_HEADER)).isEqualTo(new FieldValue.Int64(2));
    assertThat(DeathHistory.of(twice.headers()).deaths())
        .singleElement()
        .satisfies(death -> assertThat(death.count()).isEqualTo(2));
  }

  @Test
  void originOfADeadLetterIsItsFirstDeath() {
    Message dead = message(HEADERS);
    for (String queue : List.of("first", "second", "first")) {
      dead = dead(dead, queue, DeathReason.REJECTED);
    }
    Death origin = Redriven.origin(dead.headers());
    assertThat(origin.queue()).as("although it died there last, too").isEqualTo("first");
    assertThat(origin.exchange()).isEqualTo("orders");
    assertThat(origin.routingKeys()).containsExactly("new", "copy");
  }

  @Test
  void originWithoutFirstDeathHeadersIsTheOldestEntry() {
    Message dead = dead(message(HEADERS), "first", DeathReason.EXPIRED);
    dead = dead(dead, "second", DeathReason.MAXLEN);
    FieldTable.Builder bare = FieldTable.builder();
    bare.put(DeathHistory.HEADER, dead.headers().get(DeathHistory.HEADER));
    assertThat(Redriven.origin(bare.build()).queue()).isEqualTo("first");
  }

  @Test
  void redriveRestoresCcKeysReplacedByADeadLetterRoutingKey() {
    Message dead = dead(message(HEADERS), "q", DeathReason.EXPIRED);
    assertThat(dead.hasOneKey()).isTrue();
    Message back = Redriven.of(dead, Redriven.origin(dead.headers()), false);
    assertThat(back.hasOneKey()).as("as it was before it died").isFalse();
    Message moved = Redriven.of(dead, null, false);
    assertThat(moved.hasOneKey()).as("as it is where nothing tells").isTrue();
  }

  @Test
  void originIsUnknownWithoutAValidHistory() {
    assertThat(Redriven.origin(FieldTable.EMPTY)).isNull();
    assertThat(Redriven.origin(FieldTable.builder().put("x-death", "broken").build())).isNull();
    Death impossible =
        new Death("q", DeathReason.EXPIRED, 1, 1, "x".repeat(256), List.of("k"), null);
    assertThat(Redriven.origin(headers(impossible))).isNull();
    Death keyless = new Death("q", DeathReason.EXPIRED, 1, 1, "x", List.of(), null);
    assertThat(Redriven.origin(headers(keyless))).isNull();
  }

  private static FieldTable headers(Death death) {
    return FieldTable.builder()
        .put(DeathHistory.HEADER, new DeathHistory(List.of(death)).toFieldValue())
        .build();
  }
}
