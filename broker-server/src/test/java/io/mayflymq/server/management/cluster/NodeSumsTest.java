package io.mayflymq.server.management.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.server.json.Json;
import io.mayflymq.server.management.api.Body;
import io.mayflymq.server.management.api.Principal;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests sums of what nodes have counted of things that all of them have. */
class NodeSumsTest {
  private final Map<String, RequestRouter> handlers = new LinkedHashMap<>();
  private final List<Integer> asked = new ArrayList<>();
  private boolean failing;

  private final class Others implements NodeQuestions {
    @Override
    public List<String> reachable() {
      return List.copyOf(handlers.keySet());
    }

    @Override
    public CompletableFuture<NodeAnswer> ask(String node, NodeQuestion question, long millis) {
      if (failing) {
        return CompletableFuture.failedFuture(new IllegalStateException("does not answer"));
      }
      NodeQuestion received = NodeQuestion.decode(question.encode());
      var found =
          (RequestRouter.Found.Handled) handlers.get(node).find(received.method(), received.path());
      return CompletableFuture.completedFuture(
          NodeAnswer.decode(
              NodeAnswer.encode(found.handler().handle(received.request(found.parameters())))));
    }
  }

  /** Things of a node, which has counted the same number of each. */
  private NodeSums<String> counts(NodeQuestions others, int count) {
    return new NodeSums<>(
        new NodeSums.Kind<>(
            "things",
            thing -> thing,
            thing -> thing,
            (request, things) ->
                things.stream()
                    .map(thing -> Json.object("name", thing, "count", count, "limit", 7))
                    .toList(),
            (request, ids) -> {
              asked.add(ids.size());
              return ids.stream()
                  .filter(id -> !id.equals("unknown"))
                  .collect(Collectors.toMap(id -> id, id -> Json.object("count", count)));
            }),
        new AllNodes(others));
  }

  private void node(String name, int count) {
    RequestRouter questions = new RequestRouter();
    counts(NodeQuestions.NONE, count).addTo(questions);
    handlers.put(name, questions);
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

  @Test
  void addsUpWhatNodesHaveCounted() {
    node("b", 10);
    node("c", 100);
    List<Map<String, Object>> objects =
        counts(new Others(), 1).objects(request(), List.of("x", "unknown"));
    assertThat(objects).extracting(object -> object.get("count")).containsExactly(111L, 1);
    assertThat(objects).extracting(object -> object.get("limit")).containsOnly(7);
  }

  @Test
  void asksInPartsAndForThePageOnly() {
    node("b", 10);
    List<String> things = IntStream.range(0, 1_200).mapToObj(i -> "t%04d".formatted(i)).toList();
    NodeSums<String> counts = counts(new Others(), 1);
    assertThat((List<?>) counts.answer(request(), things).body()).hasSize(1_200);
    assertThat(asked).containsExactly(500, 500, 200);
    asked.clear();

    Map<?, ?> page =
        (Map<?, ?>) counts.answer(request("page", "2", "page_size", "10"), things).body();
    assertThat((List<?>) page.get("items")).hasSize(10);
    assertThat(page.get("total_count")).isEqualTo(1_200);
    assertThat(asked).containsExactly(10);
  }

  @Test
  void nodeThatDoesNotAnswerIsLeftOut() {
    node("b", 10);
    failing = true;
    assertThat(counts(new Others(), 1).objects(request(), List.of("x")).get(0))
        .containsEntry("count", 1);
  }
}
