package io.mayflymq.server.management.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.server.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ListingTest {
  private final List<Integer> turned = new ArrayList<>();

  private Listing<Integer> listing() {
    return Listing.of(
        IntStream.range(0, 10).boxed().toList(),
        number -> "q" + number,
        number -> {
          turned.add(number);
          return Json.object(
              "name",
              "q" + number,
              "size",
              (number * 7) % 10,
              "stats",
              Json.object("rate", number / 2.0, "text", "t" + number));
        });
  }

  private Object list(String query) {
    return list(listing(), query);
  }

  private static Object list(Listing<Integer> listing, String query) {
    return listing
        .answer(
            new Request(
                "GET",
                List.of("queues"),
                Map.of(),
                Request.parseQuery(query),
                Map.of(),
                false,
                new Body(new byte[0]),
                Principal.CONTROL))
        .body();
  }

  private static List<Object> names(Object list) {
    List<Object> names = new ArrayList<>();
    ((List<?>) list).forEach(object -> names.add(((Map<?, ?>) object).get("name")));
    return names;
  }

  private static Map<?, ?> page(Object answer) {
    return (Map<?, ?>) answer;
  }

  @Test
  void listWithoutAPageIgnoresTheNameFilter() {
    assertThat(names(list("name=q1"))).hasSize(10).startsWith("q0", "q1");
  }

  @Test
  void pagingConvertsOnlyTheItemsOfThePage() {
    Map<?, ?> page = page(list("page=2&page_size=3"));
    assertThat(names(page.get("items"))).containsExactly("q3", "q4", "q5");
    assertThat(turned).containsExactly(3, 4, 5);
    assertThat(page.get("page_count")).isEqualTo(4);
    assertThat(page.get("total_count")).isEqualTo(10);
  }

  @Test
  void listIsSortedByAnyField() {
    assertThat(names(list("sort=size"))).startsWith("q0", "q3", "q6");
    assertThat(names(list("sort=size&sort_reverse=true"))).startsWith("q7", "q4");
    assertThat(names(list("sort=stats.rate&sort_reverse=true"))).startsWith("q9", "q8");
    assertThat(names(list("sort=stats.text"))).startsWith("q0", "q1");
    assertThat(names(list("sort_reverse=true"))).startsWith("q9", "q8");
    assertThat(names(list("sort=nope"))).startsWith("q0", "q1");
  }

  @Test
  void aFieldWithAShortcutIsSortedByItAndConvertsOnlyTheItemsOfThePage() {
    Listing<Integer> listing = listing().sortedBy((number, field) -> (number * 7) % 10);
    assertThat(names(page(list(listing, "page=1&page_size=2&sort=size")).get("items")))
        .containsExactly("q0", "q3");
    assertThat(turned).containsExactly(0, 3);
  }

  @Test
  void pageIsFilteredByNameOrRegularExpression() {
    assertThat(names(page(list("page=1&name=Q3")).get("items"))).containsExactly("q3");
    assertThat(names(page(list("page=1&use_regex=true&name=%5Eq%5B12%5D")).get("items")))
        .containsExactly("q1", "q2");
    assertThat(page(list("page=1&name=none")).get("page_count")).isEqualTo(0);
  }

  @Test
  void listHasOnlyTheRequestedColumns() {
    assertThat(((List<?>) list("columns=name,stats.rate,nope")).get(4))
        .isEqualTo(Map.of("name", "q4", "stats", Map.of("rate", 2.0)));
    assertThat(((List<?>) list("columns=stats.rate,stats.text")).get(2))
        .isEqualTo(Map.of("stats", Map.of("rate", 1.0, "text", "t2")));
    assertThat(((List<?>) list("columns=nope")).get(0)).isEqualTo(List.of());
  }

  @Test
  void invalidPagesAreRefused() {
    for (String query :
        List.of(
            "page=0",
            "page=11&page_size=1",
            "page=1&page_size=501",
            "page=x",
            "page=-1",
            "page=1&page_size=0",
            "page=1&use_regex=true&name=%5B")) {
      assertThatThrownBy(() -> list(query))
          .as(query)
          .isInstanceOfSatisfying(
              ApiException.class, error -> assertThat(error.status()).isEqualTo(400));
    }
  }
}
