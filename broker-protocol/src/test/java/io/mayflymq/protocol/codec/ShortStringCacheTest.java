package io.mayflymq.protocol.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.protocol.types.ShortString;
import io.mayflymq.protocol.types.WireArbitraries;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class ShortStringCacheTest {
  private final ShortStringCache cache = new ShortStringCache();

  /** The encoded string at index 1 of a buffer that ends with it. */
  private static ByteBuf wire(ShortString string) {
    byte[] encoded = string.encoded();
    return Unpooled.buffer(1 + encoded.length, 1 + encoded.length)
        .writeByte(0xFF)
        .writeBytes(encoded);
  }

  @Property(tries = 300)
  void cacheReturnsTheBytesReadWhateverItContains(@ForAll("strings") List<ShortString> strings) {
    for (ShortString string : strings) {
      assertThat(cache.get(wire(string), 1)).isEqualTo(string);
      assertThat(cache.get(wire(string), 1)).isSameAs(cache.get(wire(string), 1));
    }
  }

  @Provide
  Arbitrary<List<ShortString>> strings() {
    // Of few letters and all lengths, so that many differ in one place only.
    Arbitrary<String> alike = Arbitraries.strings().withChars("ab").ofMaxLength(20);
    return Arbitraries.oneOf(alike, WireArbitraries.shortTexts(), WireArbitraries.rawTexts())
        .map(ShortString::of)
        .list()
        .ofMaxSize(30);
  }

  @Test
  void cacheDistinguishesStringsThatDifferInOneByte() {
    for (int length = 1; length <= 40; length++) {
      byte[] bytes = new byte[length];
      for (int i = 0; i < length; i++) {
        cache.get(wire(ShortString.of(bytes, 0, length)), 1);
        bytes[i] = 'x';
        ShortString changed = ShortString.of(bytes, 0, length);
        assertThat(cache.get(wire(changed), 1)).isEqualTo(changed);
        bytes[i] = 0;
      }
    }
  }

  @Test
  void keysWithRunningNumbersSpreadOverTheSlots() {
    Set<ShortString> made = Collections.newSetFromMap(new IdentityHashMap<>());
    for (int i = 0; i < 200; i++) {
      made.add(cache.get(wire(ShortString.of("device.sensor." + i % 100)), 1));
    }
    // 100 keys thrown at random on 256 slots: some 80 find a place of their own and are
    // made once, the others twice.
    assertThat(made).hasSizeBetween(100, 145);
  }
}
