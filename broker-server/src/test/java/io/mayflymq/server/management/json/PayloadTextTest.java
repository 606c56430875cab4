package io.mayflymq.server.management.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.MessageMemory;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Large bodies in JSON, made piece by piece. */
class PayloadTextTest {
  private static final int LARGEST_PIECE = 64 * 1024;

  private static JsonNode written(Object value) throws Exception {
    JsonBody pieces = new JsonBody(value, null);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    boolean more = true;
    while (more) {
      int before = out.size();
      more = pieces.appendTo(out);
      assertThat(out.size() - before).isLessThan(2 * LARGEST_PIECE);
    }
    return new ObjectMapper().readTree(out.toByteArray());
  }

  private static PayloadText of(byte[] content) {
    return new PayloadText(
        content, 0, content.length, PayloadText.isUtf8(content, 0, content.length));
  }

  @ParameterizedTest
  @ValueSource(strings = {"\u0000", "a", "\"\\\n", "é", "漢", "😀", "x😀", "\u001f漢\u007f"})
  void utf8PayloadIsShownUnchanged(String part) throws Exception {
    String text = part.repeat(30_001);
    PayloadText large = of(text.getBytes(StandardCharsets.UTF_8));
    JsonNode json = written(List.of(Json.object("a", 1, "payload", large, "z", 2), List.of()));
    assertThat(json.get(0).get("payload").asText()).isEqualTo(text);
    assertThat(json.get(0).get("z").asInt()).isEqualTo(2);
    JsonNode page = written(Map.of("items", List.of(Map.of("payload", of(new byte[0])))));
    assertThat(page.get("items").get(0).get("payload").asText()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 6 * 1024 - 1, 6 * 1024, 6 * 1024 + 1, 100_000})
  void binaryPayloadIsShownAsBase64(int length) throws Exception {
    byte[] bytes = new byte[length + 1];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (0x80 + i % 64);
    }
    PayloadText text = of(bytes);
    assertThat(text.isText()).isFalse();
    assertThat(written(text).asText()).isEqualTo(Base64.getEncoder().encodeToString(bytes));
  }

  @Test
  void onlyValidUtf8IsText() {
    byte[] text = "漢".repeat(10_000).getBytes(StandardCharsets.UTF_8);
    assertThat(PayloadText.isUtf8(text, 0, text.length)).isTrue();
    assertThat(PayloadText.isUtf8(text, 0, text.length - 1)).isFalse();
    assertThat(PayloadText.isUtf8(text, 1, text.length)).isFalse();
    assertThat(PayloadText.isUtf8(text, 3, 3)).isTrue();
    assertThat(PayloadText.isUtf8(new byte[] {(byte) 0xed, (byte) 0xa0, (byte) 0x80}, 0, 3))
        .as("half of a surrogate pair")
        .isFalse();
  }

  @Test
  void memoryForMessagesIsSharedByAllResponses() {
    MessageMemory memory = new MessageMemory(100, 60);
    MessageMemory.Share one = memory.share();
    one.set(60);
    assertThat(one.hasRoom()).isFalse();
    MessageMemory.Share other = memory.share();
    assertThat(other.hasRoom()).isTrue();
    other.set(40);
    assertThat(other.hasRoom()).isFalse();
    assertThatThrownBy(memory::share)
        .isInstanceOfSatisfying(ApiException.class, e -> assertThat(e.status()).isEqualTo(503));
    one.release();
    one.release();
    one.set(60);
    assertThat(other.hasRoom()).isTrue();
    assertThat(memory.share().hasRoom()).isTrue();
  }
}
