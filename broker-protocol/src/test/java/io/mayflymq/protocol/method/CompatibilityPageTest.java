package io.mayflymq.protocol.method;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** Users find every method in the page about compatibility. */
class CompatibilityPageTest {
  private static final Path PAGE = Path.of("..", "docs", "compatibility.md");

  /** As {@code basic.get-ok} for {@code BasicMethod.GetOk}. */
  private static String name(Class<?> method) {
    String of = method.getDeclaringClass().getSimpleName().replace("Method", "");
    String words = method.getSimpleName().replaceAll("(?<=.)([A-Z])", "-$1");
    return (of + "." + words).toLowerCase(Locale.ROOT);
  }

  @Test
  void everyMethodOfTheSpecificationExists() throws IOException {
    List<String> methods =
        Arrays.stream(Method.class.getPermittedSubclasses())
            .flatMap(amqpClass -> Arrays.stream(amqpClass.getPermittedSubclasses()))
            .map(CompatibilityPageTest::name)
            .toList();
    assertThat(methods).contains("connection.update-secret-ok", "basic.get-empty").hasSize(66);
    String page = Files.readString(PAGE);
    assertThat(methods).allSatisfy(method -> assertThat(page).contains("`" + method + "`"));
  }
}
