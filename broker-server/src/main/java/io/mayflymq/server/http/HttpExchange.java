package io.mayflymq.server.http;

import io.mayflymq.server.http.HttpService.Admission;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;

/** One request and its answer, as far as they have come. On its connection's event loop. */
final class HttpExchange {
  /** Bytes of a refused request's body that are read and thrown away, to keep the connection. */
  private static final int MOST_DISCARDED = 64 * 1024;

  private final HttpRequest request;

  /** Null if there was something wrong with it. */
  RequestHead head;

  /** Null if it was refused. */
  Admission.Accepted accepted;

  /** Null if none is being received. */
  BodyBuffer body;

  /** Whether the request has been read to its end. */
  boolean bodyIsRead;

  /** Whether the connection goes on behind the answer. */
  boolean keepAlive;

  /**
   * @param request null if its headers have never been there
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

  /** The length of the body if it is given, or 0. */
  long declaredLength() {
    return HttpUtil.getContentLength(request, 0L);
  }

  boolean expectsContinue() {
    return HttpUtil.is100ContinueExpected(request);
  }

  /**
   * The body will not be wanted, and the connection goes on behind it only if it is short; who
   * waits to be asked for it may send it or not.
   */
  void leaveBody() {
    keepAlive &=
        !expectsContinue()
            && !HttpUtil.isTransferEncodingChunked(request)
            && declaredLength() <= MOST_DISCARDED;
  }
}
