package io.mayflymq.server.management.api;

import io.netty.buffer.ByteBufInputStream;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.multipart.DefaultHttpDataFactory;
import io.netty.handler.codec.http.multipart.HttpData;
import io.netty.handler.codec.http.multipart.HttpPostMultipartRequestDecoder;
import io.netty.handler.codec.http.multipart.HttpPostRequestDecoder;
import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;

/**
 * A body of {@code multipart/form-data} (RFC 7578), as forms of browsers and {@code curl -F} send
 * it. It is decoded in memory.
 */
public final class FormData implements AutoCloseable {
  private static final String TYPE = "multipart/form-data";

  private final HttpPostMultipartRequestDecoder decoder;

  /**
   * Decodes a body.
   *
   * @throws ApiException 400 if it is no such form
   */
  public FormData(Request request) {
    HttpRequest head = new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.POST, "/");
    head.headers().set(HttpHeaderNames.CONTENT_TYPE, request.headers().get("content-type"));
    if (!HttpPostRequestDecoder.isMultipart(head)) {
      throw ApiException.badRequest(
          "the content type %s names no boundary of the parts".formatted(TYPE));
    }
    try {
      decoder = new HttpPostMultipartRequestDecoder(new DefaultHttpDataFactory(false), head);
      decoder.offer(new DefaultLastHttpContent(Unpooled.wrappedBuffer(request.body().bytes())));
    } catch (DecoderException e) {
      throw ApiException.badRequest("the body is not %s: %s".formatted(TYPE, e.getMessage()));
    }
  }

  /** Whether a request has such a body. */
  public static boolean isIn(Request request) {
    return request
        .headers()
        .getOrDefault("content-type", "")
        .toLowerCase(Locale.ROOT)
        .startsWith(TYPE);
  }

  /**
   * Returns the content of a part, which can be read until this is closed.
   *
   * @throws ApiException 400 if there is none of that name
   */
  public InputStream part(String name) throws IOException {
    if (decoder.getBodyHttpData(name) instanceof HttpData part) {
      return new ByteBufInputStream(part.getByteBuf());
    }
    throw ApiException.badRequest("the form has no part '%s'".formatted(name));
  }

  @Override
  public void close() {
    decoder.destroy();
  }
}
