package io.mayflymq.server.connection;

import io.netty.buffer.ByteBuf;
import io.netty.handler.ssl.NotSslRecordException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import javax.net.ssl.SSLException;

/**
 * Recognizes the protocol of clients that have connected to the wrong port, as text for the log.
 */
final class ForeignProtocol {
  private static final int SHOWN_BYTES = 8;

  /** The type and the version of the record that a TLS client begins with. */
  private static final int TLS_HANDSHAKE = 0x1603;

  /** What every header of version 2 of the PROXY protocol begins with. */
  private static final String PROXY_VERSION_2 = "\r\n\r\n\0\r\nQ";

  private static final List<String> HTTP = List.of("GET ", "HEAD", "POST", "PUT ", "OPTI", "DELE");

  private ForeignProtocol() {}

  /** Describes the protocol on a port without TLS by the first bytes; does not consume them. */
  static String onPlainPort(ByteBuf bytes) {
    int from = bytes.readerIndex();
    String begin = beginning(bytes);
    if (bytes.readableBytes() >= Short.BYTES && bytes.getUnsignedShort(from) == TLS_HANDSHAKE) {
      return "it speaks TLS, which this port does not (listeners.ssl is for TLS)";
    }
    if (HTTP.stream().anyMatch(begin::startsWith)) {
      return "it speaks HTTP (management.tcp.port is for HTTP)";
    }
    if (begin.startsWith("PROXY ") || begin.startsWith(PROXY_VERSION_2)) {
      return "it sent a header of the PROXY protocol (proxy_protocol = true reads it)";
    }
    return "it began with '" + begin + "'";
  }

  private static String beginning(ByteBuf bytes) {
    int length = Math.min(SHOWN_BYTES, bytes.readableBytes());
    return bytes.toString(bytes.readerIndex(), length, StandardCharsets.ISO_8859_1);
  }

  /** Describes the first bytes of a connection that has not sent the header of its proxy. */
  static String withoutProxyHeader(ByteBuf bytes) {
    return "it began with '" + beginning(bytes) + "'";
  }

  /** Describes why a handshake on a port with TLS has failed. */
  static String onTlsPort(SSLException failure) {
    // The exception's text contains all bytes received, in hexadecimal digits.
    return failure instanceof NotSslRecordException
        ? "the client does not speak TLS, and this port speaks nothing else"
        : String.valueOf(failure.getMessage());
  }
}
