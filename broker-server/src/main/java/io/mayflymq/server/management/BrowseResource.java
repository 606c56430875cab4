package io.mayflymq.server.management;

import io.mayflymq.core.queue.BrowsedMessage;
import io.mayflymq.core.retention.Deadlines;
import io.mayflymq.core.security.Permission;
import io.mayflymq.core.vhost.QueuePage;
import java.util.LinkedHashMap;
import java.util.Map;

/** Looking at messages without taking them. */
final class BrowseResource {
  private static final int USUAL_COUNT = 50;
  private static final int LARGEST_COUNT = 1000;
  private static final int USUAL_TRUNCATE = 4096;

  private final ManagedBroker managed;

  BrowseResource(ManagedBroker managed) {
    this.managed = managed;
  }

  void addTo(Router router) {
    router.get("queues/{vhost}/{queue}/messages", this::browse);
  }

  private Response browse(Request request) {
    long from = request.number("from", 0, 0, Long.MAX_VALUE);
    int count = (int) request.number("count", USUAL_COUNT, 1, LARGEST_COUNT);
    long truncate = request.number("truncate", USUAL_TRUNCATE, 0, Integer.MAX_VALUE);
    String named = request.query("encoding");
    MessageObjects.Encoding encoding = MessageObjects.Encoding.of(named == null ? "auto" : named);
    QueuePage page =
        Answers.await(managed.usableQueue(request, Permission.READ).browse(from, count));
    long now = System.currentTimeMillis();
    return Response.ok(
        Json.object(
            "from", from,
            "item_count", page.messages().size(),
            "items",
                page.messages().stream()
                    .map(message -> object(message, encoding, truncate, now))
                    .toList(),
            "messages_ready", page.ready(),
            "next", known(page.next())));
  }

  private static Map<String, Object> object(
      BrowsedMessage browsed, MessageObjects.Encoding encoding, long truncate, long now) {
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
    object.putAll(
        browsed.message() == null
            ? unread(browsed)
            : MessageObjects.of(browsed.message(), encoding, truncate));
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
