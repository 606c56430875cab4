package io.mayflymq.protocol.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.mayflymq.protocol.types.ConnectionException;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.ReplyCode;
import io.mayflymq.protocol.types.WireArbitraries;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Set;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

class MethodTest {

  /** A method as the payload of a frame. */
  private static byte[] payload(Method method) {
    ByteBuf out = Unpooled.buffer();
    out.writeShort(method.classId()).writeShort(method.methodId());
    method.write(out);
    return ByteBufUtil.getBytes(out);
  }

  /**
   * Decodes from the middle of a larger buffer, where an over-read would not be noticed at once.
   */
  private static Method decode(byte[] payload) {
    ByteBuf in = Unpooled.buffer().writeZero(3).writeBytes(payload);
    Arrays.fill(in.array(), 3 + payload.length, in.capacity(), (byte) 1);
    return Method.decode(in, 3, payload.length);
  }

  private static byte[] hex(String hex) {
    return HexFormat.of().parseHex(hex.replace(" ", ""));
  }

  @Test
  void queueDeclareIsEncodedByteByByte() {
    Method declare =
        new QueueMethod.Declare(
            "q",
            false,
            true,
            false,
            true,
            false,
            FieldTable.builder().put("x-message-ttl", 60000).build());
    byte[] bytes = hex("0032 000a 0000 0171 0a 00000013 0d782d6d6573736167652d74746c 49 0000ea60");

    assertThat(payload(declare)).isEqualTo(bytes);
    assertThat(decode(bytes)).isEqualTo(declare);
  }

  @Test
  void connectionTuneIsEncodedByteByByte() {
    assertThat(payload(new ConnectionMethod.Tune(2047, 131072, 60)))
        .isEqualTo(hex("000a 001e 07ff 00020000 003c"));
  }

  @Test
  void exchangeUnbindOkHasMethodId51() {
    assertThat(payload(ExchangeMethod.UnbindOk.INSTANCE)).isEqualTo(hex("0028 0033"));
  }

  @Test
  void methodsAreDecodedByTheirIds() {
    Set<Long> ids = new HashSet<>();
    for (Class<?> type : MethodArbitraries.types()) {
      Method method = MethodArbitraries.methods(type).sample();
      assertThat(ids.add((long) method.classId() << 16 | method.methodId()))
          .as("%s", type)
          .isTrue();
    }
    assertThat(ids).hasSize(66);
  }

  @Test
  void fourMethodsCarryContent() {
    assertThat(MethodArbitraries.types())
        .filteredOn(type -> MethodArbitraries.methods(type).sample().hasContent())
        .containsExactlyInAnyOrder(
            BasicMethod.Publish.class,
            BasicMethod.Deliver.class,
            BasicMethod.Return.class,
            BasicMethod.GetOk.class);
  }

  @Test
  void unknownMethodsAreRefused() {
    for (String ids : new String[] {"003c 03e7", "03e7 000a", "0000 0000"}) {
      assertThatThrownBy(() -> decode(hex(ids)))
          .isInstanceOfSatisfying(
              ConnectionException.class,
              e -> assertThat(e.code()).isEqualTo(ReplyCode.COMMAND_INVALID));
    }
    assertThatThrownBy(() -> decode(hex("003c 03e7")))
        .hasMessage("COMMAND_INVALID - unknown method 999 of class 60");
  }

  @Test
  void undecodableMethodIsRefusedWithItsBytes() {
    assertThatThrownBy(() -> decode(hex("0032 001e 0000 0571")))
        .hasMessage("FRAME_ERROR - cannot decode <<0,0,5,113>>")
        .isInstanceOfSatisfying(
            ConnectionException.class,
            e -> {
              assertThat(e.classId()).isEqualTo(50);
              assertThat(e.methodId()).isEqualTo(30);
            });
  }

  @Test
  void malformedTextIsRefusedWhereRabbitMqChecksIt() {
    // A queue's name must be UTF-8; a routing key with content need not be.
    assertThatThrownBy(() -> decode(hex("0032 001e 0000 01ff 00")))
        .hasMessage("FRAME_ERROR - Malformed UTF-8 in shortstr");
    Method publish = decode(hex("003c 0028 0000 00 01ff 00"));
    assertThat(payload(publish)).isEqualTo(hex("003c 0028 0000 00 01ff 00"));
  }

  @Test
  void malformedTableIsAttributedToItsMethod() {
    assertThatThrownBy(() -> decode(hex("0032 000a 0000 0171 00 00000003 01615a")))
        .hasMessage("SYNTAX_ERROR - field table: unknown value type 90 ('Z')")
        .isInstanceOfSatisfying(
            ConnectionException.class, e -> assertThat(e.methodId()).isEqualTo(10));
  }

  @Test
  void hugeClaimedLengthAllocatesNothing() {
    assertThatThrownBy(() -> decode(hex("000a 0015 ffffffff")))
        .hasMessage("FRAME_ERROR - cannot decode <<255,255,255,255>>");
  }

  @Test
  void longReplyTextIsCutTo255Bytes() {
    byte[] bytes = payload(new ChannelMethod.Close(404, "ä".repeat(200), 50, 10));

    assertThat(decode(bytes))
        .isEqualTo(new ChannelMethod.Close(404, "ä".repeat(126) + "...", 50, 10));
  }

  @Test
  void tooLongShortStringIsRefused() {
    assertThatThrownBy(() -> payload(new BasicMethod.CancelOk("x".repeat(256))))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void tooLargeCountsAreCapped() {
    byte[] bytes = payload(new QueueMethod.DeclareOk("q", 1L << 33, 5));

    assertThat(decode(bytes)).isEqualTo(new QueueMethod.DeclareOk("q", 0xFFFF_FFFFL, 5));
  }

  @Test
  void secretsInMethodsAreNotPrinted() {
    byte[] secret = {'s'};

    assertThat(new ConnectionMethod.StartOk(FieldTable.EMPTY, "PLAIN", secret, "en_US"))
        .hasToString("StartOk");
  }

  @Property(tries = 600)
  void encodedMethodIsDecodedUnchanged(@ForAll("methods") Method method) {
    byte[] bytes = payload(method);

    assertThat(decode(bytes)).isEqualTo(method).hasSameHashCodeAs(method);
    assertThat(payload(decode(bytes))).isEqualTo(bytes);
  }

  @Property(tries = 300)
  void rabbitMqsClientDecodesTheSameMethod(@ForAll("methods") Method method) throws IOException {
    byte[] bytes = payload(method);

    var theirs =
        com.rabbitmq.client.impl.AMQImpl.readMethodFrom(
            new DataInputStream(new ByteArrayInputStream(bytes)));

    assertThat(theirs.protocolClassId()).isEqualTo(method.classId());
    assertThat(theirs.protocolMethodId()).isEqualTo(method.methodId());
    assertThat(theirs.hasContent()).isEqualTo(method.hasContent());
    for (RecordComponent component : method.getClass().getRecordComponents()) {
      Object value = valueOf(component, method);
      // What prints alike on both sides, and tells the fields and the bits apart.
      if (value instanceof Boolean || value instanceof Number || value instanceof String) {
        // Their unsigned 32 bits are an int.
        Object shown =
            value instanceof Long number && !component.getName().equals("deliveryTag")
                ? number.intValue()
                : value;
        String field = theirName(component.getName()) + "=" + shown;
        assertThat(theirs.toString()).containsAnyOf(field + ",", field + ")");
      }
    }
  }

  private static String theirName(String ours) {
    return switch (ours) {
      case "noWait" -> "nowait";
      case "failedClassId" -> "class-id";
      case "failedMethodId" -> "method-id";
      default -> ours.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    };
  }

  private static Object valueOf(RecordComponent component, Method method) {
    try {
      return component.getAccessor().invoke(method);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(e.getMessage(), e);
    }
  }

  @Property(tries = 1500)
  void malformedMethodsAreRefusedOrCanonical(@ForAll("mutated") byte[] bytes) {
    // Ids cut short are the frame decoder's business.
    byte[] payload = bytes.length < 4 ? Arrays.copyOf(bytes, 4) : bytes;

    Throwable failure = catchThrowable(() -> decode(payload));

    if (failure == null) {
      Method method = decode(payload);
      assertThat(decode(payload(method))).isEqualTo(method);
    } else {
      assertThat(failure).isInstanceOf(ConnectionException.class);
    }
  }

  @Provide
  Arbitrary<Method> methods() {
    return MethodArbitraries.methods();
  }

  @Provide
  Arbitrary<byte[]> mutated() {
    return WireArbitraries.mutated(MethodArbitraries.methods().map(MethodTest::payload));
  }
}
