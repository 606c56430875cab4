package io.mayflymq.server.logging;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import io.mayflymq.server.json.JsonReader;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonLayoutTest {
  private static Map<?, ?> parsed(String logger, Throwable thrown) throws Exception {
    LoggingEvent event =
        new LoggingEvent(
            "",
            new LoggerContext().getLogger(logger),
            Level.WARN,
            "a {}",
            thrown,
            new Object[] {"\"q\"\nx"});
    event.setTimeStamp(Instant.parse("2026-11-21T07:47:57.123Z").toEpochMilli());
    event.setThreadName("loop-1");
    String line = new JsonLayout().doLayout(event);
    assertThat(line).endsWith("}\n");
    assertThat(line.strip()).doesNotContain("\n");
    return (Map<?, ?>) JsonReader.DEFAULT.read(line);
  }

  @Test
  void lineHasTheKeysOfRabbitMq() throws Exception {
    Map<?, ?> line = parsed("io.mayflymq.server.connection.ConnectionLog", null);
    assertThat(line.get("time")).isEqualTo("2026-11-21 07:47:57.123000+00:00");
    assertThat(line.get("level")).isEqualTo("warning");
    assertThat(line.get("msg")).isEqualTo("a \"q\"\nx");
    assertThat(line.get("domain")).isEqualTo("rabbitmq.connection");
    assertThat(line.get("pid")).isEqualTo("loop-1");
    assertThat(line.containsKey("error")).isFalse();
  }

  @Test
  void whatEndsALineOrTurnsTheTextAroundIsEscaped() throws Exception {
    String name = "a\u2028b\u2029c\u0085d\u202ee\u2066f\ud83d\ude00\udb40\udc41\u00e4";
    LoggingEvent event =
        new LoggingEvent(
            "",
            new LoggerContext().getLogger("x"),
            Level.WARN,
            name,
            new IllegalStateException(name),
            null);
    String line = new JsonLayout().doLayout(event);
    assertThat(line)
        .contains("a\\u2028b\\u2029c\\u0085d\\u202ee\\u2066f\ud83d\ude00\\udb40\\udc41\u00e4")
        .doesNotContain("\u2028", "\u2029", "\u0085", "\u202e", "\u2066");
    assertThat(((Map<?, ?>) JsonReader.DEFAULT.read(line)).get("msg")).isEqualTo(name);
  }

  @Test
  void exceptionIsInTheSameLine() throws Exception {
    Map<?, ?> line = parsed("audit", new IllegalStateException("boom"));
    assertThat(line.get("error")).isEqualTo("java.lang.IllegalStateException");
    assertThat((String) line.get("stacktrace")).contains("boom", "JsonLayoutTest");
    assertThat(line.get("domain")).isEqualTo("rabbitmq.audit");
  }
}
