package io.mayflymq.server.http;

import io.mayflymq.core.runtime.Faults;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.flow.FlowControlHandler;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Connections of a server without sockets and threads: requests go in as text, answers come out as
 * text, and the test decides when time passes and when workers run.
 */
final class HttpRig implements HttpService {
  static final HttpLimits LIMITS =
      new HttpLimits(3, 100, 1_000, 2_000, 100_000, 1_000_000, 2, 1, 1, 10_000, 60_000, 30_000);

  /** Work that waits for a worker. */
  final Deque<Runnable> work = new ArrayDeque<>();

  /** The requests that have been admitted or refused, and the bodies that have been handled. */
  final List<String> seen = new ArrayList<>();

  /** What the next requests are answered with. */
  BodySource answer = null;

  /** The answer that is waited for. */
  CompletableFuture<HttpResponse> awaited = new CompletableFuture<>();

  private final HttpServer.Shared shared;
  private final Deque<EmbeddedChannel> channels = new ArrayDeque<>();

  HttpRig() {
    this(LIMITS);
  }

  HttpRig(HttpLimits limits) {
    shared =
        new HttpServer.Shared(
            limits, this, new Workers(limits, new Later(), size -> {}, () -> {}), Faults.logged());
  }

  /**
   * A path {@code /refused} is refused, {@code /paused} after five seconds, others are taken; that
   * to {@code /awaited} is given later.
   */
  @Override
  public Admission admit(RequestHead head) {
    seen.add(head.method() + " " + head.path());
    if (head.path().equals("/refused")) {
      return new Admission.Refused(HttpResponse.text(401, "who?"));
    }
    if (head.path().equals("/paused")) {
      return new Admission.Refused(HttpResponse.text(401, "who?"), 5_000);
    }
    if (head.path().equals("/awaited")) {
      return new Admission.Awaited(new BodyLimit(0, 20_000), () -> awaited);
    }
    BodySource body = answer;
    return new Admission.Accepted(
        new BodyLimit(head.path().equals("/large") ? 200_000 : 1_000, 20_000),
        received -> {
          seen.add(new String(received.bytes(), StandardCharsets.UTF_8));
          return body == null
              ? HttpResponse.text(200, "ok")
              : new HttpResponse(200, Map.of(), body);
        });
  }

  @Override
  public HttpResponse refusal(int status, String error, String reason) {
    return HttpResponse.text(status, error + ": " + reason);
  }

  @Override
  public HttpResponse failure(RequestHead head, Throwable thrown) {
    return HttpResponse.text(500, thrown.getMessage());
  }

  BodyBuffer.Budget bodies() {
    return shared.bodies();
  }

  /** A client connects. */
  EmbeddedChannel connect() {
    EmbeddedChannel channel =
        new EmbeddedChannel() {
          @Override
          protected SocketAddress remoteAddress0() {
            return new InetSocketAddress("10.0.0.7", 4711);
          }
        };
    channel.freezeTime();
    channel.config().setAutoRead(false);
    HttpConnection connection = new HttpConnection(shared, false);
    channel
        .pipeline()
        .addLast(new FirstBytes(false))
        .addLast(new StrictRequestDecoder(shared.limits(), connection::bytesCame))
        .addLast(new HttpResponseEncoder())
        .addLast(new FlowControlHandler())
        .addLast(connection);
    channel.pipeline().fireChannelActive();
    channels.add(channel);
    return channel;
  }

  /** It sends something, and the workers do what they have to do. */
  String send(EmbeddedChannel channel, String text) {
    channel.writeInbound(Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1));
    work();
    return read(channel);
  }

  /** The workers do what they have to do, until there is nothing. */
  void work() {
    while (!work.isEmpty()) {
      work.poll().run();
      channels.forEach(EmbeddedChannel::runPendingTasks);
    }
  }

  /** What has been answered since the last time. */
  static String read(EmbeddedChannel channel) {
    StringBuilder text = new StringBuilder();
    for (ByteBuf part = channel.readOutbound(); part != null; part = channel.readOutbound()) {
      text.append(part.toString(StandardCharsets.UTF_8));
      part.release();
    }
    return text.toString();
  }

  static void pass(EmbeddedChannel channel, long millis) {
    channel.advanceTimeBy(millis, TimeUnit.MILLISECONDS);
    channel.runScheduledPendingTasks();
    channel.runPendingTasks();
  }

  private final class Later extends AbstractExecutorService {
    @Override
    public void execute(Runnable task) {
      work.add(task);
    }

    @Override
    public void shutdown() {
      work.clear();
    }

    @Override
    public List<Runnable> shutdownNow() {
      work.clear();
      return List.of();
    }

    @Override
    public boolean isShutdown() {
      return false;
    }

    @Override
    public boolean isTerminated() {
      return false;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
      return true;
    }
  }
}
