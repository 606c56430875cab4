package io.mayflymq.it.upgrade;

import com.rabbitmq.client.AMQP.BasicProperties;
import java.time.Instant;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the data directory of an earlier version contains, as both its writer and its test know it.
 */
final class Contents {
  /** The archive, in the resources of this package. */
  static final String ARCHIVE = "data-0.1.0.zip";

  /** How long what waits in it does so at least, in ms: longer than it takes to write it. */
  static final int WAIT_MILLIS = 60_000;

  /** Almost seven weeks, in ms: the longest TTL of a queue. */
  static final long LONGEST_TTL_MILLIS = 4_294_967_295L;

  /** Ten years, in ms: the longest delay. */
  static final long LONGEST_DELAY_MILLIS = 315_619_200_000L;

  static final int STREAM_MESSAGES = 40;
  static final String LARGE = "large ".repeat(20_000);

  private Contents() {}

  /** Properties with all that there is. */
  static BasicProperties properties() {
    return new BasicProperties.Builder()
        .contentType("text/plain")
        .contentEncoding("utf-8")
        .headers(headers())
        .deliveryMode(2)
        .priority(3)
        .correlationId("correlation")
        .replyTo("copy")
        .messageId("id of the message")
        .timestamp(Date.from(Instant.ofEpochSecond(1_700_000_000)))
        .type("type")
        .userId("guest")
        .appId("application")
        .build();
  }

  static Map<String, Object> headers() {
    Map<String, Object> headers = new LinkedHashMap<>();
    headers.put("text", "grün");
    headers.put("int", 42);
    headers.put("long", 1L << 40);
    headers.put("double", 0.5);
    headers.put("boolean", true);
    headers.put("list", List.of("a", 1));
    headers.put("table", Map.of("inner", "value"));
    return headers;
  }

  static String streamMessage(int offset) {
    return offset + " " + "-".repeat(300);
  }
}
