package io.mayflymq.protocol.types;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class Utf8Test {

  @Test
  void validTextIsPlainUtf8() {
    byte[] bytes = "Straße €𝄞\uFFFD".getBytes(UTF_8);

    assertThat(Utf8.isValid(bytes, 0, bytes.length)).isTrue();
    assertThat(Utf8.decode(bytes, 0, bytes.length)).isEqualTo("Straße €𝄞\uFFFD");
    assertThat(Utf8.encode("Straße €𝄞\uFFFD")).isEqualTo(bytes);
  }

  @Test
  void latin1BytesAreDecodedAsLoneSurrogates() {
    byte[] bytes = "Straße".getBytes(ISO_8859_1);

    assertThat(Utf8.isValid(bytes, 0, bytes.length)).isFalse();
    assertThat(Utf8.decode(bytes, 0, bytes.length)).isEqualTo("Stra\uDCDFe");
    assertThat(Utf8.encode("Stra\uDCDFe")).isEqualTo(bytes);
  }

  @Test
  void malformedByteAfterAFourByteCharacterIsKept() {
    byte[] bytes = {(byte) 0xF0, (byte) 0x9D, (byte) 0x84, (byte) 0x9E, (byte) 0x80, 'x'};

    assertThat(Utf8.encode(Utf8.decode(bytes, 0, bytes.length))).isEqualTo(bytes);
  }

  @Property(tries = 500)
  void decodedBytesAreEncodedUnchanged(@ForAll("anyBytes") byte[] bytes) {
    String text = Utf8.decode(bytes, 0, bytes.length);

    assertThat(Utf8.encode(text)).isEqualTo(bytes);
    assertThat(Utf8.isValid(bytes, 0, bytes.length))
        .isEqualTo(Arrays.equals(text.getBytes(UTF_8), bytes));
  }

  @Provide
  Arbitrary<byte[]> anyBytes() {
    return WireArbitraries.mutated(WireArbitraries.shortTexts().map(Utf8::encode));
  }

  @Test
  void textIsCutBetweenCharacters() {
    assertThat(Utf8.cut("aä€𝄞", 100)).isEqualTo("aä€𝄞");
    assertThat(Utf8.cut("aä€𝄞", 10)).isEqualTo("aä€𝄞");
    assertThat(Utf8.cut("aä€𝄞", 9)).isEqualTo("aä€");
    assertThat(Utf8.cut("aä€𝄞", 5)).isEqualTo("aä");
    assertThat(Utf8.cut("aä€𝄞", 2)).isEqualTo("a");
    assertThat(Utf8.cut("ä", 1)).isEmpty();
    assertThat(Utf8.cut("\uDCDF\uDCDF\uDCDF", 2)).isEqualTo("\uDCDF\uDCDF");
  }

  @Property(tries = 300)
  void cutIsTheLongestPrefixThatFits(@ForAll("texts") String text) {
    int max = 20;
    String cut = Utf8.cut(text, max);

    assertThat(text).startsWith(cut);
    assertThat(Utf8.encode(cut).length).isLessThanOrEqualTo(max);
    if (cut.length() < text.length()) {
      int next = text.offsetByCodePoints(cut.length(), 1);
      assertThat(Utf8.encode(text.substring(0, next)).length).isGreaterThan(max);
    }
  }

  @Provide
  Arbitrary<String> texts() {
    return WireArbitraries.rawTexts();
  }
}
