package io.mayflymq.protocol.types;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;

/** Arbitrary values of everything that travels. */
public final class WireArbitraries {
  private WireArbitraries() {}

  /** Texts of at most 255 bytes, with all widths of UTF-8 and a genuine replacement character. */
  public static Arbitrary<String> shortTexts() {
    return Arbitraries.frequencyOf(
        Tuple.of(3, Arbitraries.strings().ascii().ofMaxLength(40)),
        Tuple.of(1, Arbitraries.strings().alpha().ofLength(255)),
        Tuple.of(1, Arbitraries.of("", "ä", "€", "𝄞", "\uFFFD", "ключ", "a\u0000b", "ä\uFFFD𝄞")));
  }

  /** Texts decoded from any bytes, most of which are no UTF-8. */
  public static Arbitrary<String> rawTexts() {
    return bytes(255).map(b -> Utf8.decode(b, 0, b.length));
  }

  public static Arbitrary<byte[]> bytes(int maxSize) {
    return Arbitraries.bytes().array(byte[].class).ofMaxSize(maxSize);
  }

  public static Arbitrary<FieldTable> tables() {
    return tables(3);
  }

  private static Arbitrary<FieldTable> tables(int depth) {
    Arbitrary<String> names = Arbitraries.oneOf(shortTexts(), rawTexts());
    return Combinators.combine(names, values(depth))
        .as(Map::entry)
        .list()
        .ofMaxSize(depth + 2)
        .map(
            entries -> {
              FieldTable.Builder builder = FieldTable.builder();
              entries.forEach(entry -> builder.put(entry.getKey(), entry.getValue()));
              return builder.build();
            });
  }

  public static Arbitrary<FieldValue> values(int depth) {
    List<Arbitrary<FieldValue>> flat =
        List.of(
            Arbitraries.of(true, false).map(FieldValue.Bool::of),
            Arbitraries.bytes().map(FieldValue.Int8::new),
            Arbitraries.integers().between(0, 0xFF).map(FieldValue.UInt8::new),
            Arbitraries.shorts().map(FieldValue.Int16::new),
            Arbitraries.integers().between(0, 0xFFFF).map(FieldValue.UInt16::new),
            Arbitraries.integers().map(FieldValue.Int32::new),
            Arbitraries.longs().between(0, 0xFFFF_FFFFL).map(FieldValue.UInt32::new),
            Arbitraries.longs().map(FieldValue.Int64::new),
            Arbitraries.floats().map(FieldValue.Float32::new),
            Arbitraries.doubles().map(FieldValue.Float64::new),
            Combinators.combine(
                    Arbitraries.integers().between(0, 0xFF),
                    Arbitraries.longs().between(0, 0xFFFF_FFFFL))
                .as(FieldValue.Decimal::new),
            bytes(300).map(FieldValue.LongString::of),
            Arbitraries.strings().ofMaxLength(20).map(FieldValue::of),
            bytes(20).map(FieldValue.Binary::of),
            Arbitraries.longs().map(FieldValue.Timestamp::new),
            Arbitraries.just(FieldValue.Void.INSTANCE));
    Arbitrary<FieldValue> leaf = Arbitraries.oneOf(flat);
    if (depth == 0) {
      return leaf;
    }
    Arbitrary<FieldValue> array =
        Arbitraries.lazy(() -> values(depth - 1).list().ofMaxSize(4).map(FieldValue.Array::new));
    Arbitrary<FieldValue> table =
        Arbitraries.lazy(() -> tables(depth - 1).map(FieldValue.Table::new));
    return Arbitraries.frequencyOf(Tuple.of(8, leaf), Tuple.of(1, array), Tuple.of(1, table));
  }

  public static Arbitrary<BasicProperties> properties() {
    Arbitrary<String> text = Arbitraries.oneOf(shortTexts(), rawTexts()).injectNull(0.6);
    Arbitrary<Integer> octet = Arbitraries.integers().between(0, 255).injectNull(0.5);
    Arbitrary<BasicProperties.Builder> first =
        Combinators.combine(text, text, tables().injectNull(0.5), octet, octet, text, text, text)
            .as(
                (contentType,
                    encoding,
                    headers,
                    mode,
                    priority,
                    correlation,
                    replyTo,
                    expiration) ->
                    BasicProperties.builder()
                        .contentType(contentType)
                        .contentEncoding(encoding)
                        .headers(headers)
                        .deliveryMode(mode)
                        .priority(priority)
                        .correlationId(correlation)
                        .replyTo(replyTo)
                        .expiration(expiration));
    return Combinators.combine(
            first, text, Arbitraries.longs().injectNull(0.5), text, text, text, text)
        .as(
            (builder, messageId, timestamp, type, userId, appId, clusterId) ->
                builder
                    .messageId(messageId)
                    .timestamp(timestamp)
                    .type(type)
                    .userId(userId)
                    .appId(appId)
                    .clusterId(clusterId)
                    .build());
  }

  /** Encoded things with a few of their bytes changed, or cut, or run over. */
  public static Arbitrary<byte[]> mutated(Arbitrary<byte[]> originals) {
    return Combinators.combine(originals, Arbitraries.randomValue(random -> random.nextLong()))
        .as(WireArbitraries::mutate);
  }

  private static byte[] mutate(byte[] original, long seed) {
    Random random = new Random(seed);
    byte[] bytes = original.clone();
    for (int i = random.nextInt(4); i > 0 && bytes.length > 0; i--) {
      int at = random.nextInt(bytes.length);
      bytes[at] =
          switch (random.nextInt(4)) {
            case 0 -> 0;
            case 1 -> (byte) 0xFF;
            case 2 -> (byte) (bytes[at] ^ (1 << random.nextInt(8)));
            default -> (byte) random.nextInt();
          };
    }
    return switch (random.nextInt(3)) {
      case 0 -> Arrays.copyOf(bytes, random.nextInt(bytes.length + 1));
      case 1 -> Arrays.copyOf(bytes, bytes.length + random.nextInt(9));
      default -> bytes;
    };
  }
}
