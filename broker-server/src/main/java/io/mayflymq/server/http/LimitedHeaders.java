package io.mayflymq.server.http;

import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpHeadersFactory;
import io.netty.handler.codec.http.TooLongHttpHeaderException;

/**
 * The headers of a request, whose number is limited: an empty header costs the client four bytes
 * and this server a hundred.
 */
final class LimitedHeaders extends DefaultHttpHeaders {
  /** The limit of RabbitMQ's HTTP server. */
  static final int MOST = 100;

  private static final int USUAL = 16;

  private int count;

  private LimitedHeaders(DefaultHttpHeadersFactory checks) {
    super(checks.getNameValidator(), checks.getValueValidator(), USUAL);
  }

  /** Makes them, with the checks of names and values that Netty's own have. */
  static HttpHeadersFactory factory(DefaultHttpHeadersFactory checks) {
    return new HttpHeadersFactory() {
      @Override
      public HttpHeaders newHeaders() {
        return new LimitedHeaders(checks);
      }

      @Override
      public HttpHeaders newEmptyHeaders() {
        return new LimitedHeaders(checks);
      }
    };
  }

  /** Adds a header; the decoder calls this for each line. */
  @Override
  public HttpHeaders add(CharSequence name, Object value) {
    countOne();
    return super.add(name, value);
  }

  @Override
  public HttpHeaders add(String name, Object value) {
    countOne();
    return super.add(name, value);
  }

  private void countOne() {
    if (++count > MOST) {
      throw new TooLongHttpHeaderException("more than " + MOST + " headers");
    }
  }
}
