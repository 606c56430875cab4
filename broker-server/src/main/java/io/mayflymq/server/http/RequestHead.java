package io.mayflymq.server.http;

import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * A request without its body.
 *
 * @param method as it came, mostly in capitals
 * @param path still percent-encoded; begins with a slash
 * @param query still percent-encoded, without its question mark; null if there is none
 * @param headers by name in lower case, the first of each name
 * @param peer who asks
 * @param encrypted whether it came over TLS
 */
public record RequestHead(
    String method,
    String path,
    String query,
    Map<String, String> headers,
    InetSocketAddress peer,
    boolean encrypted) {

  /** Returns a header's value, or null. */
  public String header(String lowerCaseName) {
    return headers.get(lowerCaseName);
  }

  /** Returns whether the answer may be compressed by gzip (RFC 9110, section 12.5.3). */
  public boolean takesGzip() {
    String accepted = header("accept-encoding");
    if (accepted == null) {
      return false;
    }
    for (String coding : accepted.toLowerCase(Locale.ROOT).split(",")) {
      String plainCoding = coding.replace(" ", "");
      if (plainCoding.equals("gzip")
          || (plainCoding.startsWith("gzip;q=") && !plainCoding.matches("gzip;q=0(\\.0*)?"))) {
        return true;
      }
    }
    return false;
  }

  /** Returns this request for another path. */
  RequestHead withPath(String other) {
    return new RequestHead(method, other, query, headers, peer, encrypted);
  }

  /** Returns this request with another header. */
  public RequestHead withHeader(String lowerCaseName, String value) {
    Map<String, String> changed = new HashMap<>(headers);
    changed.put(lowerCaseName, value);
    return new RequestHead(method, path, query, changed, peer, encrypted);
  }

  /** Returns whether a body follows. */
  public boolean hasBody() {
    String length = header("content-length");
    return header("transfer-encoding") != null || (length != null && !length.strip().equals("0"));
  }

  /** For the log: without the query and the headers, which may hold what is secret. */
  @Override
  public String toString() {
    return "%s %s from %s".formatted(method, path, NetUtil.toSocketAddressString(peer));
  }
}
