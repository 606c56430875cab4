package io.mayflymq.server.http;

import io.mayflymq.server.http.HttpService.Admission;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import java.util.concurrent.CompletableFuture;

/** One request and its answer, as far as received and produced. On its connection's event loop. */
final class HttpExchange {
  /** The largest body of a refused request that is read and discarded, to keep the connection. */
  private static final int MOST_DISCARDED = 64 * 1024;

  private final HttpRequest request;

  /** Null if it was malformed. */
  RequestHead head;

  /** Null if it was refused. */
  Admission accepted;

  /** What its body may take; null if it was refused. */
  BodyLimit limit;

  /** The answer that is waited for; null if there is none. */
  CompletableFuture<HttpResponse> awaited;

  /** Null if none is being received. */
  BodyBuffer body;

  /** Whether the request has been read to its end. */
  boolean bodyIsRead;

  /** Whether the connection stays open after the answer. */
  boolean keepAlive;

  /**
   * @param request null if its headers were never complete
   */
  HttpExchange(HttpRequest request, boolean keepAlive) {
    this.request = request;
    this.keepAlive = keepAlive;
  }

  boolean isHttp10() {
    return request != null && request.protocolVersion().equals(HttpVersion.HTTP_1_0);
  }

  boolean isToHead() {
    return head != null && head.method().equals("HEAD");
  }

  /** Returns whether the request only reads, so that its answer can be made again. */
  boolean isReading() {
    return head != null && (head.method().equals("GET") || isToHead());
  }

  /** Returns the length of the body if it is given, or 0. */
  long declaredLength() {
    return HttpUtil.getContentLength(request, 0L);
  }

  boolean expectsContinue() {
    return HttpUtil.is100ContinueExpected(request);
  }

  /**
   * Decides that the body is not needed. The connection stays open after it only if the body is
   * short; a client that sent Expect: 100-continue may send it or not.
   */
  void leaveBody() {
    keepAlive &=
        !expectsContinue()
            && !HttpUtil.isTransferEncodingChunked(request)
            && declaredLength() <= MOST_DISCARDED;
  }
}
