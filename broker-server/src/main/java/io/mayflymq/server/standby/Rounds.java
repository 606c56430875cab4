package io.mayflymq.server.standby;

import io.mayflymq.server.definitions.BrokerDefinitions;
import io.mayflymq.server.definitions.DefinitionsException;
import io.mayflymq.server.json.JsonReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The rounds of a standby: each makes the copies equal to what the primary has. Belongs to one
 * thread.
 *
 * <p>A round asks each node of the primary for the state of its queues, then for the definitions if
 * they have changed, then for the messages of each queue that has changed: numbers that are not
 * told any more have left, and messages behind the last copied one are new. Numbers are given once,
 * but for those that were lost with a process of the primary. So when the process is another one,
 * the primary is asked as well which messages have come since it last told something: their numbers
 * may have been those of others.
 */
final class Rounds {
  private static final long SLICE_BYTES = 4L << 20;

  /** More of a queue is copied in the next round, so that others have their turn. */
  private static final long MOST_OF_A_QUEUE = 64L << 20;

  private final List<PrimaryClient> clients;
  private final BrokerDefinitions definitions;

  /** Whether copies were removed in this round that are to be replaced in it. */
  private boolean isReplacing;

  /** How each queue was when it was copied last. */
  private final Map<QueueKey, PrimaryState.QueueState> copied = new HashMap<>();

  /** Whether the definitions were imported since the start: what else the broker has may differ. */
  private boolean isDefined;

  private long copiedMessages;
  private long copiedBytes;
  private long lagMessages;

  /**
   * Prepares them.
   *
   * @param definitions those of this broker
   */
  Rounds(List<PrimaryClient> clients, BrokerDefinitions definitions) {
    this.clients = List.copyOf(clients);
    this.definitions = definitions;
  }

  /** Returns how many messages were copied so far. */
  long copiedMessages() {
    return copiedMessages;
  }

  /** Returns how many bytes these had. */
  long copiedBytes() {
    return copiedBytes;
  }

  /** Returns how many messages the primary had at the last round that are not copied. */
  long lagMessages() {
    return lagMessages;
  }

  /** A queue, and the node that has it. */
  private record Source(
      PrimaryClient client, PrimaryState.QueueState queue, long sinceMillis, boolean isNew) {}

  /** What the nodes of the primary have told. */
  private static final class Told {
    final Map<PrimaryClient, PrimaryState> states = new LinkedHashMap<>();
    final Map<QueueKey, Source> sources = new LinkedHashMap<>();
    final Map<String, String> elsewhere = new LinkedHashMap<>();
    String failure;

    void failed(String why) {
      if (failure == null) {
        failure = why;
      }
    }
  }

  /**
   * Does a round.
   *
   * @return what is missing in it, in a sentence; null if it is complete
   * @throws PrimaryException if nothing was copied
   * @throws IOException if the copies cannot be written
   */
  String run(CopyStore store, long nowMillis)
      throws PrimaryException, IOException, InterruptedException {
    isReplacing = false;
    Told told = ask(store);
    define(store, told);
    Set<String> failed = new HashSet<>();
    for (Source source : told.sources.values()) {
      try {
        if (!copy(store, source)) {
          told.failed(
              "%s has more messages than are copied in a round".formatted(source.queue().key()));
        }
      } catch (PrimaryException e) {
        if (isReplacing) {
          throw e; // Better what was there before than half of what replaces it.
        }
        failed.add(told.states.get(source.client()).node());
        told.failed(e.getMessage());
      }
    }
    for (QueueKey key : store.keys()) {
      if (!told.sources.containsKey(key)
          && !told.elsewhere.containsKey(place(key.vhost(), key.queue()))) {
        store.drop(key);
        copied.remove(key);
      }
    }
    for (PrimaryState state : told.states.values()) {
      if (!failed.contains(state.node())) {
        store.setTold(state.node(), new CopyStore.Told(state.process(), state.nowMillis()));
      }
    }
    lagMessages =
        told.sources.values().stream()
            .mapToLong(each -> Math.max(0, each.queue().count() - store.count(each.queue().key())))
            .sum();
    if (told.failure == null) {
      store.setComplete(nowMillis);
    }
    store.commit();
    return told.failure;
  }

  private Told ask(CopyStore store) throws PrimaryException, InterruptedException {
    Told told = new Told();
    PrimaryException first = null;
    for (PrimaryClient client : clients) {
      try {
        told.states.put(client, client.state());
      } catch (PrimaryException e) {
        first = first == null ? e : first;
        told.failed(e.getMessage());
      }
    }
    if (told.states.isEmpty()) {
      throw first;
    }
    for (Map.Entry<PrimaryClient, PrimaryState> each : told.states.entrySet()) {
      requireIdentity(store, each.getKey(), each.getValue().cluster());
      add(told, store, each.getKey(), each.getValue());
    }
    for (PrimaryState state : told.states.values()) {
      Set<String> notThere = new HashSet<>();
      state.elsewhere().forEach(queue -> notThere.add(place(queue.vhost(), queue.queue())));
      // A node that has answered and does not send on has the queue, if only without messages.
      told.elsewhere
          .entrySet()
          .removeIf(
              each -> each.getValue().equals(state.node()) && !notThere.contains(each.getKey()));
    }
    told.elsewhere.forEach(
        (place, node) -> {
          if (told.states.values().stream().noneMatch(state -> state.node().equals(node))) {
            told.failed(
                "%s is on node %s of the primary, which does not answer or has no key in"
                        .formatted(place, node)
                    + " standby.primary.uris");
          }
        });
    return told;
  }

  private static String place(String vhost, String queue) {
    return "queue '%s' in vhost '%s'".formatted(queue, vhost);
  }

  /** A primary whose data were lost is another one: its copies are kept. */
  private static void requireIdentity(CopyStore store, PrimaryClient client, String cluster)
      throws PrimaryException {
    if (store.cluster().isEmpty()) {
      store.setCluster(cluster);
    } else if (!store.cluster().equals(cluster)) {
      throw new PrimaryException(
          ("%s is another broker than the one that was followed so far, or has lost its data: it"
                  + " has the identity '%s', expected '%s'. The copies are kept; see"
                  + " docs/standby.md")
              .formatted(client, cluster, store.cluster()),
          true);
    }
  }

  private static void add(Told told, CopyStore store, PrimaryClient client, PrimaryState state) {
    CopyStore.Told before = store.told(state.node());
    boolean isNew = before == null || !before.process().equals(state.process());
    long since = before == null || !isNew ? Long.MAX_VALUE : before.nowMillis();
    if (isNew && before != null && state.nowMillis() < before.nowMillis()) {
      since = Long.MIN_VALUE; // Its clock was set back: no time says which messages are new.
    }
    for (PrimaryState.QueueState queue : state.queues()) {
      told.sources.put(queue.key(), new Source(client, queue, since, isNew));
    }
    state
        .elsewhere()
        .forEach(queue -> told.elsewhere.put(place(queue.vhost(), queue.queue()), queue.node()));
  }

  private void define(CopyStore store, Told told) throws IOException, InterruptedException {
    try {
      var changed =
          told.states
              .keySet()
              .iterator()
              .next()
              .definitions(isDefined ? store.definitionsTag() : "");
      if (changed.isPresent()) {
        byte[] json = changed.get().json();
        define(definitions, json);
        store.setDefinitions(json, changed.get().tag());
        isDefined = true;
      }
    } catch (PrimaryException e) {
      told.failed(e.getMessage());
    } catch (DefinitionsException | RuntimeException e) {
      told.failed("the definitions cannot be imported: " + e.getMessage());
    }
  }

  /** Makes this broker's definitions those of a document. */
  @SuppressWarnings("unchecked") // JSON's objects have names
  static void define(BrokerDefinitions definitions, byte[] json)
      throws DefinitionsException, IOException {
    Object document = JsonReader.DEFAULT.read(new String(json, StandardCharsets.UTF_8));
    if (!(document instanceof Map<?, ?> object)) {
      throw new IOException("the definitions of the primary are no JSON object");
    }
    definitions.mirror((Map<String, Object>) object);
  }

  /**
   * Copies a queue.
   *
   * @return whether all of it was copied that was to be
   */
  private boolean copy(CopyStore store, Source source)
      throws PrimaryException, IOException, InterruptedException {
    PrimaryState.QueueState queue = source.queue();
    QueueKey key = queue.key();
    long known = store.idOf(key);
    if (known >= 0 && known != queue.id()) {
      store.drop(key);
      isReplacing = true;
    }
    if (!source.isNew() && queue.equals(copied.get(key)) && store.idOf(key) == queue.id()) {
      return true;
    }
    long before = copiedBytes;
    boolean isFirst = true;
    while (copiedBytes - before < MOST_OF_A_QUEUE) {
      QueueReading.Wanted wanted =
          new QueueReading.Wanted(
              store.seen(key),
              SLICE_BYTES,
              isFirst,
              isFirst ? source.sinceMillis() : Long.MAX_VALUE);
      QueueSlice slice = source.client().slice(key, wanted).orElse(null);
      if (slice == null || slice.id() != queue.id()) {
        return true; // It has gone, or is elsewhere: the next round tells.
      }
      if (isFirst) {
        if (slice.reusedFrom() != QueueSlice.NONE) {
          store.cut(key, slice.reusedFrom());
          isReplacing = true;
        }
        store.retain(key, slice.present());
      }
      store.append(key, queue.id(), slice.messages(), slice.seen());
      copiedMessages += slice.messages().size();
      copiedBytes += slice.messages().stream().mapToLong(each -> each.length).sum();
      if (slice.complete()) {
        copied.put(key, queue);
        isReplacing = false;
        return true;
      }
      isFirst = false;
    }
    copied.remove(key);
    return false;
  }

  /**
   * Returns whether a round has ended while copies were being replaced: the store is to be opened
   * anew, as it was before the round.
   */
  boolean mustBeginAnew() {
    return isReplacing;
  }

  /** Forgets what was copied: the store was opened anew. */
  void reset() {
    copied.clear();
  }
}
