package io.mayflymq.server.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Checks a request as it was decoded, beyond what the decoder does (RFC 9112). */
final class RequestFraming {
  private static final String CONTINUE = "100-continue";

  /** A request that the server itself refuses. */
  static final class Refusal extends Exception {
    private static final long serialVersionUID = 1L;

    private final int status;
    private final String error;

    Refusal(int status, String error, String reason) {
      super(reason, null, false, false);
      this.status = status;
      this.error = error;
    }

    int status() {
      return status;
    }

    String error() {
      return error;
    }
  }

  private RequestFraming() {}

  /**
   * The head of a request.
   *
   * @throws Refusal if there is something wrong with it
   */
  static RequestHead head(
      HttpRequest request, InetSocketAddress peer, boolean encrypted, HttpLimits limits)
      throws Refusal {
    if (request.decoderResult().isFailure()) {
      throw undecodable(request.decoderResult().cause(), limits);
    }
    if (request.protocolVersion().majorVersion() != 1) {
      throw new Refusal(
          505,
          "http_version_not_supported",
          "HTTP/1.1 and HTTP/1.0 are spoken here, actually was " + request.protocolVersion());
    }
    checkHeaders(request);
    String target = originForm(request.uri());
    int mark = target.indexOf('?');
    return new RequestHead(
        request.method().name(),
        mark < 0 ? target : target.substring(0, mark),
        mark < 0 ? null : target.substring(mark + 1),
        first(request.headers()),
        peer,
        encrypted);
  }

  /** What to answer to bytes that are no HTTP, or too many. */
  static Refusal undecodable(Throwable cause, HttpLimits limits) {
    if (cause instanceof TooLongHttpLineException) {
      return new Refusal(
          414, "uri_too_long", "The request line exceeds " + limits.maxRequestLine() + " bytes");
    }
    if (cause instanceof TooLongHttpHeaderException) {
      return new Refusal(
          431,
          "headers_too_large",
          "The request's headers exceed %d bytes, or there are more than %d"
              .formatted(limits.maxHeaders(), LimitedHeaders.MOST));
    }
    return new Refusal(400, "bad_request", "malformed HTTP request: " + cause.getMessage());
  }

  private static void checkHeaders(HttpRequest request) throws Refusal {
    HttpHeaders headers = request.headers();
    List<String> encodings = headers.getAll(HttpHeaderNames.TRANSFER_ENCODING);
    if (!encodings.isEmpty()) {
      if (request.protocolVersion().equals(HttpVersion.HTTP_1_0)) {
        throw new Refusal(400, "bad_request", "HTTP/1.0 has no Transfer-Encoding");
      }
      if (encodings.size() > 1 || !encodings.get(0).strip().equalsIgnoreCase("chunked")) {
        throw new Refusal(
            501,
            "not_implemented",
            "Transfer-Encoding should be chunked, actually was " + String.join(", ", encodings));
      }
    }
    int hosts = headers.getAll(HttpHeaderNames.HOST).size();
    if (hosts > 1 || (hosts == 0 && request.protocolVersion().equals(HttpVersion.HTTP_1_1))) {
      throw new Refusal(400, "bad_request", "one Host header is needed, actually were " + hosts);
    }
    String expected = headers.get(HttpHeaderNames.EXPECT);
    if (expected != null && !expected.equalsIgnoreCase(CONTINUE)) {
      throw new Refusal(
          417, "expectation_failed", "Expect should be 100-continue, actually was " + expected);
    }
  }

  /** Returns the path of an absolute URL, which proxies get, and clients may send to any server. */
  private static String originForm(String target) throws Refusal {
    String path = target;
    for (String scheme : List.of("http://", "https://")) {
      if (target.regionMatches(true, 0, scheme, 0, scheme.length())) {
        int end = scheme.length();
        while (end < target.length() && "/?".indexOf(target.charAt(end)) < 0) {
          end++;
        }
        path = target.substring(end);
        path = path.startsWith("/") ? path : "/" + path;
      }
    }
    if (path.equals("*")) {
      return "/*";
    }
    if (!path.startsWith("/") || !path.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
      throw new Refusal(
          400,
          "bad_request",
          "the target of a request should be a path of ASCII characters, others percent-encoded");
    }
    return path;
  }

  private static Map<String, String> first(HttpHeaders headers) {
    Map<String, String> first = new HashMap<>();
    headers
        .iteratorAsString()
        .forEachRemaining(
            header ->
                first.putIfAbsent(header.getKey().toLowerCase(Locale.ROOT), header.getValue()));
    return first;
  }
}
