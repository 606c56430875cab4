package io.mayflymq.protocol.method;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Each method is in one of the tables about what methods need. {@code PermissionsIT} checks that
 * the tables are true.
 */
class RightsPageTest {
  private static final Path PAGE = Path.of("..", "docs", "rights-amqp.md");
  private static final Pattern HEADING = Pattern.compile("## (.+)");
  private static final Pattern ROW = Pattern.compile("\\| `([a-z-]+\\.[a-z-]+)` \\|.*");

  @Test
  void everyMethodIsInOneTable() throws IOException {
    TreeMap<String, Set<String>> tables = new TreeMap<>();
    String heading = null;
    for (String line : Files.readAllLines(PAGE)) {
      if (HEADING.matcher(line).matches()) {
        heading = line;
      }
      var row = ROW.matcher(line);
      if (row.matches()) {
        tables.computeIfAbsent(row.group(1), any -> new TreeSet<>()).add(heading);
      }
    }
    assertThat(tables.keySet()).isEqualTo(methods());
    assertThat(tables.values()).allSatisfy(places -> assertThat(places).hasSize(1));
  }

  private static Set<String> methods() {
    return Arrays.stream(Method.class.getPermittedSubclasses())
        .flatMap(amqpClass -> Arrays.stream(amqpClass.getPermittedSubclasses()))
        .map(RightsPageTest::name)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static String name(Class<?> method) {
    try {
      return MethodNames.of(
          method.getDeclaringClass().getField("CLASS_ID").getInt(null),
          method.getField("METHOD_ID").getInt(null));
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(method + " has no number", e);
    }
  }
}
