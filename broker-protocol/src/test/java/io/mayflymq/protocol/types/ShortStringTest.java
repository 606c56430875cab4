package io.mayflymq.protocol.types;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ShortStringTest {

  @Test
  void encodedFormStartsWithTheLength() {
    assertThat(ShortString.of("käse").encoded()).containsExactly(5, 'k', 0xC3, 0xA4, 's', 'e');
    assertThat(ShortString.of("käse").byteLength()).isEqualTo(5);
    assertThat(ShortString.EMPTY.encoded()).containsExactly(0);
  }

  @Test
  void emptyShortStringIsASingleObject() {
    assertThat(ShortString.of("")).isSameAs(ShortString.EMPTY);
    assertThat(ShortString.of(new byte[4], 2, 0)).isSameAs(ShortString.EMPTY);
    assertThat(ShortString.EMPTY.isEmpty()).isTrue();
    assertThat(ShortString.of("x").isEmpty()).isFalse();
  }

  @Test
  void shortStringsAreEqualByValue() {
    byte[] bytes = {'?', 'k', 'e', 'y', '?'};
    ShortString fromBytes = ShortString.of(bytes, 1, 3);

    assertThat(fromBytes).isEqualTo(ShortString.of("key")).hasSameHashCodeAs(ShortString.of("key"));
    assertThat(fromBytes).isNotEqualTo(ShortString.of("kez"));
    assertThat(fromBytes).hasToString("key");
  }

  @Test
  void differentMalformedBytesStayDifferent() {
    ShortString one = ShortString.of(new byte[] {(byte) 0xFF}, 0, 1);
    ShortString other = ShortString.of(new byte[] {(byte) 0xFE}, 0, 1);

    assertThat(one).isNotEqualTo(other);
    assertThat(one.value()).isNotEqualTo(other.value());
    assertThat(ShortString.of(one.value())).isEqualTo(one);
  }

  @Test
  void shortStringIsCreatedFromItsEncodedForm() {
    ShortString string = ShortString.of("käse");

    assertThat(ShortString.ofEncoded(string.encoded())).isEqualTo(string).hasToString("käse");
    assertThat(ShortString.ofEncoded(new byte[1])).isSameAs(ShortString.EMPTY);
    assertThat(ShortString.ofEncoded(ShortString.of("x".repeat(255)).encoded()).byteLength())
        .isEqualTo(255);
    for (byte[] wrong : new byte[][] {{}, {1}, {0, 'x'}, {2, 'x'}, new byte[257]}) {
      assertThatThrownBy(() -> ShortString.ofEncoded(wrong))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void shortStringHasAtMost255Bytes() {
    assertThat(ShortString.of("x".repeat(255)).byteLength()).isEqualTo(255);
    assertThatThrownBy(() -> ShortString.of("x".repeat(256)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> ShortString.of("ä".repeat(128)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> ShortString.of(new byte[300], 0, 256))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
