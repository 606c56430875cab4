package io.mayflymq.server.management.api;

import com.fasterxml.jackson.core.JsonGenerator;
import io.mayflymq.server.json.JsonWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;

/**
 * The tag by which a client asks for a document only if it has changed (RFC 9110, section 8.8.3): a
 * hash of its JSON.
 */
public final class EntityTag {
  private static final int BYTES = 16;
  private static final String ANY = "*";
  private static final int NOT_MODIFIED = 304;
  private static final int PRECONDITION_FAILED = 412;

  private EntityTag() {}

  /**
   * Adds the tag to a response. If the request has a condition that does not hold, the answer is
   * 304 or 412 instead.
   *
   * @param response whose body is JSON, which is written twice
   */
  public static Response tagged(Request request, Response response) {
    String tag = of(response.body());
    Map<String, String> headers = new HashMap<>(response.headers());
    headers.put("etag", tag);
    String wanted = request.headers().get("if-match");
    if (wanted != null && !names(wanted, tag)) {
      return new Response(PRECONDITION_FAILED, null, Map.of());
    }
    String known = request.headers().get("if-none-match");
    return known != null && names(known, tag)
        ? new Response(NOT_MODIFIED, null, Map.of("etag", tag))
        : new Response(response.status(), response.body(), headers);
  }

  private static boolean names(String condition, String tag) {
    return condition.strip().equals(ANY)
        || Arrays.stream(condition.split(","))
            .map(each -> each.strip().replaceFirst("^W/", ""))
            .anyMatch(tag::equals);
  }

  private static String of(Object json) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      try (JsonGenerator generator =
          JsonWriter.generator(new DigestOutputStream(OutputStream.nullOutputStream(), digest))) {
        JsonWriter.write(generator, json);
      }
      return '"' + HexFormat.of().formatHex(digest.digest(), 0, BYTES) + '"';
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
