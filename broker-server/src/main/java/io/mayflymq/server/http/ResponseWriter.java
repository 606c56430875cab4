package io.mayflymq.server.http;

import io.mayflymq.core.fault.Faults;
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

/*
 * Writes one answer to a connection.
 *
 * A worker makes the first pieces of the body. If that was all of it, as it mostly is, the answer goes out in one write with its length. If not, it
 * is sent in chunks, and the next pieces are made only when the client has taken those before: a client that reads nothing costs what fits
 * between the two water marks of its channel, and no thread waits for it.
 */
final class ResponseWriter {
  /** Bytes that are made before anything is sent, and at a time afterwards. */
  private static final int AT_A_TIME = 64 * 1024;

  /** What it is told about its request, and what it tells of the answer. */
  interface Progress {
    /** The client has taken something; there is more. */
    void goesOn();

    /** All has been handed to the system. */
    void written();

    /** The rest could not be made, or not be sent: the client has half an answer. */
    void broken();
  }

  /**
   * An answer whose beginning has been made.
   *
   * @param first the first bytes of the body
   * @param length of the whole body if that is known, or -1
   */
  record Begun(HttpResponse response, ByteBuf first, long length) {
    boolean isWhole() {
      return length >= 0;
    }

    /** About how many bytes it takes until the client has taken it. */
    long held() {
      return isWhole() ? first.readableBytes() : response.body().held() + 2 * AT_A_TIME;
    }

    /** It will not be sent. */
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

  /** The same for an answer whose body is short and there already, so that nothing can fail. */
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
   * Sends it, on the event loop.
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

  /** The connection has ended, with an answer that is half sent or none. */
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

  /** The client has taken what it was sent, or some of it. */
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
          } catch (Throwable e) {
            faults.contained("the rest of an HTTP answer", e);
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
