package io.mayflymq.server.management.json;

import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;

/** Times of shovels and links as RabbitMQ's plugins write them. */
public final class LocalTime {
  private static final DateTimeFormatter FORM =
      DateTimeFormatter.ofPattern("yyyy-MM-dd H:mm:ss").withZone(ZoneId.systemDefault());

  private LocalTime() {}

  /** Returns a time in the time zone of the node, without a zero before a single digit of hours. */
  public static String text(Instant time) {
    return FORM.format(time);
  }
}
