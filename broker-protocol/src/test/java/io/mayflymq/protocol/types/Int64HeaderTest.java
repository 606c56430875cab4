package io.mayflymq.protocol.types;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class Int64HeaderTest {
  private static final String NAME = "x-number";
  private static final byte[] BODY = {7, 0, -1};

  private final Int64Header header = new Int64Header(NAME);

  /** What the properties are afterwards; the body must follow them as it was. */
  private BasicProperties put(byte[] properties, long value) {
    byte[] content = Arrays.copyOf(properties, properties.length + BODY.length);
    System.arraycopy(BODY, 0, content, properties.length, BODY.length);
    byte[] before = content.clone();
    byte[] after = header.put(content, properties.length, value);
    assertThat(content).isEqualTo(before);
    int length = after.length - BODY.length;
    assertThat(Arrays.copyOfRange(after, length, after.length)).isEqualTo(BODY);
    return BasicProperties.decode(after, 0, length);
  }

  private static BasicProperties naive(BasicProperties properties, long value) {
    FieldTable headers = properties.headers() == null ? FieldTable.EMPTY : properties.headers();
    return properties.toBuilder().headers(headers.with(NAME, new FieldValue.Int64(value))).build();
  }

  @Property
  void headerIsAddedAsIfThePropertiesWereDecoded(
      @ForAll("propertiesOfAnyKind") BasicProperties properties, @ForAll long value) {
    assertThat(put(properties.encode(), value)).isEqualTo(naive(properties, value));
  }

  @Property(tries = 100)
  void existingHeaderIsReplacedInPlace(
      @ForAll("propertiesOfAnyKind") BasicProperties properties,
      @ForAll long old,
      @ForAll long value) {
    BasicProperties has = naive(properties, old);
    assertThat(put(has.encode(), value)).isEqualTo(naive(properties, value));
  }

  @Provide
  static Arbitrary<BasicProperties> propertiesOfAnyKind() {
    return Combinators.combine(
            WireArbitraries.shortTexts().injectNull(0.5),
            WireArbitraries.shortTexts().injectNull(0.5),
            WireArbitraries.tables().injectNull(0.3),
            WireArbitraries.shortTexts().injectNull(0.5))
        .as(
            (type, encoding, headers, expiration) ->
                BasicProperties.builder()
                    .contentType(type)
                    .contentEncoding(encoding)
                    .headers(headers)
                    .deliveryMode(2)
                    .expiration(expiration)
                    .build());
  }

  @Test
  void unknownPropertiesAreKeptAfterTheHeader() {
    // A second word of flags, and a property that it announces.
    byte[] unknown = {(byte) 0x80, 1, 0x40, 0, 1, 'a', 5, 6};
    byte[] after = header.put(unknown, unknown.length, 1);
    assertThat(after).startsWith(0xa0, 1, 0x40, 0, 1, 'a').endsWith(5, 6);
    assertThat(BasicProperties.decode(after, 0, after.length).headers().get(NAME))
        .isEqualTo(new FieldValue.Int64(1));
  }
}
