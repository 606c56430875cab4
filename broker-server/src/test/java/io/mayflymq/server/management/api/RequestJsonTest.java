package io.mayflymq.server.management.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.routing.DestinationKind;
import io.mayflymq.protocol.types.BasicProperties;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.json.JsonReader;
import io.mayflymq.server.json.JsonWriter;
import io.mayflymq.server.json.TableJson;
import io.mayflymq.server.management.json.BindingFields;
import io.mayflymq.server.management.json.MessagePropertiesJson;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The JSON of requests, and what message properties and bindings are in it. */
class RequestJsonTest {
  private static Body.Fields fields(String json) {
    return new Body(json.getBytes(StandardCharsets.UTF_8)).fields();
  }

  @Test
  void requestBodyMustBeAnObjectOrEmpty() {
    assertThat(fields("").object()).isEmpty();
    assertThat(fields("{\"a\":1}").number("a", 0)).isEqualTo(1);
    for (String bad : List.of("[1]", "{bad", "1", "{} {}", "\"x\"")) {
      assertThatThrownBy(() -> fields(bad)).as(bad).hasMessageContaining("not_json");
    }
  }

  @Test
  void fieldsOfTheWrongTypeAreNamed() {
    Body.Fields fields = fields("{\"b\":\"true\",\"c\":\"yes\",\"n\":\"x\",\"t\":5,\"e\":[]}");
    assertThat(fields.bool("b")).isTrue();
    assertThat(fields.bool("absent")).isFalse();
    assertThat(fields.table("e")).isEqualTo(FieldTable.EMPTY);
    assertThatThrownBy(() -> fields.bool("c")).hasMessageContaining("[not_boolean, yes]");
    assertThatThrownBy(() -> fields.number("n", 0)).hasMessageContaining("[not_integer, x]");
    assertThatThrownBy(() -> fields.text("t", "")).hasMessageContaining("[not_string, 5]");
    assertThatThrownBy(() -> fields.table("t")).hasMessageContaining("actually was 5");
    assertThatThrownBy(() -> fields("{\"t\":{\"n\":18446744073709551616}}").table("t"))
        .isInstanceOf(ApiException.class)
        .hasMessageContaining("'n' is 18446744073709551616: expected an integer of 64 bits");
    assertThatThrownBy(() -> fields.require("b", "x", "y"))
        .hasMessageContaining("[{key_missing,x},{key_missing,y}]");
  }

  @Test
  void messagePropertiesSurviveTheRoundTripThroughJson() throws Exception {
    Map<String, Object> given =
        Json.object(
            "content_type",
            "text/plain",
            "delivery_mode",
            2L,
            "priority",
            9L,
            "expiration",
            "100",
            "timestamp",
            1_000_000_000_000L,
            "headers",
            Map.of("a", 1L));
    Object shown = MessagePropertiesJson.object(MessagePropertiesJson.parse(given));
    assertThat(JsonReader.DEFAULT.read(JsonWriter.text(shown))).isEqualTo(given);
    assertThat(MessagePropertiesJson.object(BasicProperties.EMPTY)).isEqualTo(List.of());
    assertThatThrownBy(() -> MessagePropertiesJson.parse(Map.of("priority", 256L)))
        .hasMessageContaining("from 0 to 255");
    assertThatThrownBy(() -> MessagePropertiesJson.parse(5)).hasMessageContaining("an object");
  }

  @Test
  void bindingKeysAreEncodedForUrls() {
    assertThat(key("", FieldTable.EMPTY)).isEqualTo("~");
    assertThat(key("a/b ~*", FieldTable.EMPTY)).isEqualTo("a%2Fb+%7E%2A");
    FieldTable oneWay = TableJson.table(Json.object("x", 1, "y", 2));
    FieldTable otherWay = TableJson.table(Json.object("y", 2, "x", 1));
    assertThat(key("k", oneWay)).startsWith("k~").isEqualTo(key("k", otherWay));
    assertThat(key("k", oneWay)).isNotEqualTo(key("k", TableJson.table(Map.of("x", 1))));
  }

  private static String key(String routingKey, FieldTable arguments) {
    return BindingFields.propertiesKey(
        new Binding("e", DestinationKind.QUEUE, "q", routingKey, arguments));
  }
}
