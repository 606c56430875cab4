package io.mayflymq.server.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TableJsonTest {
  @Test
  void tablesSurviveTheRoundTripThroughJson() {
    Map<String, Object> object =
        Json.object(
            "text",
            "t",
            "number",
            5L,
            "fraction",
            1.5,
            "yes",
            true,
            "list",
            List.of(1L, "a"),
            "inner",
            Map.of("x", 1L));
    assertThat(TableJson.SHOWN.of(TableJson.table(object))).isEqualTo(object);
    assertThat(TableJson.KEPT.of(TableJson.table(object))).isEqualTo(object);
  }

  @Test
  void aVoidValueIsShownAsInRabbitMqAndKeptAsNull() {
    FieldTable table = TableJson.table(Json.object("nothing", null));
    assertThat(TableJson.SHOWN.of(table)).containsExactly(Map.entry("nothing", "undefined"));
    assertThat(TableJson.KEPT.of(table)).hasSize(1).containsEntry("nothing", null);
  }

  @Test
  void typesThatJsonLacksBecomeTextsAndNumbers() {
    FieldTable table =
        FieldTable.builder()
            .put("binary", FieldValue.Binary.of(new byte[] {'a', (byte) 0x80}))
            .put("decimal", new FieldValue.Decimal(2, 150))
            .put("float", new FieldValue.Float32(1.1f))
            .put("time", new FieldValue.Timestamp(7))
            .build();
    Map<String, Object> shown = TableJson.SHOWN.of(table);
    assertThat(shown)
        .containsEntry("binary", "Not UTF-8, base64 is: YYA=")
        .containsEntry("decimal", new BigDecimal("1.50"))
        .containsEntry("time", 7L);
    assertThat(JsonWriter.text(shown.get("float"))).isEqualTo("1.1");
    assertThat(TableJson.KEPT.of(table)).containsEntry("binary", "Not UTF-8, base64 is: YYA=");
  }

  @Test
  void bytesThatAreNoTextAreReadAgain() throws Exception {
    for (String text :
        List.of(
            "a\udc80",
            "é😀",
            "\udcf0\udc9f",
            "Not UTF-8, base64 is: YYA=",
            "Not UTF-8, base64 is: eHk=")) {
      FieldTable table =
          FieldTable.builder()
              .put(text, FieldValue.of(text))
              .put("list", new FieldValue.Array(List.of(FieldValue.of(text))))
              .build();
      String json = JsonWriter.text(TableJson.KEPT.of(table));
      assertThat(json).doesNotContain("\\u");
      assertThat(TableJson.table((Map<?, ?>) JsonReader.DEFAULT.read(json))).isEqualTo(table);
    }
  }

  @Test
  void aTextOfTheFormThatStandsForTextStaysAsItIs() {
    String text = "Not UTF-8, base64 is: eHk=";
    assertThat(TableJson.SHOWN.of(FieldTable.builder().put("a", text).build()))
        .containsEntry("a", text);
  }

  @Test
  void aNumberAbove64BitsIsNamed() {
    assertThatThrownBy(() -> TableJson.table(Map.of("n", List.of(BigInteger.ONE.shiftLeft(80)))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("'n' is 12089258196146291747")
        .hasMessageEndingWith(": expected an integer of 64 bits");
  }
}
