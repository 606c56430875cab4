package io.mayflymq.protocol.types;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.ByteArrayOutputStream;
import java.util.HexFormat;
import java.util.List;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FieldTableTest {
  private static final HexFormat HEX = HexFormat.of();

  private static FieldTable decode(String hex) {
    byte[] bytes = HEX.parseHex(hex.replace(" ", ""));
    return FieldTable.decode(bytes, 0, bytes.length);
  }

  @ParameterizedTest
  @CsvSource({
    "7400, bool, Bool[value=false]",
    "7401, bool, Bool[value=true]",
    "62ff, byte, Int8[value=-1]",
    "42ff, unsignedbyte, UInt8[value=255]",
    "738000, short, Int16[value=-32768]",
    "758000, unsignedshort, UInt16[value=32768]",
    "4980000000, signedint, Int32[value=-2147483648]",
    "6980000000, unsignedint, UInt32[value=2147483648]",
    "6cffffffffffffffff, long, Int64[value=-1]",
    "663fc00000, float, Float32[value=1.5]",
    "643ff8000000000000, double, Float64[value=1.5]",
    "4402ffffffff, decimal, 'Decimal[scale=2, unscaled=4294967295]'",
    "5300000003c3a478, longstr, LongString[äx]",
    "780000000201ff, binary, 'Binary[1, -1]'",
    "410000000474016200, array, 'Array[values=[Bool[value=true], Int8[value=0]]]'",
    "4600000003016b56, table, Table[table={k=Void[]}]",
    "54ffffffffffffffff, timestamp, Timestamp[seconds=-1]",
    "56, void, Void[]",
  })
  void everyFieldTypeOfRabbitMqIsDecoded(String hex, String rabbitName, String shown) {
    FieldTable table = decode("0161" + hex);

    FieldValue value = table.get("a");
    assertThat(value.rabbitTypeName()).isEqualTo(rabbitName);
    assertThat(value).hasToString(shown);
    assertThat(value.tag()).isEqualTo((char) Integer.parseInt(hex.substring(0, 2), 16));
    assertThat(HEX.formatHex(table.encode())).isEqualTo("0161" + hex);
  }

  @ParameterizedTest
  @CsvSource({"62ff, -1", "42ff, 255", "73fffe, -2", "75fffe, 65534", "49ffffffff, -1"})
  void integersHaveALongValue(String hex, long expected) {
    assertThat(decode("0161" + hex).get("a").isInteger()).isTrue();
    assertThat(decode("0161" + hex).get("a").longValue()).isEqualTo(expected);
  }

  @Test
  void onlyIntegerTypesHaveAnIntegerValue() {
    FieldValue text = FieldValue.of("5");

    assertThat(text.isInteger()).isFalse();
    assertThat(new FieldValue.Timestamp(5).isInteger()).isFalse();
    assertThatThrownBy(text::longValue)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("expected integer, got longstr");
  }

  @Test
  void fieldTypeUpperCaseLIsDecodedAsASignedLong() {
    assertThat(decode("0161 4c ffffffffffffffff").get("a")).isEqualTo(new FieldValue.Int64(-1));
  }

  @Test
  void firstOfTwoEqualFieldNamesApplies() {
    FieldTable table = decode("0161 4201 0162 4203 0161 4202");

    assertThat(table.get("a").longValue()).isEqualTo(1);
    assertThat(table.names()).containsExactly("a", "b");
    assertThat(HEX.formatHex(table.encode())).isEqualTo("016142010162" + "4203");
  }

  @Test
  void fieldTableKeepsTheOrderOfTheWire() {
    FieldTable table = FieldTable.builder().put("z", 1).put("a", 2L).put("m", true).build();

    assertThat(table.names()).containsExactly("z", "a", "m");
    assertThat(table.with("a", FieldValue.of("x")).names()).containsExactly("z", "a", "m");
    assertThat(table.with("n", FieldValue.of("x")).names()).containsExactly("z", "a", "m", "n");
    assertThat(table.without("z").names()).containsExactly("a", "m");
    assertThat(table.without("?")).isSameAs(table);
    assertThat(table.size()).isEqualTo(3);
  }

  @Test
  void fieldTableIsNotChangedThroughItsBuilder() {
    FieldTable.Builder builder = FieldTable.builder().put("a", 1);
    FieldTable table = builder.build();
    builder.put("b", 2);

    assertThat(table.names()).containsExactly("a");
    assertThat(builder.build().names()).containsExactly("a", "b");
  }

  @Test
  void sortedFieldTableIsOrderedByName() {
    FieldTable.Builder builder = FieldTable.sortedBuilder().put("m", 1).put("z", 2);
    FieldTable table = builder.build();
    builder.put("a", 3).remove("z");

    assertThat(table.names()).containsExactly("m", "z");
    assertThat(builder.build().names()).containsExactly("a", "m");
    assertThat(table).isEqualTo(FieldTable.builder().put("z", 2).put("m", 1).build());
    assertThat(table.with("b", FieldValue.of("x")).names()).containsExactly("m", "z", "b");
  }

  @Test
  void fieldTableIsNotChangedThroughItsBytes() {
    byte[] bytes = HEX.parseHex("0161" + "530000000178");
    FieldTable table = FieldTable.decode(bytes, 0, bytes.length);
    bytes[bytes.length - 1] = 'y';
    ((FieldValue.LongString) table.get("a")).bytes()[0] = 'z';

    assertThat(((FieldValue.LongString) table.get("a")).string()).isEqualTo("x");
  }

  @Test
  void fieldTablesAreEqualInAnyOrder() {
    FieldTable one = FieldTable.builder().put("a", 1).put("b", 2).build();
    FieldTable other = FieldTable.builder().put("b", 2).put("a", 1).build();

    assertThat(one).isEqualTo(other).hasSameHashCodeAs(other);
    assertThat(one).isNotEqualTo(other.with("a", new FieldValue.Int64(1)));
  }

  @Test
  void emptyFieldTableIsASingleObject() {
    assertThat(decode("")).isSameAs(FieldTable.EMPTY);
    assertThat(FieldTable.EMPTY.encode()).isEmpty();
    assertThat(FieldTable.EMPTY.isEmpty()).isTrue();
  }

  @Test
  void tooLongFieldNamesAreRefused() {
    FieldTable.Builder builder = FieldTable.builder().put("x".repeat(255), 1);

    assertThatThrownBy(() -> builder.put("x".repeat(256), 1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> builder.put("ä".repeat(128), 1))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "01", // a name cut short
        "0161", // no type
        "016174", // no value
        "0161490000", // a value cut short
        "0161530000000278", // a string that claims too much
        "016153ffffffff78", // a negative length
        "01615a00", // an unknown type
        "016146000000020161", // a table that ends within its field
        "01614100000001540161", // an array that ends within its value
        "016146000000ff0161" // a table longer than its parent
      })
  void malformedFieldTableIsRefused(String hex) {
    assertThatThrownBy(() -> decode(hex))
        .isInstanceOfSatisfying(
            ConnectionException.class, e -> assertThat(e.code()).isEqualTo(ReplyCode.SYNTAX_ERROR));
  }

  @Test
  void malformedTableErrorDescribesTheProblem() {
    assertThatThrownBy(() -> decode("01615a00"))
        .hasMessage("SYNTAX_ERROR - field table: unknown value type 90 ('Z')");
    assertThatThrownBy(() -> decode("016153 ffffffff 78"))
        .hasMessage("SYNTAX_ERROR - field table: a value of 4294967295 bytes where 1 are left");
  }

  @Test
  void fieldTableIsNestedAtMost64Levels() {
    byte[] deepest = nested(FieldTable.MAX_DEPTH);
    byte[] tooDeep = nested(FieldTable.MAX_DEPTH + 1);

    assertThat(FieldTable.decode(deepest, 0, deepest.length).encode()).isEqualTo(deepest);
    TableWalk.validate(deepest, 0, deepest.length);
    assertThatThrownBy(() -> FieldTable.decode(tooDeep, 0, tooDeep.length))
        .hasMessage("SYNTAX_ERROR - field table: nested deeper than 64 levels");
    assertThatThrownBy(() -> TableWalk.validate(tooDeep, 0, tooDeep.length))
        .hasMessage("SYNTAX_ERROR - field table: nested deeper than 64 levels");
  }

  /** The body of a table that holds tables and arrays in turn, {@code levels} in all. */
  private static byte[] nested(int levels) {
    byte[] body = levels % 2 == 1 ? HEX.parseHex("016156") : HEX.parseHex("56");
    for (int level = levels - 1; level >= 1; level--) {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      boolean table = level % 2 == 1;
      if (table) {
        out.writeBytes(new byte[] {1, 'a'});
      }
      out.writeBytes(new byte[] {(byte) (table ? 'A' : 'F'), 0, 0});
      out.writeBytes(new byte[] {(byte) (body.length >> 8), (byte) body.length});
      out.writeBytes(body);
      body = out.toByteArray();
    }
    return body;
  }

  @Test
  void unsignedFieldValuesMustBeInRange() {
    assertThatThrownBy(() -> new FieldValue.UInt8(256))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new FieldValue.UInt16(-1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new FieldValue.UInt32(1L << 32))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new FieldValue.Decimal(1, -1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(new FieldValue.Decimal(2, 314).toBigDecimal()).isEqualByComparingTo("3.14");
  }

  @Property(tries = 500)
  void encodedFieldTableIsDecodedUnchanged(@ForAll("tables") FieldTable table) {
    byte[] bytes = table.encode();
    FieldTable again = FieldTable.decode(bytes, 0, bytes.length);

    assertThat(again).isEqualTo(table);
    assertThat(again.names()).isEqualTo(table.names());
    assertThat(again.encode()).isEqualTo(bytes);
    TableWalk.validate(bytes, 0, bytes.length);
  }

  @Property(tries = 1000)
  void malformedTablesAreRefusedByAllReadersAlike(@ForAll("mutatedTables") byte[] bytes) {
    Throwable byWalk = catchThrowable(() -> TableWalk.validate(bytes, 0, bytes.length));
    Throwable byDecoder = catchThrowable(() -> FieldTable.decode(bytes, 0, bytes.length));

    if (byDecoder == null) {
      assertThat(byWalk).isNull();
      FieldTable table = FieldTable.decode(bytes, 0, bytes.length);
      byte[] canonical = table.encode();
      assertThat(FieldTable.decode(canonical, 0, canonical.length)).isEqualTo(table);
    } else {
      assertThat(byDecoder).isInstanceOf(ConnectionException.class);
      assertThat(byWalk).isInstanceOf(ConnectionException.class);
    }
  }

  @Property(tries = 300)
  void keysAreFoundWithoutDecodingTheTable(@ForAll("tables") FieldTable table) {
    byte[] body = table.encode();
    byte[] absent = {'?', 1, '?'};

    assertThat(PropertiesScan.keys(body, 0, body.length, new byte[][] {absent, absent})).isZero();
    for (String name : table.names()) {
      byte[] key = Utf8.encode(name);
      assertThat(PropertiesScan.keys(body, 0, body.length, new byte[][] {absent, key, key}))
          .isEqualTo(0b110);
      assertThat(TableWalk.containsKey(body, 0, body.length, key)).isTrue();
    }
  }

  @Test
  void keysOfNestedTablesAreNotFound() {
    FieldTable table =
        FieldTable.builder()
            .put("in", FieldTable.builder().put("CC", 1).build())
            .put("list", new FieldValue.Array(List.of(FieldValue.of("CC"))))
            .build();
    byte[] body = table.encode();
    byte[] cc = {'C', 'C'};

    assertThat(PropertiesScan.keys(body, 0, body.length, new byte[][] {cc})).isZero();
    assertThat(TableWalk.containsKey(body, 0, body.length, cc)).isFalse();
  }

  @Provide
  Arbitrary<FieldTable> tables() {
    return WireArbitraries.tables();
  }

  @Provide
  Arbitrary<byte[]> mutatedTables() {
    return WireArbitraries.mutated(WireArbitraries.tables().map(FieldTable::encode));
  }
}
