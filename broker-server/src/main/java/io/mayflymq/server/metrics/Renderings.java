package io.mayflymq.server.metrics;

import io.mayflymq.server.http.BodySource;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Texts for all who ask for them. Any thread may call.
 *
 * <p>Texts that many ask for at one time. One is made at a time, for all who wait for it, so the
 * memory and the time for making do not grow with the number of those who ask. A text that was
 * costly to make is given to all who ask within the next second. One that was cheap is made for
 * those only who had asked before.
 *
 * <p>The memory is reserved before a text is made. If the texts that readers still hold leave no
 * room, those are given up whose readers have taken nothing for longest.
 *
 * <p>Those who wait are in two lanes, which take turns: texts that few can be asked for, such as
 * the sums, do not wait behind many that someone asks for with filters of his own.
 *
 * @param <K> says which text; with equals and hashCode
 */
final class Renderings<K> {
  /** Above so many bytes, for making and of text, a text is costly. */
  private static final long COSTLY = 1 << 20;

  /** Texts that may be waited for, in each lane. */
  private static final int MOST_WAITING = 64;

  /** Where those who ask wait. */
  public enum Lane {
    /** For texts of which there are few. */
    FIXED,
    /** For all others. */
    FILTERED
  }

  /** Selects and makes texts; called by one thread at a time. */
  public interface Maker<K> {
    /** Selects what a text has, without reading it. */
    Draft draft(K key);
  }

  /** A text that is to be made. */
  public interface Draft {
    /** Returns about how many bytes of memory it takes until it is written. */
    long bytes();

    /** Returns what the memory is taken for, such as "20000 queues". */
    String subject();

    /**
     * Reads what is to be written.
     *
     * @throws RefusedException if that is not possible
     */
    BodySource read() throws RefusedException;
  }

  /** There is no text; the message says why, and what to do. */
  public static final class RefusedException extends Exception {
    private static final long serialVersionUID = 1L;

    public RefusedException(String message) {
      super(message, null, false, false);
    }
  }

  /** A text that is waited for. */
  private static final class Waiting {
    private final CompletableFuture<Rendering> made = new CompletableFuture<>();
    private int interested;
  }

  /** A text in memory. */
  private static final class Kept {
    private int readers;
    private boolean shared;
  }

  private final Maker<K> maker;
  private final long most;
  private final Executor worker;
  private final Executor afterASecond;
  private final Map<Lane, Map<K, Waiting>> lanes = new HashMap<>();

  /** What is given to those who ask now. */
  private final Map<K, Rendering> shared = new HashMap<>();

  /** What is in memory; those whose readers have taken nothing for longest are first. */
  private final Map<Rendering, Kept> kept = new LinkedHashMap<>();

  private final Rendering.Owner owner = new Readers();
  private long total;
  private Lane last = Lane.FILTERED;

  /**
   * @param most bytes of memory, for all texts that are kept and the one that is being made
   * @param worker makes texts, in one thread
   * @param afterASecond runs short work a second after it is given
   */
  public Renderings(Maker<K> maker, long most, Executor worker, Executor afterASecond) {
    this.maker = maker;
    this.most = most;
    this.worker = worker;
    this.afterASecond = afterASecond;
    Arrays.stream(Lane.values()).forEach(lane -> lanes.put(lane, new LinkedHashMap<>()));
  }

  /** A text for one who has asked. */
  public record Answer(Rendering rendering, BodySource body) {}

  /**
   * Asks for a text.
   *
   * @param gzip whether it may stay compressed
   * @return fails with {@link RefusedException}, or with what the maker has thrown; if it is
   *     cancelled, and by all others too, the text is not made
   */
  public CompletableFuture<Answer> get(K key, Lane lane, boolean gzip) {
    Waiting waiting;
    synchronized (this) {
      Rendering now = shared.get(key);
      if (now != null) {
        return CompletableFuture.completedFuture(open(now, gzip));
      }
      Map<K, Waiting> all = lanes.get(lane);
      waiting = all.get(key);
      if (waiting == null) {
        if (all.size() == MOST_WAITING) {
          return CompletableFuture.failedFuture(
              new RefusedException("too many different metrics are waited for: try again later"));
        }
        waiting = new Waiting();
        all.put(key, waiting);
        worker.execute(this::makeNext);
      }
      waiting.interested++;
    }
    Waiting joined = waiting;
    CompletableFuture<Answer> answer = joined.made.thenApply(made -> open(made, gzip));
    answer.whenComplete(
        (text, error) -> {
          if (answer.isCancelled()) {
            leave(lane, key, joined);
          }
        });
    return answer;
  }

  private synchronized void leave(Lane lane, K key, Waiting waiting) {
    waiting.interested--;
    if (waiting.interested == 0) {
      lanes.get(lane).remove(key, waiting);
    }
  }

  private synchronized Answer open(Rendering rendering, boolean gzip) {
    Kept entry = kept.get(rendering);
    if (entry != null) {
      entry.readers++;
    }
    return new Answer(rendering, rendering.reader(gzip));
  }

  // Making

  private void makeNext() {
    K key;
    Waiting waiting;
    Rendering there;
    synchronized (this) {
      Lane lane = last == Lane.FIXED ? Lane.FILTERED : Lane.FIXED;
      if (lanes.get(lane).isEmpty()) {
        lane = last;
      }
      Iterator<Map.Entry<K, Waiting>> first = lanes.get(lane).entrySet().iterator();
      if (!first.hasNext()) {
        return;
      }
      Map.Entry<K, Waiting> next = first.next();
      key = next.getKey();
      waiting = next.getValue();
      first.remove();
      last = lane;
      there = shared.get(key);
    }
    if (there != null) {
      waiting.made.complete(there);
      return;
    }
    try {
      make(key, waiting.made);
    } catch (Throwable e) {
      waiting.made.completeExceptionally(e);
    }
  }

  private void make(K key, CompletableFuture<Rendering> wanted) throws Exception {
    long start = System.nanoTime();
    Draft draft = maker.draft(key);
    long reserved = draft.bytes();
    if (reserved > most) {
      throw new RefusedException(
          "the metrics of %s take %d bytes of memory, more than %d: ask for their sums, or for"
                  .formatted(draft.subject(), reserved, most)
              + " fewer of them by filters");
    }
    makeRoom(reserved);
    Rendering made;
    try {
      made = Rendering.of(draft.read(), start, owner);
    } finally {
      makeRoom(-reserved);
    }
    keep(key, made, reserved + made.textBytes() >= COSTLY);
    // Their readers are opened by this, so no other thread may give it up before.
    wanted.complete(made);
    release(made);
  }

  /** Takes so many bytes, or returns them, and gives up texts if there is no room. */
  private synchronized void makeRoom(long bytes) {
    total += bytes;
    Iterator<Rendering> longest = kept.keySet().iterator();
    while (total > most && longest.hasNext()) {
      Rendering other = longest.next();
      longest.remove();
      giveUp(other);
    }
  }

  private synchronized void keep(K key, Rendering made, boolean costly) {
    makeRoom(made.bytes());
    Kept entry = new Kept();
    entry.readers = 1;
    kept.put(made, entry);
    if (costly) {
      entry.shared = true;
      shared.put(key, made);
      afterASecond.execute(() -> endSharing(key, made));
    }
  }

  private synchronized void endSharing(K key, Rendering old) {
    shared.remove(key, old);
    Kept entry = kept.get(old);
    if (entry != null) {
      entry.shared = false;
      forgetUnused(old, entry);
    }
  }

  private synchronized void release(Rendering rendering) {
    Kept entry = kept.get(rendering);
    if (entry != null) {
      entry.readers--;
      forgetUnused(rendering, entry);
    }
  }

  private void forgetUnused(Rendering rendering, Kept entry) {
    if (entry.readers == 0 && !entry.shared) {
      kept.remove(rendering);
      giveUp(rendering);
    }
  }

  private void giveUp(Rendering rendering) {
    shared.values().remove(rendering);
    total -= rendering.bytes();
    rendering.giveUp();
  }

  /** Returns how many bytes are taken. */
  synchronized long taken() {
    return total;
  }

  private final class Readers implements Rendering.Owner {
    @Override
    public void read(Rendering rendering) {
      synchronized (Renderings.this) {
        Kept entry = kept.remove(rendering);
        if (entry != null) {
          kept.put(rendering, entry);
        }
      }
    }

    @Override
    public void closed(Rendering rendering) {
      release(rendering);
    }
  }
}
