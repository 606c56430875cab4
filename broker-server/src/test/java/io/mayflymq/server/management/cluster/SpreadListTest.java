package io.mayflymq.server.management.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.server.json.Json;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Body;
import io.mayflymq.server.management.api.Principal;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests lists of things of which each node has its own. */
class SpreadListTest {
  private record Thing(String name, int size) {}

  private final Map<String, List<Thing>> things = new LinkedHashMap<>();
  private final Map<String, RequestRouter> handlers = new LinkedHashMap<>();
  private final List<NodeQuestion> asked = new ArrayList<>();
  private final List<String> failing = new ArrayList<>();
  private long answered;

  /** The nodes that {@code a} can ask; what they say goes through the form that it is sent in. */
  private final class Others implements NodeQuestions {
    @Override
    public List<String> reachable() {
      return things.keySet().stream().filter(name -> !name.equals("a")).toList();
    }

    @Override
    public CompletableFuture<NodeAnswer> ask(String node, NodeQuestion question, long millis) {
      asked.add(question);
      if (failing.contains(node)) {
        return CompletableFuture.failedFuture(new IllegalStateException("does not answer"));
      }
      NodeQuestion received = NodeQuestion.decode(question.encode());
      var found =
          (RequestRouter.Found.Handled) handlers.get(node).find(received.method(), received.path());
      byte[] answer =
          NodeAnswer.encode(found.handler().handle(received.request(found.parameters())));
      answered += answer.length;
      return CompletableFuture.completedFuture(NodeAnswer.decode(answer));
    }
  }

  private SpreadList<Thing> node(String name, Thing... has) {
    things.put(name, List.of(has));
    SpreadList<Thing> list =
        new SpreadList<>(
            new ListKind<>(
                "things",
                request -> things.get(name),
                Thing::name,
                Thing::name,
                Thing::name,
                thing -> Json.object("name", thing.name, "size", thing.size, "node", name)),
            new AllNodes(name.equals("a") ? new Others() : NodeQuestions.NONE));
    RequestRouter handler = new RequestRouter();
    list.addTo(handler);
    handlers.put(name, handler);
    return list;
  }

  private static Request request(String... query) {
    Map<String, String> parameters = new TreeMap<>();
    for (int i = 0; i < query.length; i += 2) {
      parameters.put(query[i], query[i + 1]);
    }
    return new Request(
        "GET",
        List.of("things"),
        Map.of(),
        parameters,
        Map.of(),
        true,
        Body.EMPTY,
        new Principal("u", List.of("administrator"), false));
  }

  private static List<Object> names(Object items) {
    return values(items, "name");
  }

  private static List<Object> values(Object items, String field) {
    return ((List<?>) items).stream().<Object>map(item -> ((Map<?, ?>) item).get(field)).toList();
  }

  private static Map<?, ?> page(Response response) {
    return (Map<?, ?>) response.body();
  }

  @Test
  void mergesWhatAllNodesHave() {
    SpreadList<Thing> list = node("a", new Thing("1", 10), new Thing("4", 40));
    node("b", new Thing("2", 5));
    node("c", new Thing("3", 50), new Thing("5", 1));

    assertThat(names(list.answer(request()).body())).containsExactly("1", "2", "3", "4", "5");
    assertThat(names(list.answer(request("sort", "size")).body()))
        .containsExactly("5", "2", "1", "4", "3");
    assertThat(names(list.answer(request("sort", "size", "sort_reverse", "true")).body()))
        .containsExactly("3", "4", "1", "2", "5");
    assertThat(names(list.answer(request("sort_reverse", "true")).body()))
        .containsExactly("5", "4", "3", "2", "1");
    assertThat(values(list.answer(request("columns", "node")).body(), "node"))
        .containsExactly("a", "b", "c", "a", "c");
  }

  @Test
  void asksEachNodeOnlyForWhatMayBeOnThePage() {
    Thing[] many =
        IntStream.range(0, 1_000)
            .mapToObj(i -> new Thing("b%04d".formatted(i), i))
            .toArray(Thing[]::new);
    SpreadList<Thing> list = node("a", new Thing("b0002x", -1));
    node("b", many);
    Map<?, ?> page = page(list.answer(request("page", "2", "page_size", "3")));
    assertThat(names(page.get("items"))).containsExactly("b0002x", "b0003", "b0004");
    assertThat(page.get("total_count")).isEqualTo(1_001);
    assertThat(page.get("page_count")).isEqualTo(334);
    assertThat(answered).isLessThan(1_000);

    Map<?, ?> filtered = page(list.answer(request("page", "1", "page_size", "2", "name", "7")));
    assertThat(names(filtered.get("items"))).containsExactly("b0007", "b0017");
    assertThat(filtered.get("filtered_count")).isEqualTo(271);
    assertThat(filtered.get("total_count")).isEqualTo(1_001);

    assertThatThrownBy(() -> list.answer(request("page", "400", "page_size", "3")))
        .isInstanceOf(ApiException.class)
        .hasMessageContaining("Page out of range");
  }

  @Test
  void listOfTheFirstByPlaceIsSortedByAnything() {
    SpreadList<Thing> list = node("a", new Thing("1", 10), new Thing("4", 40));
    node("b", new Thing("2", 50), new Thing("3", 5));
    assertThat(names(list.answer(request(), 2).body())).containsExactly("1", "2");
    assertThat(names(list.answer(request("sort", "size"), 3).body()))
        .containsExactly("3", "1", "2");
    Map<?, ?> page = page(list.answer(request("sort", "size", "page", "2", "page_size", "2"), 3));
    assertThat(names(page.get("items"))).containsExactly("2");
    assertThat(page.get("total_count")).isEqualTo(3);
    assertThat(names(list.answer(request(), 0).body())).isEmpty();
  }

  @Test
  void listIsThereWithoutANodeThatDoesNotAnswer() {
    SpreadList<Thing> list = node("a", new Thing("1", 10));
    node("b", new Thing("2", 5));
    node("c", new Thing("3", 5));
    failing.add("b");
    assertThat(names(list.answer(request()).body())).containsExactly("1", "3");
    Map<?, ?> page = page(list.answer(request("page", "1")));
    assertThat(names(page.get("items"))).containsExactly("1", "3");
    assertThat(page.get("total_count")).isEqualTo(2);
  }

  @Test
  void asksForLongListsInParts() {
    SpreadList<Thing> list = node("a");
    Thing[] many =
        IntStream.range(0, 45_000)
            .mapToObj(i -> new Thing("%06d".formatted(i), i))
            .toArray(Thing[]::new);
    node("b", many);
    List<?> all = (List<?>) list.answer(request("sort", "size")).body();
    assertThat(all).hasSize(45_000);
    assertThat(names(all.subList(20_000, 20_001))).containsExactly("020000");
    assertThat(asked).hasSize(3 + 9);
  }

  @Test
  void aloneItIsTheListOfThisNode() {
    SpreadList<Thing> list = node("a", new Thing("1", 10));
    assertThat(names(list.answer(request()).body())).containsExactly("1");
    assertThat(asked).isEmpty();
  }

  @Test
  void questionKeepsWhoAsksAndWhat() {
    NodeQuestion question =
        new NodeQuestion(
            "DELETE",
            List.of("connections", "a/b -> c"),
            Map.of("connection", "a/b -> c"),
            Map.of("x", "y"),
            Map.of("x-reason", "maintenance"),
            Json.object("n", 1L),
            new Principal("müller", List.of("monitoring"), false));
    assertThat(NodeQuestion.decode(question.encode())).isEqualTo(question);
    assertThat(question.request(Map.of("k", "v")).parameters())
        .isEqualTo(Map.of("connection", "a/b -> c", "k", "v"));
    assertThatThrownBy(() -> NodeQuestion.decode("[]".getBytes(StandardCharsets.UTF_8)))
        .hasMessageContaining("is not an object");
    assertThatThrownBy(() -> NodeQuestion.decode("{}".getBytes(StandardCharsets.UTF_8)))
        .hasMessageContaining("has no text 'method'");
  }
}
