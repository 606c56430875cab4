package io.mayflymq.cluster.remote;

import io.mayflymq.cluster.link.LinkFrame;
import io.mayflymq.cluster.link.LinkPort;
import io.mayflymq.cluster.link.LinkVersion;
import io.mayflymq.cluster.link.RequestKind;
import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.codec.ByteWriter;
import io.mayflymq.core.runtime.Causes;
import io.mayflymq.core.runtime.Faults;
import io.mayflymq.core.vhost.queue.QueueGate;
import java.util.ArrayList;
import java.util.List;

/**
 * Sends by a new connection what an earlier one has left open: consumers, batches, requests, in
 * this order. On the link's shard.
 */
final class Resumption {
  private static final ByteReader NOTHING = new ByteReader(new byte[0], 0);

  private final Object link;
  private final LinkTraffic traffic;
  private final LinkPort port;
  private final Faults faults;

  /** What is done at last, as it may bring more to be sent. */
  private final List<Runnable> afterwards = new ArrayList<>();

  /**
   * Prepares it for the connection that the traffic has begun.
   *
   * @param link in words, for faults
   */
  Resumption(Object link, LinkTraffic traffic, Faults faults) {
    this.link = link;
    this.traffic = traffic;
    this.port = traffic.port();
    this.faults = faults;
  }

  /** Returns whether a request lets a consumer join again that had joined before. */
  static boolean joinsAgain(LinkRequest<?> request) {
    return request.joining() != null && request.joining().isJoined();
  }

  void run() {
    traffic.consumers().served().forEach(this::join);
    if (port.version() >= LinkVersion.OF_RANKS && traffic.port() == port) {
      port.send(LinkFrame.REJOINED, new ByteWriter());
    }
    answerCancelled();
    sendRequests(true);
    traffic
        .batches()
        .forEach((number, batch) -> send(() -> traffic.send(number, batch), batch::lost));
    sendRequests(false);
    afterwards.forEach(Runnable::run);
  }

  private void join(RemoteConsumer consumer) {
    LinkRequest<Void> request =
        new LinkRequest<Void>(
                consumer.queue(),
                RequestKind.SUBSCRIBE,
                out -> traffic.consumers().writeSubscription(consumer, out),
                in -> {
                  traffic.consumers().joined(consumer, in);
                  return null;
                })
            .joining(consumer);
    request
        .answer()
        .exceptionally(
            failure -> {
              if (!(Causes.of(failure) instanceof QueueGate.MovedException)) {
                traffic.consumers().excluded(consumer);
              } // Else it is told where to join when that is in force here.
              return null;
            });
    send(
        () -> traffic.send(traffic.requests().add(request), request),
        () -> traffic.requests().lose(request));
  }

  /** A consumer that was cancelled before it had joined has joined and gone. */
  private void answerCancelled() {
    for (LinkRequest<?> request : traffic.requests().take(Resumption::isCancelled)) {
      afterwards.add(() -> request.answered(NOTHING));
    }
  }

  private static boolean isCancelled(LinkRequest<?> request) {
    return request.joining() != null && request.joining().isCancelled();
  }

  private void sendRequests(boolean subscriptions) {
    traffic
        .requests()
        .forEach(
            (number, request) -> {
              if ((request.joining() != null) == subscriptions && !joinsAgain(request)) {
                send(() -> traffic.send(number, request), () -> traffic.requests().lose(request));
              }
            });
  }

  /** One that cannot be written holds up no other one. */
  private void send(Runnable sending, Runnable failed) {
    if (traffic.port() != port) {
      return;
    }
    try {
      sending.run();
    } catch (RuntimeException e) {
      faults.report("sending again to", link, e);
      afterwards.add(failed);
    }
  }
}
