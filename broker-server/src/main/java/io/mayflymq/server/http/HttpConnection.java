package io.mayflymq.server.http;

import io.mayflymq.core.runtime.Causes;
import io.mayflymq.server.http.HttpService.Admission;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One HTTP connection. A request is read and answered before the next one is read. Bytes that a
 * client sends meanwhile stay in the system's buffer, so the connection requests each object from
 * the decoder.
 *
 * <p>Every step has a timeout: for the headers, for the body, for a client that receives nothing of
 * its answer, and between two requests. The body of a refused request is not read, except for a
 * short one, which is discarded.
 */
final class HttpConnection extends SimpleChannelInboundHandler<HttpObject>
    implements ResponseWriter.Progress {
  private static final Logger LOGGER = LoggerFactory.getLogger(HttpConnection.class);

  private static final long STUCK_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** How long an answer waits for room, and how often others are asked to make it. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final long LOOK_MILLIS = 1_000;

  private enum State {
    /** Between two requests: no byte of the next one was received. */
    IDLE,
    /** The headers are being received. */
    HEAD,
    /** The body is being received. */
    BODY,
    /** An answer is being produced or delayed. */
    ANSWERING,
    /** The answer is being sent. */
    WRITING,
    /** The answer was sent, and the body of its request is discarded. */
    DISCARDING,
    /** Everything was sent; the connection waits for the client to close. */
    LINGERING,
    CLOSED
  }

  private final HttpServer.Shared shared;
  private final boolean encrypted;
  private ChannelHandlerContext context;
  private InetSocketAddress peer;
  private ResponseWriter writer;
  private State state = State.HEAD;
  private Future<?> timer;
  private int requests;

  /** Since when a request is waited for, or when the client has last taken a part of its answer. */
  private long progressNanos;

  /** Whether any byte was ever received. */
  private boolean begun;

  /** Whether an object was requested from the decoder and not received yet. */
  private boolean wanting;

  /** Whether the client has closed its output. */
  private boolean inputEnded;

  /** Whether no more requests are accepted. */
  private boolean closing;

  private HttpExchange httpExchange;

  /** An answer that waits until there is room for it; else null. */
  private ResponseWriter.Begun waiting;

  private long waitingSinceNanos;

  HttpConnection(HttpServer.Shared shared, boolean encrypted) {
    this.shared = shared;
    this.encrypted = encrypted;
  }

  @Override
  public void channelActive(ChannelHandlerContext active) {
    context = active;
    peer = (InetSocketAddress) active.channel().remoteAddress();
    writer = new ResponseWriter(active.channel(), shared, this);
    if (peer == null || !shared.enter(this)) {
      close();
      return;
    }
    progress();
    within(shared.limits().requestMillis(), this::headIsLate);
    want();
  }

  @Override
  public void channelInactive(ChannelHandlerContext inactive) {
    state = State.CLOSED;
    stopTimer();
    releaseBody();
    if (httpExchange != null && httpExchange.awaited != null) {
      httpExchange.awaited.cancel(false);
    }
    if (writer != null) {
      writer.abandon();
    }
    endAnswer();
    shared.connections().remove(this);
    inactive.fireChannelInactive();
  }

  /**
   * Returns whether the client has closed its output, or has sent no whole headers or taken nothing
   * of its answer for a while, so that its place may be another's. On the event loop.
   */
  boolean isStuck() {
    boolean waits =
        (state == State.WRITING && waitsForClient()) || state == State.IDLE || state == State.HEAD;
    return inputEnded || (waits && now() - progressNanos >= STUCK_NANOS);
  }

  /** Returns whether the client has yet to take what was made for it. On the event loop. */
  boolean waitsForClient() {
    return !writer.isMaking();
  }

  private long now() {
    return context.executor().ticker().nanoTime();
  }

  private void progress() {
    progressNanos = now();
  }

  /** Closes the connection at once. On the event loop. */
  void close() {
    state = State.CLOSED;
    stopTimer();
    endAnswer();
    context.close();
  }

  /**
   * Accepts no further request, and closes the connection at once if no request is being answered.
   */
  void closeAfterRequest() {
    closing = true;
    if (state != State.ANSWERING && state != State.WRITING) {
      close();
    }
  }

  // Time

  private void within(long millis, Runnable otherwise) {
    stopTimer();
    timer = context.executor().schedule(guarded(otherwise), millis, TimeUnit.MILLISECONDS);
  }

  /** Wraps a task so that an exception in it closes this connection only. */
  private Runnable guarded(Runnable task) {
    return () -> {
      try {
        task.run();
      } catch (Throwable e) {
        failed(e);
      }
    };
  }

  private void failed(Throwable fault) {
    shared.faults().report("an HTTP connection", peer, fault);
    close();
  }

  private void stopTimer() {
    if (timer != null) {
      timer.cancel(false);
      timer = null;
    }
  }

  private void headIsLate() {
    if (begun) {
      httpExchange = new HttpExchange(null, false);
      refuse(408, "request_timeout", "The request's headers were not there in time");
    } else {
      close();
    }
  }

  private void bodyIsLate() {
    refuse(408, "request_timeout", "The request's body was not there in time");
  }

  /** Called when bytes were received from the client. */
  void bytesCame() {
    begun = true;
    if (state == State.IDLE) {
      state = State.HEAD;
      within(shared.limits().requestMillis(), this::headIsLate);
    }
  }

  // Reading

  private void want() {
    wanting = true;
    context.read();
  }

  /** Reads on if the bytes were no complete object. */
  @Override
  public void channelReadComplete(ChannelHandlerContext same) {
    if (wanting) {
      same.read();
    }
    same.fireChannelReadComplete();
  }

  @Override
  protected void channelRead0(ChannelHandlerContext same, HttpObject object) {
    wanting = false;
    switch (state) {
      case IDLE, HEAD -> {
        if (object instanceof HttpRequest request) {
          begin(request);
        } else {
          want();
        }
      }
      case BODY -> receive((HttpContent) object);
      case DISCARDING -> discard((HttpContent) object);
      default -> LOGGER.trace("HTTP {}: more than was asked for", peer);
    }
  }

  private void begin(HttpRequest request) {
    stopTimer();
    requests++;
    boolean keepAlive =
        HttpUtil.isKeepAlive(request) && requests < shared.limits().maxRequests() && !closing;
    httpExchange = new HttpExchange(request, keepAlive);
    try {
      httpExchange.head = RequestFraming.head(request, peer, encrypted, shared.limits());
    } catch (RequestFraming.Refusal e) {
      refuse(e.status(), e.error(), e.getMessage());
      return;
    }
    decided(admit(httpExchange.head));
  }

  private void decided(Admission admission) {
    if (admission instanceof Admission.Deferred deferred) {
      defer(deferred);
    } else if (admission instanceof Admission.Refused refused) {
      if (!httpExchange.bodyIsRead) {
        httpExchange.leaveBody();
      }
      answerLater(refused.response(), refused.pauseMillis());
    } else if (admission instanceof Admission.Accepted accepted) {
      accept(accepted, accepted.limit());
    } else if (admission instanceof Admission.Awaited awaited) {
      accept(awaited, awaited.limit());
    } else if (admission instanceof Admission.Prompt prompt) {
      accept(prompt, prompt.limit());
    }
  }

  private Admission admit(RequestHead head) {
    try {
      return shared.service().admit(head);
    } catch (RuntimeException e) {
      return new Admission.Refused(shared.service().failure(head, e));
    }
  }

  /** Handles the decision about a request, or about the form of a login, when it is there. */
  private void defer(Admission.Deferred deferred) {
    state = State.ANSWERING;
    HttpExchange asked = httpExchange;
    deferred
        .decision()
        .whenComplete(
            (admission, error) ->
                context
                    .executor()
                    .execute(
                        guarded(
                            () -> {
                              if (state == State.ANSWERING && httpExchange == asked) {
                                decided(error == null ? admission : failed(asked.head, error));
                              }
                            })));
  }

  private Admission failed(RequestHead head, Throwable error) {
    return new Admission.Refused(shared.service().failure(head, Causes.of(error)));
  }

  private void accept(Admission accepted, BodyLimit limit) {
    if (isLoggedIn(accepted)) {
      shared.connections().busy(this);
    }
    if (httpExchange.declaredLength() > limit.maxBytes()) {
      tooLong(limit.maxBytes());
      return;
    }
    httpExchange.accepted = accepted;
    httpExchange.limit = limit;
    httpExchange.body = new BodyBuffer(shared.bodies(), limit.maxBytes());
    state = State.BODY;
    if (httpExchange.expectsContinue()) {
      context.writeAndFlush(
          new DefaultFullHttpResponse(
              HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE, Unpooled.EMPTY_BUFFER));
    }
    within(limit.maxMillis(), this::bodyIsLate);
    want();
  }

  private void receive(HttpContent content) {
    if (content.decoderResult().isFailure()) {
      RequestFraming.Refusal refusal =
          RequestFraming.undecodable(content.decoderResult().cause(), shared.limits());
      refuse(refusal.status(), refusal.error(), refusal.getMessage());
      return;
    }
    switch (httpExchange.body.append(content.content())) {
      case TAKEN -> {
        if (content instanceof LastHttpContent) {
          httpExchange.bodyIsRead = true;
          handle();
        } else {
          want();
        }
      }
      case TOO_LONG -> tooLong(httpExchange.limit.maxBytes());
      case NO_ROOM ->
          refuse(503, "overloaded", "Too many large requests are being received: try again later");
    }
  }

  private void tooLong(int most) {
    refuse(413, "payload_too_large", "Request body exceeds " + most + " bytes");
  }

  private void discard(HttpContent content) {
    if (content.decoderResult().isFailure()) {
      linger();
    } else if (content instanceof LastHttpContent) {
      next();
    } else {
      want();
    }
  }

  // Answering

  private void handle() {
    stopTimer();
    state = State.ANSWERING;
    if (httpExchange.accepted instanceof Admission.Awaited awaited) {
      await(awaited);
    } else if (httpExchange.accepted instanceof Admission.Prompt prompt) {
      answer(prompt);
    } else {
      work((Admission.Accepted) httpExchange.accepted);
    }
  }

  private static boolean isLoggedIn(Admission accepted) {
    return accepted != null && !(accepted instanceof Admission.Prompt);
  }

  private void answer(Admission.Prompt prompt) {
    Admission answer;
    try {
      answer = prompt.answer().apply(httpExchange.body.received());
    } catch (RuntimeException e) {
      answer = new Admission.Refused(shared.service().failure(httpExchange.head, e));
    }
    releaseBody();
    decided(answer);
  }

  private void await(Admission.Awaited awaited) {
    releaseBody();
    HttpExchange answered = httpExchange;
    answered.awaited = awaited.answer().get();
    answered.awaited.whenComplete(
        (response, error) -> {
          if (!answered.awaited.isCancelled()) {
            shared.workers().goOn(() -> make(answered, answered.awaited::join, () -> {}));
          }
        });
  }

  private void work(Admission.Accepted accepted) {
    // The received body takes memory until the worker is done, even if the client has disconnected.
    BodyBuffer received = httpExchange.body;
    httpExchange.body = null;
    RequestBody whole = received.received();
    HttpExchange answered = httpExchange;
    if (!shared
        .workers()
        .begin(
            () ->
                make(answered, () -> accepted.handler().handle(whole), () -> received.release()))) {
      received.release();
      refuse(503, "overloaded", "Too many requests wait for an answer: try again later");
    }
  }

  /**
   * Makes the first pieces of an answer, on a worker.
   *
   * @param done runs on the event loop when they are there
   */
  private void make(HttpExchange answered, Supplier<HttpResponse> answerer, Runnable done) {
    ResponseWriter.Begun begun;
    try {
      begun = ResponseWriter.begin(answerer.get(), answered.isToHead());
    } catch (Throwable e) {
      begun = ResponseWriter.beginShort(shared.service().failure(answered.head, e));
    }
    ResponseWriter.Begun answer = begun;
    context
        .executor()
        .execute(
            guarded(
                () -> {
                  done.run();
                  send(answer);
                }));
  }

  /** Sends an answer of the server itself, and closes the connection after it. */
  private void refuse(int status, String error, String reason) {
    httpExchange.keepAlive = false;
    LOGGER.debug("HTTP {}: {} {}", NetUtil.toSocketAddressString(peer), status, reason);
    send(ResponseWriter.beginShort(shared.service().refusal(status, error, reason)));
  }

  private void answerLater(HttpResponse response, long pauseMillis) {
    state = State.ANSWERING;
    if (pauseMillis == 0) {
      send(ResponseWriter.beginShort(response));
    } else {
      within(pauseMillis, () -> send(ResponseWriter.beginShort(response)));
    }
  }

  private void send(ResponseWriter.Begun answer) {
    if (state == State.CLOSED) {
      answer.abandon();
      return;
    }
    releaseBody();
    // What was done cannot be done again, so only what was asked for may be refused now.
    if (answer.isWhole()
        || !httpExchange.isReading()
        || shared.answers().hasRoomFor(answer.held())) {
      shared.answers().begin(this, answer.held(), answer.isWhole(), now());
      shared.makeRoom(now());
      if (state != State.CLOSED) {
        write(answer);
      }
    } else if (shared.answers().await(this, answer.held())) {
      waiting = answer;
      waitingSinceNanos = now();
      look();
    } else {
      refuseForWantOfRoom(answer);
    }
  }

  private void write(ResponseWriter.Begun answer) {
    httpExchange.keepAlive &= !closing && (answer.isWhole() || !httpExchange.isHttp10());
    state = State.WRITING;
    goesOn();
    writer.send(answer, httpExchange.isToHead(), httpExchange.isHttp10(), httpExchange.keepAlive);
  }

  /** There is room now for the answer that waits. */
  void sendWaiting() {
    ResponseWriter.Begun answer = waiting;
    waiting = null;
    stopTimer();
    write(answer);
  }

  private void look() {
    shared.makeRoom(now());
    if (waiting == null) {
      return;
    }
    if (now() - waitingSinceNanos < PATIENCE_NANOS) {
      within(LOOK_MILLIS, this::look);
    } else {
      ResponseWriter.Begun answer = waiting;
      waiting = null;
      endAnswer();
      refuseForWantOfRoom(answer);
    }
  }

  private void refuseForWantOfRoom(ResponseWriter.Begun answer) {
    answer.abandon();
    refuse(503, "overloaded", "Too many long answers are being sent: try again later");
  }

  private void endAnswer() {
    if (waiting != null) {
      waiting.abandon();
      waiting = null;
    }
    shared.ended(this, now());
  }

  private void releaseBody() {
    if (httpExchange != null && httpExchange.body != null) {
      httpExchange.body.release();
      httpExchange.body = null;
    }
  }

  @Override
  public void goesOn() {
    if (state == State.WRITING) {
      progress();
      shared.answers().goesOn(this, progressNanos);
      within(shared.limits().inactivityMillis(), this::close);
    }
  }

  @Override
  public void written() {
    if (state != State.WRITING) {
      return;
    }
    endAnswer();
    if (!httpExchange.keepAlive) {
      linger();
    } else if (httpExchange.bodyIsRead) {
      next();
    } else {
      state = State.DISCARDING;
      within(shared.limits().requestMillis(), this::close);
      want();
    }
  }

  @Override
  public void broken() {
    close();
  }

  private void linger() {
    state = State.LINGERING;
    stopTimer();
    shared.connections().unauthenticated(this);
    LingeringClose.begin(context.channel());
  }

  private void next() {
    boolean known = isLoggedIn(httpExchange.accepted);
    httpExchange = null;
    state = State.IDLE;
    progress();
    if (known) {
      shared.connections().idle(this);
    } else {
      shared.connections().unauthenticated(this);
    }
    within(shared.limits().idleMillis(), this::close);
    want();
    if (state == State.IDLE && (closing || inputEnded)) {
      close();
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext same) {
    writer.writabilityChanged();
    same.fireChannelWritabilityChanged();
  }

  /** Handles the end of the input; the client may still read. */
  @Override
  public void userEventTriggered(ChannelHandlerContext same, Object event) {
    if (event instanceof ChannelInputShutdownEvent) {
      inputEnded = true;
      if (state != State.ANSWERING && state != State.WRITING) {
        close();
      }
    }
    same.fireUserEventTriggered(event);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext same, Throwable cause) {
    if (cause instanceof IOException || cause.getCause() instanceof IOException) {
      LOGGER.debug("HTTP {}: {}", peer, cause.toString());
      close();
    } else {
      failed(cause);
    }
  }
}
