package io.mayflymq.server.management.json;

import io.mayflymq.server.management.api.ApiException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** Names of queues and exchanges in a path, where no frame limits their length. */
public final class PathNames {
  private static final int MOST_BYTES = 255;

  private PathNames() {}

  /**
   * Checks a name.
   *
   * @throws ApiException 400 if it is longer than AMQP's short strings
   */
  public static void check(String kind, String name) {
    int bytes = name.getBytes(StandardCharsets.UTF_8).length;
    if (bytes > MOST_BYTES) {
      throw ApiException.badRequest(
          "%s name too long: %d bytes, at most %d are allowed".formatted(kind, bytes, MOST_BYTES));
    }
  }

  /** Returns a text in a form that can stand in a path. */
  public static String quote(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("*", "%2A");
  }
}
