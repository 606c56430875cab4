package io.mayflymq.it.harness;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** An HTTP client that sends complete or incomplete requests. Reads time out. */
public final class RawHttp implements AutoCloseable {
  private final Socket socket;

  public RawHttp(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(Patience.MILLIS);
  }

  /** The authorization header of guest, with its end of line. */
  public static String guest() {
    return basic("guest", "guest");
  }

  /** The authorization header of a user, with its end of line. */
  public static String basic(String user, String password) {
    byte[] both = (user + ":" + password).getBytes(StandardCharsets.UTF_8);
    return "authorization: Basic " + Base64.getEncoder().encodeToString(both) + "\r\n";
  }

  /** Returns a request with a host, these headers and this body. The headers contain its length. */
  public static String request(String method, String path, String headers, String body) {
    return "%s %s HTTP/1.1\r\nhost: 127.0.0.1\r\n%s\r\n%s".formatted(method, path, headers, body);
  }

  public RawHttp send(String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    return this;
  }

  /** Reads the headers of the next response; empty at the end of the connection. */
  public String headers() throws IOException {
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    InputStream in = socket.getInputStream();
    String text = "";
    while (!text.endsWith("\r\n\r\n")) {
      int octet = in.read();
      if (octet < 0) {
        return text;
      }
      head.write(octet);
      text = head.toString(StandardCharsets.ISO_8859_1);
    }
    return text;
  }

  /** Reads until the connection ends. */
  public String rest() throws IOException {
    return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  /** Reads the status of the next response. */
  public int status() throws IOException {
    String headers = headers();
    return headers.isEmpty() ? 0 : Integer.parseInt(headers.substring(9, 12));
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
