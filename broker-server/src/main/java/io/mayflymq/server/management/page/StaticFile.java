package io.mayflymq.server.management.page;

import io.mayflymq.server.http.HttpResponse;
import io.mayflymq.server.http.RequestHead;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.zip.GZIPOutputStream;

/**
 * A file of the page, in memory, plain and compressed.
 *
 * <p>A browser keeps it and asks each time whether it has changed (no-cache, ETag), so that after
 * an update of the broker no old file meets new ones.
 */
final class StaticFile {
  /*
   * Scripts, styles, images and requests of the own origin only; nothing inline. The page is shown in
   * no frame, and its forms send to its own origin. The uPlot library sets styles by the object
   * model, which this allows.
   */
  static final String CONTENT_SECURITY_POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
          + " base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

  private static final Map<String, String> TYPES =
      Map.of(
          "html", "text/html; charset=utf-8",
          "css", "text/css; charset=utf-8",
          "js", "text/javascript; charset=utf-8",
          "svg", "image/svg+xml",
          "txt", "text/plain; charset=utf-8");

  private final String type;
  private final byte[] plain;
  private final byte[] compressed;
  private final String tag;

  /**
   * @param name with an extension that has a known type
   */
  StaticFile(String name, byte[] plain) {
    this.type = TYPES.get(name.substring(name.lastIndexOf('.') + 1));
    if (type == null) {
      throw new IllegalArgumentException("no content type is known for " + name);
    }
    this.plain = plain;
    this.compressed = compress(plain);
    this.tag = '"' + digest(plain) + '"';
  }

  private static byte[] compress(byte[] plain) {
    ByteArrayOutputStream compressed = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(compressed)) {
      out.write(plain);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return compressed.toByteArray();
  }

  private static String digest(byte[] bytes) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
      return HexFormat.of().formatHex(digest, 0, 16);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every Java has SHA-256
    }
  }

  /** Answers a GET or HEAD: 304 if the browser has this version, compressed if it allows that. */
  HttpResponse answer(RequestHead head) {
    Map<String, String> headers = new HashMap<>();
    headers.put("cache-control", "no-cache");
    headers.put("etag", tag);
    headers.put("vary", "Accept-Encoding");
    headers.put("server", "MayflyMQ");
    headers.put("content-security-policy", CONTENT_SECURITY_POLICY);
    headers.put("x-content-type-options", "nosniff");
    headers.put("x-frame-options", "DENY");
    headers.put("referrer-policy", "no-referrer");
    headers.put("cross-origin-opener-policy", "same-origin");
    headers.put("cross-origin-resource-policy", "same-origin");
    String known = head.header("if-none-match");
    if (known != null && (known.contains(tag) || known.strip().equals("*"))) {
      return HttpResponse.empty(304, headers);
    }
    headers.put("content-type", type);
    byte[] body = plain;
    if (head.takesGzip()) {
      headers.put("content-encoding", "gzip");
      body = compressed;
    }
    byte[] sent = body;
    return new HttpResponse(
        200,
        headers,
        out -> {
          out.writeBytes(sent);
          return false;
        });
  }
}
