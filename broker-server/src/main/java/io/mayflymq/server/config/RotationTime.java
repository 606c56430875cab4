package io.mayflymq.server.config;

import java.time.DayOfWeek;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * When a new log file begins, in UTC: {@code $D0} each day at midnight, {@code $W5D16} each Friday
 * at 16:00, {@code $M1D0} on the first of each month at midnight.
 *
 * <p>Source: RabbitMQ, "Logging", section "Log Rotation".
 *
 * @param weekday null for each day
 * @param monthday 0 for each day; a month without that day has none
 * @param hour 0 to 23
 */
public record RotationTime(DayOfWeek weekday, int monthday, int hour) {
  private static final Pattern FORM =
      Pattern.compile(
          "\\$(?:W(?<week>[0-6])|M(?<month>[1-9]|[12][0-9]|3[01]))?D(?<hour>[0-9]|1[0-9]|2[0-3])");

  /** Returns the time that a text says, or empty. */
  public static Optional<RotationTime> parse(String text) {
    Matcher form = FORM.matcher(text);
    if (!form.matches()) {
      return Optional.empty();
    }
    String week = form.group("week");
    String month = form.group("month");
    return Optional.of(
        new RotationTime(
            // RabbitMQ's weeks begin with Sunday, 0; those of DayOfWeek with Monday, 1.
            week == null ? null : DayOfWeek.of((Integer.parseInt(week) + 6) % 7 + 1),
            month == null ? 0 : Integer.parseInt(month),
            Integer.parseInt(form.group("hour"))));
  }

  /** Returns the first such moment after another one. */
  public Instant after(Instant moment) {
    ZonedDateTime next = moment.atZone(ZoneOffset.UTC).truncatedTo(ChronoUnit.DAYS).withHour(hour);
    while (!next.toInstant().isAfter(moment) || !isOn(next)) {
      next = next.plusDays(1);
    }
    return next.toInstant();
  }

  private boolean isOn(ZonedDateTime day) {
    return (weekday == null || day.getDayOfWeek() == weekday)
        && (monthday == 0 || day.getDayOfMonth() == monthday);
  }
}
