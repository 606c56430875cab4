package io.mayflymq.server.management.cluster;

import io.mayflymq.server.json.Json;
import io.mayflymq.server.management.api.Listing;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A list of things of which each node has its own. Alone it is the list of this node.
 *
 * <p>The list of a cluster is made in two steps. First each node says what it has by keys in order:
 * of a page only as many as there may be on this page and the ones before it, so a page of a list
 * of a hundred thousand connections needs some hundred keys. Then the keys are merged and cut, and
 * each node is asked for the rows of its own. Both answers are limited in size and asked for in
 * several parts if they have to be.
 *
 * <p>Nothing is kept between requests. What is closed between the two steps is left out.
 */
public final class SpreadList<T> {
  private static final String KEYS = "-keys";
  private static final String ROWS = "-rows";

  /** Keys in one answer. */
  private static final int MOST_KEYS = 20_000;

  /** Rows in one question. */
  private static final int MOST_ROWS = 5_000;

  /** How long a node may take for a part of a list that is wanted as a whole. */
  private static final long WHOLE_MILLIS = 10_000;

  private final ListKind<T> kind;
  private final AllNodes nodes;

  public SpreadList(ListKind<T> kind, AllNodes nodes) {
    this.kind = kind;
    this.nodes = nodes;
  }

  /** Adds what answers other nodes. */
  public void addTo(RequestRouter questions) {
    questions.post(kind.name() + KEYS, request -> Response.ok(head(request).toJson()));
    questions.post(kind.name() + ROWS, request -> Response.ok(Json.object("rows", rows(request))));
  }

  /**
   * Returns the list, or the page of it that the request specifies.
   *
   * @throws io.mayflymq.server.management.api.ApiException 400 if the page is invalid or does not
   *     exist
   */
  public Response answer(Request request) {
    return answer(request, Long.MAX_VALUE);
  }

  /**
   * Returns the list of the first things by place, or a page of it, as {@link #answer(Request)}.
   *
   * @param most how many each node has at most, and the list too; whatever the request sorts by
   */
  public Response answer(Request request, long most) {
    if (nodes.isAlone()) {
      return listing(kind.here().apply(request)).answer(request);
    }
    Listing.Page page = Listing.pageIn(request);
    long limit = page == null || most < Long.MAX_VALUE ? Long.MAX_VALUE : page.end();
    long millis = page == null ? WHOLE_MILLIS : AllNodes.MILLIS;
    List<T> here = kind.here().apply(request);
    List<ListHead> heads = new ArrayList<>();
    heads.add(head(request, here, 0, limit));
    heads.addAll(nodes.ofEach(node -> head(node, request, limit, millis, ListHead.EMPTY)).values());
    ListHead all = ListHead.merge(heads, order(request)).firstByPlace(most);
    return page == null
        ? Response.ok(Listing.finish(request, objects(request, all.keys(), here, millis)))
        : Listing.pageOf(
            request,
            page,
            all.total(),
            all.filtered(),
            cut -> objects(request, cut.of(all.keys()), here, millis));
  }

  private Listing<T> listing(List<T> things) {
    return Listing.of(things, kind.named(), kind.object()).alsoNamed(kind.further());
  }

  private static Comparator<ListKey> order(Request request) {
    Comparator<ListKey> order = ListKey.order(request.flag("sort_reverse"));
    // Without a field, or by name, the values are equal or absent.
    return field(request) == null && request.flag("sort_reverse")
        ? Comparator.comparing(ListKey::place).reversed().thenComparing(ListKey::id)
        : order;
  }

  private static String field(Request request) {
    String field = request.query("sort");
    return field == null || field.isEmpty() || field.equals("name") ? null : field;
  }

  // Here

  /** Answers another node. */
  private ListHead head(Request request) {
    Map<?, ?> body = request.body().fields().object();
    long from = ((Number) body.get("from")).longValue();
    long limit = ((Number) body.get("limit")).longValue();
    return head(request, kind.here().apply(request), from, limit);
  }

  private ListHead head(Request request, List<T> things, long from, long limit) {
    List<T> filtered = Listing.filtered(request, things, kind.named(), kind.further());
    String field = field(request);
    Function<T, Object> value = field == null ? thing -> null : listing(filtered).key(field);
    List<ListKey> keys =
        filtered.stream()
            .map(
                thing ->
                    new ListKey(
                        "", kind.id().apply(thing), kind.place().apply(thing), value.apply(thing)))
            .sorted(order(request))
            .skip(from)
            .limit(limit)
            .toList();
    return new ListHead(things.size(), filtered.size(), keys);
  }

  private List<String> rows(Request request) {
    Map<String, T> byId = byId(kind.here().apply(request));
    List<?> ids = (List<?>) request.body().fields().require("ids").get("ids");
    return RowTexts.of(
        Listing.lazy(
            ids,
            id -> {
              T thing = byId.get(id.toString());
              return thing == null ? null : ListColumns.of(request, kind.object().apply(thing));
            }));
  }

  private Map<String, T> byId(List<T> things) {
    Map<String, T> byId = new HashMap<>();
    things.forEach(thing -> byId.put(kind.id().apply(thing), thing));
    return byId;
  }

  // Elsewhere

  private CompletableFuture<ListHead> head(
      String node, Request request, long limit, long millis, ListHead before) {
    int from = before.keys().size();
    Map<String, Object> body =
        Json.object("from", from, "limit", Math.min(MOST_KEYS, limit - from));
    return nodes
        .ask(node, NodeQuestion.about(request, kind.name() + KEYS, body), millis)
        .thenCompose(
            answer -> {
              ListHead next = ListHead.of(node, answer);
              ListHead all = before.then(next);
              boolean complete =
                  next.keys().isEmpty()
                      || all.keys().size() >= Math.min(limit, all.filtered())
                      || all.keys().size() == from;
              return complete
                  ? CompletableFuture.completedFuture(all)
                  : head(node, request, limit, millis, all);
            });
  }

  private List<Map<String, Object>> objects(
      Request request, List<ListKey> keys, List<T> here, long millis) {
    Map<String, List<String>> wanted =
        keys.stream()
            .filter(key -> !key.node().isEmpty())
            .collect(
                Collectors.groupingBy(
                    ListKey::node,
                    LinkedHashMap::new,
                    Collectors.mapping(ListKey::id, Collectors.toList())));
    Map<String, Map<String, String>> told =
        AllNodes.ofEach(
            List.copyOf(wanted.keySet()),
            node -> new RowsOfNode(node, request, wanted.get(node), millis).ask());
    Map<String, T> byId = byId(here);
    List<Map.Entry<ListKey, Object>> rows = new ArrayList<>(keys.size());
    for (ListKey key : keys) {
      Object row =
          key.node().isEmpty()
              ? byId.get(key.id())
              : told.getOrDefault(key.node(), Map.of()).get(key.id());
      if (row != null) {
        rows.add(Map.entry(key, row));
      }
    }
    return Listing.lazy(rows, this::object);
  }

  @SuppressWarnings("unchecked") // what this node has is a thing of this kind
  private Map<String, Object> object(Map.Entry<ListKey, Object> row) {
    if (row.getKey().node().isEmpty()) {
      return kind.object().apply((T) row.getValue());
    }
    return RowTexts.read(row.getValue().toString()) instanceof Map<?, ?> object
        ? Json.asObject(object)
        : Map.of();
  }

  /** The rows of another node, which are asked for part by part. */
  private final class RowsOfNode {
    private final String node;
    private final Request request;
    private final List<String> ids;
    private final long millis;
    private final Map<String, String> texts = new HashMap<>();

    RowsOfNode(String node, Request request, List<String> ids, long millis) {
      this.node = node;
      this.request = request;
      this.ids = ids;
      this.millis = millis;
    }

    /** Returns them by their ids; if the node fails, what has arrived until then. */
    CompletableFuture<Map<String, String>> ask() {
      return ask(0)
          .handle(
              (done, failure) -> {
                if (failure != null) {
                  AllNodes.leaveOut(node, failure);
                }
                return texts;
              });
    }

    private CompletableFuture<Void> ask(int from) {
      if (from == ids.size()) {
        return CompletableFuture.completedFuture(null);
      }
      List<String> part = ids.subList(from, Math.min(ids.size(), from + MOST_ROWS));
      return nodes
          .ask(
              node,
              NodeQuestion.about(request, kind.name() + ROWS, Json.object("ids", part)),
              millis)
          .thenCompose(
              answer -> {
                if (!(answer.get("rows") instanceof List<?> rows)
                    || rows.isEmpty()
                    || rows.size() > part.size()) {
                  throw new IllegalStateException("no rows for " + part.size() + " items");
                }
                for (int i = 0; i < rows.size(); i++) {
                  String text = rows.get(i).toString();
                  if (!text.equals("null")) {
                    texts.put(part.get(i), text);
                  }
                }
                return ask(from + rows.size());
              });
    }
  }
}
