package io.mayflymq.protocol.types;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.Arrays;
import java.util.HexFormat;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class BasicPropertiesTest {
  private static final HexFormat HEX = HexFormat.of();

  private final PropertiesScan scan = new PropertiesScan();

  private static byte[] hex(String hex) {
    return HEX.parseHex(hex.replace(" ", ""));
  }

  @Test
  void allFourteenPropertiesAreEncodedInOrder() {
    BasicProperties properties =
        BasicProperties.builder()
            .contentType("a")
            .contentEncoding("b")
            .headers(FieldTable.builder().put("k", true).build())
            .deliveryMode(2)
            .priority(9)
            .correlationId("c")
            .replyTo("d")
            .expiration("60")
            .messageId("e")
            .timestamp(1L)
            .type("f")
            .userId("g")
            .appId("h")
            .clusterId("i")
            .build();
    byte[] bytes =
        hex(
            "fffc 0161 0162 00000004016b7401 02 09 0163 0164 023630 0165 0000000000000001"
                + " 0166 0167 0168 0169");

    assertThat(properties.encode()).isEqualTo(bytes);
    assertThat(BasicProperties.decode(bytes, 0, bytes.length)).isEqualTo(properties);
    assertThat(properties)
        .hasToString(
            "BasicProperties[contentType=a, contentEncoding=b, headers={k=Bool[value=true]},"
                + " deliveryMode=2, priority=9, correlationId=c, replyTo=d, expiration=60,"
                + " messageId=e, timestamp=1, type=f, userId=g, appId=h, clusterId=i]");
    assertThat(properties.toBuilder().build()).isEqualTo(properties);
  }

  @Test
  void messageWithoutPropertiesIsEncoded() {
    assertThat(BasicProperties.EMPTY.encode()).containsExactly(0, 0);
    assertThat(BasicProperties.decode(new byte[2], 0, 2)).isEqualTo(BasicProperties.EMPTY);
    assertThat(BasicProperties.EMPTY).hasToString("BasicProperties[]");
  }

  @Test
  void propertiesAreEncodedBeforeABody() {
    BasicProperties properties = BasicProperties.builder().messageId("ä").build();

    assertThat(properties.encodeBefore(hex("ffff ff 0102"), 3)).isEqualTo(hex("0080 02c3a4 0102"));
    assertThat(properties.encodeBefore(hex("ffff"), 2)).isEqualTo(properties.encode());
  }

  @Test
  void scanFindsOnlyTheDeliveryModeIfNothingElseIsSet() {
    scan.scan(hex("ff 1000 02 ff"), 1, 3);

    assertThat(scan.deliveryMode()).isEqualTo(2);
    assertThat(scan.priority()).isEqualTo(-1);
    assertThat(scan.headersOffset()).isEqualTo(-1);
  }

  @Test
  void scanFindsTheOffsetsOfProperties() {
    byte[] bytes = hex("00 3b50 00000004016b7401 02 09 026474 023630 0000000000000007 0161 00");

    scan.scan(bytes, 1, bytes.length - 2);

    assertThat(scan.deliveryMode()).isEqualTo(2);
    assertThat(scan.priority()).isEqualTo(9);
    assertThat(scan.headersOffset()).isEqualTo(7);
    assertThat(scan.headersLength()).isEqualTo(4);
    assertThat(text(bytes, scan.replyToOffset(), scan.replyToLength())).isEqualTo("dt");
    assertThat(text(bytes, scan.expirationOffset(), scan.expirationLength())).isEqualTo("60");
    assertThat(text(bytes, scan.userIdOffset(), scan.userIdLength())).isEqualTo("a");
    assertThat(scan.hasTimestamp()).isTrue();
    assertThat(scan.timestamp()).isEqualTo(7);
  }

  @Test
  void reusedScanDoesNotKeepTheResultsOfThePreviousMessage() {
    byte[] full = hex("3b50 00000004016b7401 02 09 026474 023630 0000000000000007 0161");
    scan.scan(full, 0, full.length);
    scan.scan(new byte[2], 0, 2);

    assertThat(scan.deliveryMode()).isZero();
    assertThat(scan.priority()).isEqualTo(-1);
    assertThat(scan.headersLength()).isEqualTo(-1);
    assertThat(scan.replyToLength()).isEqualTo(-1);
    assertThat(scan.expirationLength()).isEqualTo(-1);
    assertThat(scan.userIdLength()).isEqualTo(-1);
    assertThat(scan.hasTimestamp()).isFalse();
  }

  @Test
  void unknownPropertiesAreEncodedUnchanged() {
    // Delivery mode, a reserved bit, and two more flag words; then bytes of an unknown property.
    byte[] bytes = hex("1003 0001 8000 02 deadbeef");

    BasicProperties properties = BasicProperties.decode(bytes, 0, bytes.length);
    assertThat(properties.deliveryMode()).isEqualTo(2);
    assertThat(properties.encode()).isEqualTo(bytes);
    assertThat(properties).isNotEqualTo(BasicProperties.builder().deliveryMode(2).build());
    assertThat(properties.toBuilder().messageId("m").build().encode())
        .isEqualTo(hex("1083 0001 8000 02 016d deadbeef"));

    scan.scan(bytes, 0, bytes.length);
    assertThat(scan.deliveryMode()).isEqualTo(2);
  }

  @Test
  void flagsThatDisagreeWithThePropertyListAreRefused() {
    for (String hex :
        new String[] {"", "10", "1000", "100002ff", "0001", "8000", "800005aa", "2000ffffffff"}) {
      byte[] bytes = hex(hex);
      assertThatThrownBy(() -> BasicProperties.decode(bytes, 0, bytes.length))
          .as(hex)
          .isInstanceOfSatisfying(
              ConnectionException.class,
              e -> assertThat(e.code()).isEqualTo(ReplyCode.SYNTAX_ERROR));
      assertThatThrownBy(() -> scan.scan(bytes, 0, bytes.length))
          .as(hex)
          .isInstanceOf(ConnectionException.class);
    }
  }

  @Test
  void priorityAndDeliveryModeMustFitInAnOctet() {
    BasicProperties.Builder builder = BasicProperties.builder();

    assertThatThrownBy(() -> builder.priority(256)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> builder.deliveryMode(-1)).isInstanceOf(IllegalArgumentException.class);
  }

  @Property(tries = 500)
  void encodedPropertiesAreDecodedAndScannedUnchanged(
      @ForAll("properties") BasicProperties properties) {
    byte[] bytes = properties.encode();

    BasicProperties again = BasicProperties.decode(bytes, 0, bytes.length);
    assertThat(again).isEqualTo(properties);
    assertThat(again.encode()).isEqualTo(bytes);
    assertScanAgrees(bytes, properties);
  }

  @Property(tries = 1500)
  void scanAndDecodeRefuseTheSameBytes(@ForAll("mutatedProperties") byte[] bytes) {
    Throwable byScan = catchThrowable(() -> scan.scan(bytes, 0, bytes.length));
    Throwable byDecode = catchThrowable(() -> BasicProperties.decode(bytes, 0, bytes.length));

    if (byDecode != null) {
      assertThat(byDecode).isInstanceOf(ConnectionException.class);
      assertThat(byScan).isInstanceOf(ConnectionException.class);
    } else {
      assertThat(byScan).isNull();
      assertScanAgrees(bytes, BasicProperties.decode(bytes, 0, bytes.length));
    }
  }

  private void assertScanAgrees(byte[] bytes, BasicProperties expected) {
    assertThat(RawProperties.messageId(bytes)).isEqualTo(expected.messageId());
    FieldTable headers = expected.headers() == null ? FieldTable.EMPTY : expected.headers();
    headers.forEach(
        (name, value) ->
            assertThat(RawProperties.header(bytes, Utf8.encode(name))).isEqualTo(value));
    assertThat(RawProperties.header(bytes, Utf8.encode("in none of them"))).isNull();
    // Within a larger array, so that an over-read would find something else than an exception.
    byte[] padded = new byte[bytes.length + 40];
    Arrays.fill(padded, (byte) 0x01);
    System.arraycopy(bytes, 0, padded, 20, bytes.length);

    scan.scan(padded, 20, bytes.length);

    assertThat(scan.deliveryMode())
        .isEqualTo(expected.deliveryMode() == null ? 0 : expected.deliveryMode());
    assertThat(scan.priority()).isEqualTo(expected.priority() == null ? -1 : expected.priority());
    assertThat(text(padded, scan.expirationOffset(), scan.expirationLength()))
        .isEqualTo(expected.expiration());
    assertThat(text(padded, scan.replyToOffset(), scan.replyToLength()))
        .isEqualTo(expected.replyTo());
    assertThat(text(padded, scan.userIdOffset(), scan.userIdLength())).isEqualTo(expected.userId());
    assertThat(scan.hasTimestamp() ? (Long) scan.timestamp() : null)
        .isEqualTo(expected.timestamp());
    if (expected.headers() == null) {
      assertThat(scan.headersOffset()).isEqualTo(-1);
      assertThat(scan.headersLength()).isEqualTo(-1);
    } else {
      assertThat(FieldTable.decode(padded, scan.headersOffset(), scan.headersLength()))
          .isEqualTo(expected.headers());
    }
  }

  private static String text(byte[] bytes, int offset, int length) {
    return offset < 0 ? null : Utf8.decode(bytes, offset, length);
  }

  @Provide
  Arbitrary<BasicProperties> properties() {
    return WireArbitraries.properties();
  }

  @Provide
  Arbitrary<byte[]> mutatedProperties() {
    return WireArbitraries.mutated(WireArbitraries.properties().map(BasicProperties::encode));
  }
}
