package io.mayflymq.server.http;

import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpHeadersFactory;
import io.netty.handler.codec.http.TooLongHttpHeaderException;

/**
 * The headers of a request, of which there is a limit: an empty one takes four bytes from its
 * client and a hundred here.
 */
final class LimitedHeaders extends DefaultHttpHeaders {
  /** As many as RabbitMQ's server of HTTP takes. */
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

  /** The decoder calls this for each line. */
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
