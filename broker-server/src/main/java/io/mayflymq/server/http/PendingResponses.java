package io.mayflymq.server.http;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * The answers that clients have not fully received, and the memory that they take.
 *
 * <p>An answer that is produced while it is sent, such as a long list, and finds no room waits
 * before its first byte until others have been taken; where as much waits already it is to be
 * refused. So clients that read are not disconnected for one another, and get whole answers.
 *
 * <p>Who reads nothing makes room: while anything waits, or all together take too much, the
 * connection is closed whose client has received nothing for longest, if that is a second; and one
 * whose client has been at its answer for very long. While it is the server that has to make the
 * next part, no client is too slow. Short answers do not wait, as they were made already: they push
 * out one another.
 *
 * <p>On one event loop. Times are those of its clock, in nanoseconds.
 */
final class PendingResponses<C> {
  private static final long STUCK_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long SLOW_NANOS = TimeUnit.SECONDS.toNanos(30);

  /**
   * An answer that is being sent.
   *
   * @param isShort whether it was made as a whole
   * @param begun when it began
   * @param taken when its client has last taken a part of it
   */
  private record Held(long bytes, boolean isShort, long begun, long taken) {}

  private final long most;
  private final Predicate<C> waitsForClient;

  /** Ordered by when the client has last taken a part, the longest ago first. */
  private final Map<C, Held> held = new LinkedHashMap<>();

  /** The bytes of answers that wait, in their order. */
  private final Map<C, Long> waiting = new LinkedHashMap<>();

  private long total;
  private long totalWaiting;

  /**
   * @param most bytes, all together; one alone may take more, and as much again may wait
   * @param waitsForClient whether a client has yet to take what was made for it
   */
  PendingResponses(long most, Predicate<C> waitsForClient) {
    this.most = most;
    this.waitsForClient = waitsForClient;
  }

  /**
   * Adds an answer that begins to be sent, whether or not there is room; the connection has no
   * other.
   */
  void begin(C connection, long bytes, boolean isShort, long now) {
    held.put(connection, new Held(bytes, isShort, now, now));
    total += bytes;
  }

  /** Returns whether there is room for an answer, and none waits for it. */
  boolean hasRoomFor(long bytes) {
    return waiting.isEmpty() && fits(bytes);
  }

  private boolean fits(long bytes) {
    return held.isEmpty() || total + bytes <= most;
  }

  /**
   * Lets an answer wait that there is no room for.
   *
   * @return false if too much waits already
   */
  boolean await(C connection, long bytes) {
    if (!waiting.isEmpty() && totalWaiting + bytes > most) {
      return false;
    }
    waiting.put(connection, bytes);
    totalWaiting += bytes;
    return true;
  }

  /**
   * Returns the next one that waits, if there is room for it now: it begins. Null if there is none.
   */
  C next(long now) {
    Iterator<Map.Entry<C, Long>> first = waiting.entrySet().iterator();
    if (!first.hasNext()) {
      return null;
    }
    Map.Entry<C, Long> next = first.next();
    if (!fits(next.getValue())) {
      return null;
    }
    first.remove();
    totalWaiting -= next.getValue();
    begin(next.getKey(), next.getValue(), false, now);
    return next.getKey();
  }

  /** Returns the connection to close so that there is room for others; null if there is none. */
  C displaced(long now) {
    boolean exceeds = total > most && held.size() > 1;
    if (!exceeds && waiting.isEmpty()) {
      return null;
    }
    int others = held.size();
    for (Map.Entry<C, Held> each : held.entrySet()) {
      Held answer = each.getValue();
      boolean isNewest = --others == 0;
      boolean isSlow = now - answer.taken >= STUCK_NANOS || now - answer.begun >= SLOW_NANOS;
      if ((isSlow && waitsForClient.test(each.getKey()))
          || (exceeds && !isNewest && (answer.isShort || total > 2 * most))) {
        return each.getKey();
      }
    }
    return null;
  }

  /** Notes that the client has received a part. */
  void goesOn(C connection, long now) {
    Held answer = held.remove(connection);
    if (answer != null) {
      held.put(connection, new Held(answer.bytes, answer.isShort, answer.begun, now));
    }
  }

  /** Removes an answer that was sent, refused or aborted. May be called more than once. */
  void end(C connection) {
    Held answer = held.remove(connection);
    total -= answer == null ? 0 : answer.bytes;
    Long bytes = waiting.remove(connection);
    totalWaiting -= bytes == null ? 0 : bytes;
  }
}
