package io.mayflymq.server.management.cluster;

import io.mayflymq.server.json.Json;
import io.mayflymq.server.management.api.Listing;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Things that all nodes have, such as exchanges, with the sums of what the nodes have counted of
 * them. A node that does not answer in time is left out of the sums.
 */
public final class NodeSums<T> {
  private static final String COUNTS = "-counts";

  /** Things in one question, so that its answer has some hundred KiB at most. */
  private static final int MOST_THINGS = 500;

  private final Kind<T> kind;
  private final AllNodes nodes;

  /**
   * What things are counted.
   *
   * @param name of the kind
   * @param id names a thing on all nodes
   * @param named the name that requests filter by
   * @param here returns the objects of things, with what this node has counted, in their order
   * @param counted returns what this node has counted of the things with these ids, by id; of those
   *     that the user may see
   */
  public record Kind<T>(
      String name,
      Function<T, String> id,
      Function<T, String> named,
      Here<T> here,
      Counted counted) {}

  /** Makes the objects of things. */
  public interface Here<T> {
    List<Map<String, Object>> objects(Request request, List<T> things);
  }

  /** Makes the parts of objects that are summed up. */
  public interface Counted {
    Map<String, Map<String, Object>> of(Request request, List<String> ids);
  }

  public NodeSums(Kind<T> kind, AllNodes nodes) {
    this.kind = kind;
    this.nodes = nodes;
  }

  /** Adds what answers other nodes. */
  public void addTo(RequestRouter questions) {
    questions.post(
        kind.name() + COUNTS,
        request -> {
          List<String> ids =
              Json.texts(request.body().fields().require("ids").get("ids")).orElse(List.of());
          return Response.ok(Json.object("counts", kind.counted().of(request, ids)));
        });
  }

  /**
   * Returns the list of these things, or the page of it that the request specifies. Only the counts
   * of the page are asked for, if the request does not sort.
   *
   * @param things in their default order
   * @throws io.mayflymq.server.management.api.ApiException 400 if the page is invalid or does not
   *     exist
   */
  public Response answer(Request request, List<T> things) {
    boolean sorts = request.query("sort") != null || request.flag("sort_reverse");
    if (request.query("page") != null && !sorts) {
      return Listing.pageOf(request, things, kind.named(), page -> objects(request, page));
    }
    List<Map<String, Object>> objects = objects(request, things);
    return Listing.of(
            IntStream.range(0, things.size()).boxed().toList(),
            place -> kind.named().apply(things.get(place)),
            objects::get)
        .answer(request);
  }

  /** Returns the objects of things, in their order. */
  public List<Map<String, Object>> objects(Request request, List<T> things) {
    List<Map<String, Object>> here = kind.here().objects(request, things);
    if (nodes.isAlone()) {
      return here;
    }
    List<Map<String, Object>> sums = new ArrayList<>(here.size());
    for (int from = 0; from < things.size(); from += MOST_THINGS) {
      int to = Math.min(things.size(), from + MOST_THINGS);
      List<String> ids = things.subList(from, to).stream().map(kind.id()).toList();
      List<Map<String, Object>> others = othersCounts(request, ids);
      for (int i = from; i < to; i++) {
        String id = ids.get(i - from);
        sums.add(
            JsonSums.of(
                here.get(i),
                others.stream()
                    .map(counts -> counts.get(id))
                    .filter(Map.class::isInstance)
                    .map(counts -> Json.asObject((Map<?, ?>) counts))
                    .toList()));
      }
    }
    return sums;
  }

  private List<Map<String, Object>> othersCounts(Request request, List<String> ids) {
    NodeQuestion question =
        NodeQuestion.about(request, kind.name() + COUNTS, Json.object("ids", ids));
    return nodes.objects(question).values().stream()
        .map(answer -> answer.get("counts"))
        .filter(Map.class::isInstance)
        .map(counts -> Json.asObject((Map<?, ?>) counts))
        .toList();
  }
}
