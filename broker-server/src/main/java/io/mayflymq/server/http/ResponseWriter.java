package io.mayflymq.server.http;

import io.mayflymq.core.runtime.Faults;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Map;

/**
 * Writes one answer to a connection.
 *
 * <p>A worker produces the first pieces of the body. If that is the whole body, as in most cases,
 * the answer is written at once with its length. If not, it is sent in chunks, and further pieces
 * are produced only when the client has read those before: a client that does not read costs the
 * memory between the two water marks of its channel, and no thread waits for it.
 */
final class ResponseWriter {
  /** Bytes that are made before anything is sent, and at a time afterwards. */
  private static final int AT_A_TIME = 64 * 1024;

  /** The callbacks that report the progress of the answer. */
  interface Progress {
    /** Called when the client has received a part and there is more. */
    void goesOn();

    /** Called when everything was handed to the system. */
    void written();

    /**
     * Called when the rest could not be produced or sent, so that the client has an incomplete
     * answer.
     */
    void broken();
  }

  /**
   * An answer whose first pieces were produced.
   *
   * @param first the first bytes of the body
   * @param length of the whole body if that is known, or -1
   */
  record Begun(HttpResponse response, ByteBuf first, long length) {
    boolean isWhole() {
      return length >= 0;
    }

    /** Returns about how many bytes it takes until the client has taken it. */
    long held() {
      return isWhole() ? first.readableBytes() : response.body().held() + 2 * AT_A_TIME;
    }

    /** Releases an answer that is not sent. */
    void abandon() {
      if (!isWhole()) {
        response.body().close();
      }
    }
  }

  private final Channel channel;
  private final Workers workers;
  private final Faults faults;
  private final Progress progress;
  private BodySource rest;
  private boolean making;

  ResponseWriter(Channel channel, HttpServer.Shared shared, Progress progress) {
    this.channel = channel;
    this.workers = shared.workers();
    this.faults = shared.faults();
    this.progress = progress;
  }

  /**
   * Makes the first pieces of an answer, on a worker.
   *
   * @param lengthOnly whether the rest is only measured, for HEAD
   * @throws IOException if they cannot be made
   */
  static Begun begin(HttpResponse response, boolean lengthOnly) throws IOException {
    boolean goesOn = false;
    try {
      Begun begun = beginBody(response, lengthOnly);
      goesOn = !begun.isWhole();
      return begun;
    } finally {
      if (!goesOn && response.body() != null) {
        response.body().close();
      }
    }
  }

  private static Begun beginBody(HttpResponse response, boolean lengthOnly) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    boolean more = fill(response.body(), out);
    ByteBuf first = Unpooled.wrappedBuffer(out.toByteArray());
    if (!more || !lengthOnly) {
      return new Begun(response, first, more ? -1 : first.readableBytes());
    }
    long length = first.readableBytes();
    while (more) {
      out.reset();
      more = fill(response.body(), out);
      length += out.size();
    }
    return new Begun(response, first, length);
  }

  /** Begins an answer whose body is short and available, so that nothing can fail. */
  static Begun beginShort(HttpResponse response) {
    try {
      return begin(response, false);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean fill(BodySource body, ByteArrayOutputStream out) throws IOException {
    boolean more = body != null;
    while (more && out.size() < AT_A_TIME) {
      more = body.appendTo(out);
    }
    return more;
  }

  /**
   * Sends the answer, on the event loop.
   *
   * @param toHead whether the request was HEAD
   * @param keepAlive whether the connection stays open; it does not for a client of HTTP/1.0 that
   *     gets what is not whole
   */
  void send(Begun begun, boolean toHead, boolean http10, boolean keepAlive) {
    HttpHeaders headers = headers(begun.response().headers());
    var head =
        new DefaultHttpResponse(
            HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(begun.response().status()), headers);
    if (begun.isWhole()) {
      headers.set(HttpHeaderNames.CONTENT_LENGTH, begun.length());
    } else if (!http10) {
      headers.set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
    }
    if (!keepAlive) {
      headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    } else if (http10) {
      headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.KEEP_ALIVE);
    }
    channel.write(head);
    if (toHead || begun.isWhole()) {
      finish(toHead ? Unpooled.EMPTY_BUFFER : begun.first());
      return;
    }
    rest = begun.response().body();
    flush(begun.first());
  }

  private static HttpHeaders headers(Map<String, String> given) {
    HttpHeaders headers = DefaultHttpHeadersFactory.headersFactory().newHeaders();
    given.forEach(headers::set);
    return headers;
  }

  /** Releases everything when the connection has ended, with or without an incomplete answer. */
  void abandon() {
    if (rest != null) {
      rest.close();
      rest = null;
    }
  }

  private void finish(ByteBuf last) {
    abandon();
    if (last.isReadable()) {
      channel.write(new DefaultHttpContent(last));
    }
    channel
        .writeAndFlush(LastHttpContent.EMPTY_LAST_CONTENT)
        .addListener(
            sent -> {
              if (sent.isSuccess()) {
                progress.written();
              } else {
                progress.broken();
              }
            });
  }

  private void flush(ByteBuf pieces) {
    ChannelFuture sent = channel.writeAndFlush(new DefaultHttpContent(pieces));
    if (!sent.isDone() || sent.isSuccess()) {
      progress.goesOn();
      more();
    } else {
      progress.broken();
    }
  }

  /** Returns whether further pieces are being made, so that the client has nothing to take. */
  boolean isMaking() {
    return making;
  }

  /** Continues when the client has received all or some of the bytes sent. */
  void writabilityChanged() {
    if (rest != null && channel.isWritable()) {
      progress.goesOn();
      more();
    }
  }

  private void more() {
    if (rest == null || making || !channel.isWritable()) {
      return;
    }
    making = true;
    BodySource body = rest;
    workers.goOn(
        () -> {
          ByteArrayOutputStream out = new ByteArrayOutputStream();
          try {
            boolean more = fill(body, out);
            channel
                .eventLoop()
                .execute(() -> made(Unpooled.wrappedBuffer(out.toByteArray()), more));
          } catch (BodySource.GivenUpException e) {
            channel.eventLoop().execute(progress::broken);
          } catch (Throwable e) {
            faults.report("the rest of an HTTP answer", e);
            channel.eventLoop().execute(progress::broken);
          }
        });
  }

  private void made(ByteBuf pieces, boolean more) {
    making = false;
    if (rest == null || !channel.isActive()) {
      return;
    }
    if (more) {
      flush(pieces);
    } else {
      finish(pieces);
    }
  }
}
