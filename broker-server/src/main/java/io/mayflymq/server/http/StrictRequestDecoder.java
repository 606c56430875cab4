package io.mayflymq.server.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpRequestDecoder;

/**
 * Netty's decoder with stricter checks: refuses requests that two servers could understand in two
 * ways (RFC 9112, section 11.2), and reports when bytes are received.
 */
final class StrictRequestDecoder extends HttpRequestDecoder {
  private static final int LARGEST_CHUNK = 64 * 1024;

  private final Runnable onBytes;

  /**
   * @param onBytes called when something has come from the client
   */
  StrictRequestDecoder(HttpLimits limits, Runnable onBytes) {
    super(
        new HttpDecoderConfig()
            .setMaxInitialLineLength(limits.maxRequestLine())
            .setMaxHeaderSize(limits.maxHeaders())
            .setMaxChunkSize(LARGEST_CHUNK)
            .setHeadersFactory(LimitedHeaders.factory(DefaultHttpHeadersFactory.headersFactory()))
            .setTrailersFactory(LimitedHeaders.factory(DefaultHttpHeadersFactory.trailersFactory()))
            .setAllowDuplicateContentLengths(false));
    this.onBytes = onBytes;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
    onBytes.run();
    super.channelRead(context, message);
  }

  /** Netty would drop the length; who counts bytes and who counts chunks would disagree. */
  @Override
  protected void handleTransferEncodingChunkedWithContentLength(HttpMessage message) {
    throw new IllegalArgumentException("both Content-Length and Transfer-Encoding are given");
  }
}
