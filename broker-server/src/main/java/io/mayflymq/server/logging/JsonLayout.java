package io.mayflymq.server.logging;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.LayoutBase;
import io.mayflymq.server.config.LogCategory;
import io.mayflymq.server.config.NodeName;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.json.JsonWriter;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Map;

/**
 * A line of the log as an object of JSON, with RabbitMQ's keys: {@code time}, {@code level}, {@code
 * msg}, {@code domain}, {@code node} and {@code pid}, which is the thread here; and {@code logger},
 * and for exceptions {@code error}, {@code stacktrace}.
 *
 * <p>Source: RabbitMQ, "Logging", section "JSON Logging".
 */
final class JsonLayout extends LayoutBase<ILoggingEvent> {
  /** RabbitMQ's {@code rfc3339_space}, its default for JSON. */
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSSSSSxxx").withZone(ZoneOffset.UTC);

  @Override
  public String doLayout(ILoggingEvent event) {
    Instant instant = event.getInstant();
    Map<String, Object> line =
        Json.object(
            "time",
            TIME.format(instant == null ? Instant.ofEpochMilli(event.getTimeStamp()) : instant),
            "level",
            TextLayout.level(event),
            "msg",
            TextLayout.cut(event.getFormattedMessage()),
            "domain",
            "rabbitmq." + LogCategory.ofLogger(event.getLoggerName()).wireName(),
            "logger",
            event.getLoggerName(),
            "pid",
            event.getThreadName(),
            "node",
            NodeName.value());
    IThrowableProxy thrown = event.getThrowableProxy();
    if (thrown != null) {
      line.put("error", thrown.getClassName());
      line.put("stacktrace", ThrowableProxyUtil.asString(thrown));
    }
    // Outside of strings there is nothing to escape.
    String json = JsonWriter.text(line);
    StringBuilder text = new StringBuilder(json.length() + 1);
    Invisible.escape(json, text);
    return text.append('\n').toString();
  }
}
