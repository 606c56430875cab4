package io.mayflymq.server.management.api;

import io.mayflymq.testing.ReferencePage;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The page about the HTTP API has the catalog of its operations. */
class OperationsPageTest {
  private static String table(String group, List<Operation> operations) {
    return operations.stream()
        .map(OperationsPageTest::row)
        .collect(
            Collectors.joining(
                "\n",
                "### %s\n\n| operation | | query | body |\n|---|---|---|---|\n".formatted(group),
                ""));
  }

  private static String row(Operation operation) {
    return "| `%s` | %s | %s | %s |"
        .formatted(
            operation.key(),
            operation.summary(),
            names(operation.query()),
            names(
                operation.fields().stream()
                    .map(field -> field.name() + (field.required() ? "!" : ""))
                    .toList()));
  }

  private static String names(List<String> names) {
    return names.stream().map(name -> "`" + name + "`").collect(Collectors.joining(", "));
  }

  @Test
  void pageHasEveryOperation() throws IOException {
    Map<String, List<Operation>> groups =
        OpenApi.catalog().stream()
            .collect(
                Collectors.groupingBy(Operation::group, LinkedHashMap::new, Collectors.toList()));
    new ReferencePage("docs/http-api.md")
        .check(
            "operations",
            groups.entrySet().stream()
                .map(group -> table(group.getKey(), group.getValue()))
                .collect(Collectors.joining("\n\n")));
  }
}
