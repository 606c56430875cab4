package io.mayflymq.server.channel;

import io.mayflymq.core.message.HeaderTime;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.policy.ExpirySettings;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.protocol.types.BasicProperties;
import io.mayflymq.protocol.types.Int64Header;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongConsumer;

/**
 * The deadlines of the requests that the consumers of a connection have had lately, so that the
 * replies which the connection publishes get them. A reply is recognised by its routing key, the
 * {@code reply_to} of the request, and its {@code correlation_id}. Used on the connection's loop
 * only.
 *
 * <p>It belongs to the connection and not to a channel, as many clients consume on one channel and
 * publish on another. What is remembered is bounded: the latest requests, each until some time
 * after its deadline, for replies that are too late.
 */
public final class ReplyDeadlines {
  /** Of so many requests the deadline is known at most. */
  static final int MOST_REQUESTS = 10_000;

  /** So long after its deadline a request is known, in ms. */
  static final long KEPT_MILLIS = 60_000;

  /** About how many bytes an entry takes without its names. */
  private static final int ENTRY_BYTES = 200;

  private record Request(String replyTo, String correlationId) {
    long bytes() {
      return ENTRY_BYTES + 2L * (replyTo.length() + correlationId.length());
    }
  }

  private record Deadline(Int64Header header, String name, long millis) {}

  private final LongConsumer kept;

  /** In the order in which they were delivered. Null before the first one. */
  private Map<Request, Deadline> requests;

  private Int64Header header;
  private String headerName;

  /**
   * @param kept is told how many bytes more the entries take, or fewer
   */
  public ReplyDeadlines(LongConsumer kept) {
    this.kept = kept;
  }

  /** Returns whether no request is known, so that no reply has to be looked at. */
  boolean isEmpty() {
    return requests == null || requests.isEmpty();
  }

  /**
   * A consumer gets a message: if that is a request with a deadline, this is remembered.
   *
   * @param settings of its queue, which wants that
   */
  void delivered(Message message, ExpirySettings settings, long nowMillis) {
    if (settings.deadlineHeader() == null) {
      return;
    }
    long millis = HeaderTime.of(message, settings.deadlineHeader());
    BasicProperties properties = message.properties();
    if (millis == HeaderTime.NONE
        || properties.replyTo() == null
        || properties.correlationId() == null) {
      return;
    }
    if (requests == null) {
      requests = new LinkedHashMap<>();
    }
    Request request = new Request(properties.replyTo(), properties.correlationId());
    // The one that was delivered last is the last one in their order.
    if (requests.remove(request) == null) {
      kept.accept(request.bytes());
    }
    requests.put(request, deadline(settings.deadlineHeader(), millis));
    forgetOld(nowMillis);
  }

  private Deadline deadline(String name, long millis) {
    if (!name.equals(headerName)) {
      headerName = name;
      header = new Int64Header(name);
    }
    return new Deadline(header, headerName, millis);
  }

  private void forgetOld(long nowMillis) {
    Iterator<Map.Entry<Request, Deadline>> oldest = requests.entrySet().iterator();
    Map.Entry<Request, Deadline> first = oldest.next();
    while (requests.size() > MOST_REQUESTS
        || Deadlines.after(first.getValue().millis(), KEPT_MILLIS) <= nowMillis) {
      kept.accept(-first.getKey().bytes());
      oldest.remove();
      if (!oldest.hasNext()) {
        return;
      }
      first = oldest.next();
    }
  }

  /**
   * Returns a message that is published to the default exchange, as it is sent: a reply has the
   * deadline of its request, unless it has the header already.
   */
  Message inherited(Message reply) {
    Deadline deadline = of(reply);
    return deadline == null || reply.headers().containsKey(deadline.name)
        ? reply
        : reply.with(deadline.header, deadline.millis);
  }

  /**
   * Returns from when on a reply is too late, in ms since the epoch; {@link Deadlines#NEVER} if it
   * is no reply to a request with a deadline.
   */
  long deadlineOf(Message reply) {
    Deadline deadline = of(reply);
    return deadline == null ? Deadlines.NEVER : HeaderTime.of(reply, deadline.name);
  }

  private Deadline of(Message reply) {
    if (isEmpty() || !reply.exchange().value().isEmpty()) {
      return null;
    }
    String correlationId = reply.properties().correlationId();
    return correlationId == null
        ? null
        : requests.get(new Request(reply.routingKey().value(), correlationId));
  }
}
