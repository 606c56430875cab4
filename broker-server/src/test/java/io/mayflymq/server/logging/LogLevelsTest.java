package io.mayflymq.server.logging;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import io.mayflymq.server.config.LogCategory;
import io.mayflymq.server.config.LogLevel;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LogLevelsTest {
  private static final String CONNECTION = "io.mayflymq.server.connection.ConnectionLog";
  private static final String OTHER = "io.mayflymq.server.alarm.Alarms";

  private final LoggerContext context = new LoggerContext();
  private final LogLevels levels = new LogLevels(context, LogLevelsTest.class);

  private boolean isLogged(String output, String logger, Level level) {
    return context.getLogger(logger).isEnabledFor(level) && levels.shows(output, logger, level);
  }

  @Test
  void eachOutputHasItsOwnLevel() {
    levels.set("console", LogLevel.WARNING);
    levels.set("file", LogLevel.DEBUG);
    assertThat(isLogged("console", OTHER, Level.INFO)).isFalse();
    assertThat(isLogged("console", OTHER, Level.WARN)).isTrue();
    assertThat(isLogged("file", OTHER, Level.DEBUG)).isTrue();
  }

  @Test
  void levelOfACategoryReplacesThoseOfTheOutputs() {
    levels.set("console", LogLevel.INFO);
    levels.set(Map.of(LogCategory.CONNECTION, LogLevel.DEBUG, LogCategory.AUDIT, LogLevel.NONE));
    assertThat(isLogged("console", CONNECTION, Level.DEBUG)).isTrue();
    assertThat(isLogged("console", OTHER, Level.DEBUG)).isFalse();
    assertThat(isLogged("console", OTHER, Level.INFO)).isTrue();
    assertThat(isLogged("console", "audit", Level.ERROR)).isFalse();
  }

  @Test
  void defaultCategoryIsForLinesOfNoOtherOne() {
    levels.set("console", LogLevel.INFO);
    levels.set(LogCategory.DEFAULT, LogLevel.ERROR);
    levels.set(LogCategory.CONNECTION, LogLevel.INFO);
    assertThat(isLogged("console", OTHER, Level.WARN)).isFalse();
    assertThat(isLogged("console", CONNECTION, Level.INFO)).isTrue();
  }

  @Test
  void levelForEverythingReplacesThoseOfCategories() {
    levels.set("console", LogLevel.INFO);
    levels.set(LogCategory.CONNECTION, LogLevel.NONE);
    levels.setAll(LogLevel.DEBUG);
    assertThat(isLogged("console", CONNECTION, Level.DEBUG)).isTrue();
    assertThat(isLogged("console", OTHER, Level.DEBUG)).isTrue();
  }

  @Test
  void linesThatAreAContractWithScriptsShowAtEveryLevel() {
    levels.set("console", LogLevel.NONE);
    assertThat(isLogged("console", LogLevelsTest.class.getName(), Level.INFO)).isTrue();
    assertThat(isLogged("console", OTHER, Level.ERROR)).isFalse();
  }

  @Test
  void loggersBelongToCategoriesByWholePartsOfTheirNames() {
    assertThat(LogCategory.ofLogger(CONNECTION)).isEqualTo(LogCategory.CONNECTION);
    assertThat(LogCategory.ofLogger("io.mayflymq.core.queue")).isEqualTo(LogCategory.QUEUE);
    assertThat(LogCategory.ofLogger("io.mayflymq.core.queues.X")).isEqualTo(LogCategory.DEFAULT);
    assertThat(LogCategory.ofLogger("auditor")).isEqualTo(LogCategory.DEFAULT);
  }

  @Test
  void stepsOfTheConsensusAreLoggedAtLevelDebugOnly() {
    String ratis = "org.apache.ratis.server.RaftServer";
    levels.set("console", LogLevel.INFO);
    assertThat(isLogged("console", ratis, Level.ERROR)).isFalse();
    levels.set("console", LogLevel.DEBUG);
    assertThat(isLogged("console", ratis, Level.INFO)).isTrue();
  }
}
