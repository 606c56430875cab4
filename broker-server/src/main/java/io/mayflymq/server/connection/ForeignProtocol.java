package io.mayflymq.server.connection;

import io.netty.buffer.ByteBuf;
import io.netty.handler.ssl.NotSslRecordException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import javax.net.ssl.SSLException;

/** What clients speak that have come to the wrong port, in words for the log. */
final class ForeignProtocol {
  private static final int SHOWN_BYTES = 8;

  /** The type and the version of the record that a TLS client begins with. */
  private static final int TLS_HANDSHAKE = 0x1603;

  private static final List<String> HTTP = List.of("GET ", "HEAD", "POST", "PUT ", "OPTI", "DELE");

  private ForeignProtocol() {}

  /** On a port without TLS; the bytes are those that came first, and are not read. */
  static String onPlainPort(ByteBuf bytes) {
    int from = bytes.readerIndex();
    int length = Math.min(SHOWN_BYTES, bytes.readableBytes());
    String begin = bytes.toString(from, length, StandardCharsets.ISO_8859_1);
    if (length >= Short.BYTES && bytes.getUnsignedShort(from) == TLS_HANDSHAKE) {
      return "it speaks TLS, which this port does not (listeners.ssl is for TLS)";
    }
    if (HTTP.stream().anyMatch(begin::startsWith)) {
      return "it speaks HTTP (management.tcp.port is for HTTP)";
    }
    return "it began with '" + begin + "'";
  }

  /** Why a handshake on a port with TLS has failed. */
  static String onTlsPort(SSLException failure) {
    // The exception's own text is all that has come, in hexadecimal digits.
    return failure instanceof NotSslRecordException
        ? "the client does not speak TLS, and this port speaks nothing else"
        : String.valueOf(failure.getMessage());
  }
}
