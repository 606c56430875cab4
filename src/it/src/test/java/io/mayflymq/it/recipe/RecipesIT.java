package io.mayflymq.it.recipe;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.ConnectionFactory;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.Target;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;

/** Runs each program of {@code docs/recipes.md}, which prints what the page says. */
@BlackBox
@MayflyOnly("some recipes use retry delays and exact TTL")
class RecipesIT {
  private static final Path PAGE = Path.of("../../docs/recipes.md");
  private static final int RECIPES = 5;

  /** A program, the name of its file in the first line, and its output behind it. */
  private static final Pattern RECIPE =
      Pattern.compile("```java\n(// (\\w+)\\.java\n.*?)```\n\n```text\n(.*?)```", Pattern.DOTALL);

  @TempDir Path directory;

  /**
   * A recipe.
   *
   * @param name of its class
   * @param source the program
   * @param output what the page says that it prints
   */
  record Recipe(String name, String source, String output) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Recipe> recipes() throws IOException {
    Matcher matcher = RECIPE.matcher(Files.readString(PAGE));
    return matcher
        .results()
        .map(found -> new Recipe(found.group(2), found.group(1), found.group(3)))
        .toList()
        .stream();
  }

  @ParameterizedTest
  @MethodSource("recipes")
  void programPrintsWhatThePageSays(Recipe recipe, Target target) throws Exception {
    assertThat(recipes()).hasSize(RECIPES);
    Path source = directory.resolve(recipe.name() + ".java");
    Files.writeString(source, recipe.source());
    Path output = directory.resolve("output");
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            jarOf(ConnectionFactory.class) + File.pathSeparator + jarOf(LoggerFactory.class),
            source.toString());
    builder.environment().put("AMQP_URI", "amqp://127.0.0.1:" + target.port());
    Process process = builder.redirectErrorStream(true).redirectOutput(output.toFile()).start();
    try {
      assertThat(process.waitFor(2L * Patience.SECONDS, TimeUnit.SECONDS)).as("ended").isTrue();
    } finally {
      process.destroyForcibly();
    }
    String printed = Files.readString(output).replaceAll("(?m)^SLF4J.*\n", "");
    assertThat(printed).isEqualTo(recipe.output());
    assertThat(process.exitValue()).isZero();
  }

  private static String jarOf(Class<?> type) throws URISyntaxException {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
  }
}
