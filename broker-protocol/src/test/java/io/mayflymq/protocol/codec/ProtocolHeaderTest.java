package io.mayflymq.protocol.codec;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProtocolHeaderTest {

  private static ByteBuf bytes(String text) {
    return Unpooled.copiedBuffer(text, US_ASCII);
  }

  @ParameterizedTest
  @ValueSource(strings = {"AMQP\0\0\t\1", "AMQP\1\1\0\t"})
  void supportedProtocolHeadersAreAccepted(String header) {
    ByteBuf in = bytes(header + "more");

    assertThat(ProtocolHeader.parse(in)).isEqualTo(ProtocolHeader.Verdict.ACCEPTED);
    assertThat(in.toString(US_ASCII)).isEqualTo("more");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "AMQP\3\1\0\0",
        "AMQP\0\1\0\0",
        "AMQP\0\0\t\2",
        "AMQP\1\1\b\0",
        "GET / HTTP/1.1",
        "G",
        "AMX"
      })
  void otherProtocolHeadersAreRefused(String header) {
    ByteBuf in = bytes(header);

    assertThat(ProtocolHeader.parse(in)).isEqualTo(ProtocolHeader.Verdict.REFUSED);
    assertThat(in.readerIndex()).isZero();
  }

  @Test
  void protocolHeaderIsReadOnlyWhenComplete() {
    assertThat(ProtocolHeader.parse(bytes("AMQP\0\0\t")))
        .isEqualTo(ProtocolHeader.Verdict.INCOMPLETE);
    assertThat(ProtocolHeader.parse(bytes("AM"))).isEqualTo(ProtocolHeader.Verdict.INCOMPLETE);
    assertThat(ProtocolHeader.parse(bytes(""))).isEqualTo(ProtocolHeader.Verdict.INCOMPLETE);
  }

  @Test
  void writtenProtocolHeaderIsThatOfAmqp091() {
    ByteBuf out = Unpooled.buffer();
    ProtocolHeader.writeTo(out);

    assertThat(out.toString(US_ASCII)).isEqualTo("AMQP\0\0\t\1");
    assertThat(ProtocolHeader.parse(out)).isEqualTo(ProtocolHeader.Verdict.ACCEPTED);
  }
}
