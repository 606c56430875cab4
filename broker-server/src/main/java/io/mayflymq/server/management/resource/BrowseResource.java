package io.mayflymq.server.management.resource;

import io.mayflymq.core.queue.BrowsedMessage;
import io.mayflymq.core.queue.DeadlineReport;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.core.security.Permission;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueuePage;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.management.api.Listing;
import io.mayflymq.server.management.api.MessageMemory;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import io.mayflymq.server.management.json.MessageJson;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Looking at messages without taking them. */
public final class BrowseResource {
  private static final int USUAL_COUNT = 50;
  private static final int LARGEST_COUNT = 1000;
  private static final int USUAL_NEXT = 10;
  private static final int MOST_NEXT = 1000;
  private static final int USUAL_TRUNCATE = 4096;

  /** A page ends early with as many bytes of content, or with fewer where there is less memory. */
  private static final long MOST_BYTES = 16 << 20;

  private final ManagedBroker managed;
  private final MessageMemory memory;

  /**
   * @param memory for the messages that are looked at
   */
  public BrowseResource(ManagedBroker managed, MessageMemory memory) {
    this.managed = managed;
    this.memory = memory;
  }

  public void addTo(RequestRouter requestRouter) {
    requestRouter
        .get("queues/{vhost}/{queue}/messages", this::browse)
        .get("queues/{vhost}/{queue}/deadlines", managed.atHome(this::deadlines));
  }

  /** Adds what other nodes ask. */
  public void addQuestionsTo(RequestRouter questions) {
    questions.get("queues/{vhost}/{queue}/deadlines", this::deadlines);
  }

  private Response deadlines(Request request) {
    int most = (int) request.number("limit", USUAL_NEXT, 0, MOST_NEXT);
    Queue queue = managed.usableQueue(request, Permission.READ);
    DeadlineReport report = Futures.await(queue.requests().deadlines(most));
    return Response.ok(
        Json.object(
            "now", report.nowMillis(),
            "messages", report.messages(),
            "without_deadline", report.withoutDeadline(),
            "to_deadline", buckets(report.toDeadline()),
            "age", buckets(report.ages()),
            "next", report.next().stream().map(next -> next(next, report.nowMillis())).toList(),
            "truncated", !report.complete()));
  }

  private static List<Map<String, Object>> buckets(List<DeadlineReport.Bucket> buckets) {
    return buckets.stream()
        .map(
            bucket ->
                Json.object(
                    "up_to",
                    bucket.upToMillis() == Long.MAX_VALUE ? null : (Long) bucket.upToMillis(),
                    "messages",
                    bucket.messages()))
        .toList();
  }

  private static Map<String, Object> next(DeadlineReport.Next next, long now) {
    return Json.object(
        "sequence", next.sequence(),
        "position", next.position(),
        "enqueued_at", next.enqueuedAtMillis(),
        "deadline", next.deadlineMillis(),
        "in", next.deadlineMillis() - now,
        "origin", next.own() ? "message" : "queue");
  }

  private Response browse(Request request) {
    long from = request.number("from", 0, 0, Long.MAX_VALUE);
    int count = (int) request.number("count", USUAL_COUNT, 1, LARGEST_COUNT);
    long truncate = request.number("truncate", USUAL_TRUNCATE, 0, Integer.MAX_VALUE);
    String named = request.query("encoding");
    MessageJson.Encoding encoding = MessageJson.Encoding.of(named == null ? "auto" : named);
    Queue queue = managed.usableQueue(request, Permission.READ);
    MessageMemory.Share share = memory.share();
    try {
      long most = Math.min(MOST_BYTES, share.most());
      share.set(most);
      QueuePage page = Futures.await(queue.requests().browse(from, count, most));
      List<Seen> items =
          page.messages().stream().map(message -> Seen.of(message, truncate)).toList();
      share.set(items.stream().mapToLong(Seen::bytes).sum());
      long now = System.currentTimeMillis();
      return new Response(
          200,
          Json.object(
              "from", from,
              "item_count", items.size(),
              "items", Listing.lazy(items, item -> item.object(encoding, now)),
              "messages_ready", page.ready(),
              "next", known(page.next())),
          Map.of(),
          share);
    } catch (RuntimeException | Error e) {
      share.release();
      throw e;
    }
  }

  /**
   * A message that was looked at, as far as it will be shown.
   *
   * @param shown null if it was not read
   */
  private record Seen(BrowsedMessage browsed, MessageJson.Shown shown) {
    static Seen of(BrowsedMessage browsed, long truncate) {
      if (browsed.message() == null) {
        return new Seen(browsed, null);
      }
      MessageJson.Shown shown = MessageJson.cut(browsed.message(), truncate);
      return new Seen(browsed.with(shown.message()), shown);
    }

    long bytes() {
      return shown == null ? 0 : shown.bytes();
    }

    Map<String, Object> object(MessageJson.Encoding encoding, long now) {
      return BrowseResource.object(this, encoding, now);
    }
  }

  private static Map<String, Object> object(Seen seen, MessageJson.Encoding encoding, long now) {
    BrowsedMessage browsed = seen.browsed;
    boolean expires = browsed.deadlineMillis() != Deadlines.NEVER;
    Map<String, Object> object =
        Json.object(
            "position", browsed.position(),
            "sequence", browsed.sequence(),
            "enqueued_at", known(browsed.enqueuedAtMillis()),
            "deadline", expires ? browsed.deadlineMillis() : null,
            "ttl_left_ms", expires ? Math.max(0, browsed.deadlineMillis() - now) : null,
            "redelivered", browsed.redelivered(),
            "delivery_count", known(browsed.deliveryCount()));
    object.putAll(seen.shown == null ? unread(browsed) : MessageJson.of(seen.shown, encoding));
    return object;
  }

  /** Of what would take too long to read there is only its size. */
  private static Map<String, Object> unread(BrowsedMessage browsed) {
    Map<String, Object> object = new LinkedHashMap<>();
    object.put("payload_bytes", browsed.bodyLength());
    object.put("payload", null);
    return object;
  }

  private static Long known(long value) {
    return value == BrowsedMessage.UNKNOWN ? null : (Long) value;
  }
}
