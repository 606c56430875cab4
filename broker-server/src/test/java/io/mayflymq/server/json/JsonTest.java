package io.mayflymq.server.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonTest {
  private static final Map<String, Object> EVERYTHING =
      Json.object(
          "text",
          "a \"b\"\n\u0000 é 😀",
          "long",
          Long.MIN_VALUE,
          "large",
          BigInteger.ONE.shiftLeft(70),
          "fraction",
          1.5e-3,
          "yes",
          true,
          "no",
          false,
          "nothing",
          null,
          "list",
          Arrays.asList(1L, null, List.of(), Map.of()),
          "object",
          Json.object("z", 1L, "a", 2L));

  private static InputStream utf8(String text) {
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void whatIsWrittenIsReadAgain() throws IOException {
    String text = JsonWriter.text(EVERYTHING);
    assertThat(JsonReader.DEFAULT.read(text)).isEqualTo(EVERYTHING);
    assertThat(JsonReader.DEFAULT.read(utf8(text))).isEqualTo(EVERYTHING);
    assertThat(JsonReader.DEFAULT.read(JsonWriter.indentedText(EVERYTHING))).isEqualTo(EVERYTHING);
    assertThat(JsonReader.stored(text)).isEqualTo(EVERYTHING);
  }

  @Test
  void dataBindingWritesTheSame() throws IOException {
    assertThat(JsonWriter.text(EVERYTHING))
        .isEqualTo(new ObjectMapper().writeValueAsString(EVERYTHING));
    assertThat(JsonWriter.indentedText(EVERYTHING))
        .isEqualTo(
            new ObjectMapper().writerWithDefaultPrettyPrinter().writeValueAsString(EVERYTHING));
  }

  @Test
  void numbersOfEveryTypeAreNumbers() {
    assertThat(JsonWriter.text(List.of(1, (short) 2, (byte) 3, 4L, 1.1f, 2.5, BigDecimal.TEN)))
        .isEqualTo("[1,2,3,4,1.1,2.5,10]");
    assertThat(JsonWriter.text(Double.NaN)).isEqualTo("\"NaN\"");
  }

  @Test
  void otherThingsAreTheirTextOrWhatTheySay() {
    assertThat(JsonWriter.text(List.of(StandardCharsets.UTF_8, (JsonValue) () -> List.of(1))))
        .isEqualTo("[\"UTF-8\",[1]]");
  }

  @Test
  void aDocumentIsExactlyOneValue() {
    for (String bad : List.of("", " ", "{", "[1,]", "{} {}", "{\"a\":1,}", "nul", "{a:1}")) {
      assertThatThrownBy(() -> JsonReader.DEFAULT.read(bad))
          .as(bad)
          .isInstanceOf(JsonProcessingException.class);
      assertThatThrownBy(() -> JsonReader.DEFAULT.read(utf8(bad)))
          .as(bad)
          .isInstanceOf(IOException.class);
      assertThatThrownBy(() -> JsonReader.stored(bad))
          .as(bad)
          .isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void theLastOfSeveralFieldsApplies() throws IOException {
    assertThat(JsonReader.DEFAULT.read("{\"a\":1,\"a\":2}")).isEqualTo(Map.of("a", 2L));
  }

  @Test
  void aLimitedReaderRefusesWhatIsTooLarge() throws IOException {
    JsonReader limited = JsonReader.limited(3, 10);
    assertThat(limited.read("[[[1]]]")).isEqualTo(List.of(List.of(List.of(1L))));
    assertThatThrownBy(() -> limited.read(utf8("[[[[1]]]]")))
        .isInstanceOf(StreamConstraintsException.class);
    assertThatThrownBy(() -> limited.read(utf8("[1,2,3,4,5,6,7,8,9]")))
        .isInstanceOf(StreamConstraintsException.class);
  }

  @Test
  void tagsAreAListOrATextWithCommas() {
    assertThat(Json.texts(" a, b,,c ")).contains(List.of("a", "b", "c"));
    assertThat(Json.texts(List.of("a,b"))).contains(List.of("a,b"));
    assertThat(Json.texts("")).contains(List.of());
    assertThat(Json.texts(List.of(1L))).isEmpty();
    assertThat(Json.texts(5L)).isEmpty();
    assertThat(Json.texts(null)).isEmpty();
  }

  @Test
  void textThatIsNotUtf8IsWrittenInBase64() {
    assertThat(JsonWriter.text(Map.of("n\udcfe", List.of("a\udcffb", "😀"))))
        .isEqualTo("{\"Not UTF-8, base64 is: bv4=\":[\"Not UTF-8, base64 is: Yf9i\",\"😀\"]}");
  }

  @Test
  void aLoneSurrogateIsRefused() {
    for (String json : List.of("\"\\ud800\"", "{\"a\":\"\\udc00\"}", "[\"\\udeff\\ud83d\"]")) {
      assertThatThrownBy(() -> JsonReader.DEFAULT.read(json))
          .isInstanceOf(JsonProcessingException.class)
          .hasMessageStartingWith("a lone surrogate, which is no character, in a text");
    }
  }
}
