package io.mayflymq.server.management.cluster;

import io.mayflymq.core.metrics.ShardQuery;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueSnapshot;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.management.api.Listing;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import io.mayflymq.server.management.json.History;
import io.mayflymq.server.management.json.QueueFields;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * What queues have, wherever they are.
 *
 * <p>Every node knows which queues there are and where they are, so a node is only asked for the
 * queues that a list shows: by name, many at a time, one request at a time for each node. To sort
 * all queues by a field, only that field is asked for.
 */
public final class QueueRows {
  private static final String ROWS = "queue-rows";
  private static final String SORT_KEY = "key_of";

  /** Names in one question: a body of JSON has limits. */
  private static final int MOST_NAMES = 5_000;

  private final AllNodes nodes;
  private final Function<List<Queue>, List<QueueSnapshot>> snapshots;
  private final Function<String, VirtualHost> vhosts;
  private final Consumer<CompletableFuture<?>> wait;
  private final QueueNumbers numbers;

  /**
   * @param snapshots gives what queues of this node have now, without those that are deleted
   * @param vhosts finds a virtual host by its name; null if there is none
   * @param wait waits for shards
   */
  public QueueRows(
      AllNodes nodes,
      Function<List<Queue>, List<QueueSnapshot>> snapshots,
      Function<String, VirtualHost> vhosts,
      Consumer<CompletableFuture<?>> wait) {
    this.nodes = nodes;
    this.snapshots = snapshots;
    this.vhosts = vhosts;
    this.wait = wait;
    this.numbers = new QueueNumbers(System::nanoTime, wait);
  }

  /** Adds what answers other nodes. */
  public void addTo(RequestRouter questions) {
    questions.post(ROWS, this::answer);
  }

  /** Returns the rows of queues in their order, without those that are deleted. */
  public List<QueueRow> of(List<Queue> queues, Request request) {
    QueueForm form = QueueForm.of(request);
    History history = History.of(request);
    Map<Queue, QueueRow> rows = new HashMap<>();
    here(queues)
        .forEach(
            snapshot -> rows.put(snapshot.queue(), new QueueRow.Here(snapshot, form, history)));
    told(queues, request, Map.of())
        .forEach(
            (queue, text) -> {
              if (text == null) {
                rows.put(queue, new QueueRow.Down(queue));
              } else if (!text.equals("null")) {
                rows.put(queue, new QueueRow.There(queue, text));
              }
            });
    List<QueueRow> inOrder = new ArrayList<>(queues.size());
    for (Queue queue : queues) {
      QueueRow row = rows.get(queue);
      if (row != null) {
        inOrder.add(row);
      }
    }
    return inOrder;
  }

  /** Returns a field of each queue, in their order; null where it is not known. */
  public List<Object> keys(List<Queue> queues, String field, Request request) {
    Object[] keys = new Object[queues.size()];
    List<Integer> here = new ArrayList<>(queues.size());
    List<Integer> elsewhere = new ArrayList<>();
    for (int i = 0; i < keys.length; i++) {
      (queues.get(i).isHere() ? here : elsewhere).add(i);
    }
    keysHere(queues, here, field, keys);
    if (!elsewhere.isEmpty()) {
      Map<Queue, String> told = told(queues, request, Map.of(SORT_KEY, field));
      for (int i : elsewhere) {
        String text = told.get(queues.get(i));
        keys[i] = text == null ? null : RowTexts.read(text);
      }
    }
    return Arrays.asList(keys);
  }

  /** Reads no more of the queues of this node than the field needs. */
  private void keysHere(List<Queue> queues, List<Integer> here, String field, Object[] keys) {
    QueueFields.SortKey key = QueueFields.sortKey(field);
    if (!key.needsShard()) {
      here.forEach(i -> keys[i] = key.of(queues.get(i)));
      return;
    }
    if (key.isNumber()) {
      numbers.tell(queues, here, field, keys);
      return;
    }
    wait.accept(
        ShardQuery.collect(
            here,
            i -> queues.get(i).shard(),
            i -> {
              keys[i] = key.onShard(queues.get(i));
              return null;
            }));
  }

  private List<QueueSnapshot> here(List<Queue> queues) {
    return snapshots.apply(queues.stream().filter(Queue::isHere).toList());
  }

  /**
   * Returns what other nodes tell of their queues: for each the text of its row, of {@code null} if
   * it is deleted, and null if its node does not answer.
   */
  private Map<Queue, String> told(
      List<Queue> queues, Request request, Map<String, Object> particulars) {
    Map<String, List<Queue>> byNode = new HashMap<>();
    Map<Queue, String> told = new HashMap<>();
    for (Queue queue : queues) {
      if (!queue.isHere()) {
        byNode.computeIfAbsent(queue.home().node(), node -> new ArrayList<>()).add(queue);
        told.put(queue, null);
      }
    }
    List<String> asked = nodes.reachable().stream().filter(byNode::containsKey).toList();
    AllNodes.ofEach(
            asked,
            node -> {
              List<Queue> there = byNode.get(node);
              List<String> texts = new ArrayList<>(there.size());
              // What has arrived until a node fails is shown.
              return ask(node, request, particulars, there, texts)
                  .handle(
                      (done, failure) -> {
                        if (failure != null) {
                          AllNodes.leaveOut(node, failure);
                        }
                        return texts;
                      });
            })
        .forEach(
            (node, texts) -> {
              List<Queue> there = byNode.get(node);
              for (int i = 0; i < texts.size(); i++) {
                told.put(there.get(i), texts.get(i));
              }
            });
    return told;
  }

  private CompletableFuture<Void> ask(
      String node,
      Request request,
      Map<String, Object> particulars,
      List<Queue> queues,
      List<String> texts) {
    int from = texts.size();
    if (from == queues.size()) {
      return CompletableFuture.completedFuture(null);
    }
    List<List<String>> names =
        queues.subList(from, Math.min(queues.size(), from + MOST_NAMES)).stream()
            .map(queue -> List.of(queue.vhost().name(), queue.name()))
            .toList();
    Map<String, Object> body = Json.object("queues", names);
    body.putAll(particulars);
    return nodes
        .ask(node, NodeQuestion.about(request, ROWS, body), AllNodes.MILLIS)
        .thenCompose(
            answer -> {
              if (!(answer.get("rows") instanceof List<?> rows)
                  || rows.isEmpty()
                  || rows.size() > names.size()) {
                throw new IllegalStateException("no rows for " + names.size() + " queues");
              }
              rows.forEach(row -> texts.add(row.toString()));
              return ask(node, request, particulars, queues, texts);
            });
  }

  /** Answers another node; a queue that is not here has null as its row. */
  private Response answer(Request request) {
    Map<?, ?> body = request.body().fields().object();
    List<Queue> queues = new ArrayList<>();
    for (Object each : (List<?>) body.get("queues")) {
      List<?> name = (List<?>) each;
      queues.add(find(name.get(0).toString(), name.get(1).toString()));
    }
    Map<Queue, QueueSnapshot> found = new HashMap<>();
    here(queues.stream().filter(queue -> queue != null).toList())
        .forEach(snapshot -> found.put(snapshot.queue(), snapshot));
    Object field = body.get(SORT_KEY);
    QueueForm form = QueueForm.of(request);
    History history = History.of(request);
    return Response.ok(
        Json.object(
            "rows",
            RowTexts.of(
                Listing.lazy(
                    queues,
                    queue -> {
                      QueueSnapshot snapshot = found.get(queue);
                      if (snapshot == null) {
                        return null;
                      }
                      QueueRow.Here row = new QueueRow.Here(snapshot, form, history);
                      return field == null
                          ? ListColumns.of(request, row.object())
                          : row.key(field.toString());
                    }))));
  }

  private Queue find(String vhost, String name) {
    VirtualHost found = vhosts.apply(vhost);
    return found == null ? null : found.routing().queue(name);
  }
}
