package io.mayflymq.server.channel;

import io.mayflymq.core.vhost.ReplyConsumers;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.PropertiesScan;
import io.mayflymq.protocol.types.ReplyCode;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Replaces the pseudo-queue of direct reply-to by the name that replies are sent to, in raw
 * properties.
 */
final class ReplyAddress {
  private static final byte[] PSEUDO_QUEUE =
      ReplyConsumers.PSEUDO_QUEUE.getBytes(StandardCharsets.US_ASCII);

  private ReplyAddress() {}

  /** Returns whether the scanned properties ask for a reply to the channel. */
  static boolean isWanted(PropertiesScan properties, byte[] content) {
    int from = properties.replyToOffset();
    return properties.replyToLength() == PSEUDO_QUEUE.length
        && Arrays.equals(
            content, from, from + PSEUDO_QUEUE.length, PSEUDO_QUEUE, 0, PSEUDO_QUEUE.length);
  }

  /**
   * Returns the content with a name as its reply-to.
   *
   * @param name up to 255 bytes of ASCII; null if the channel has no reply consumer
   * @throws ChannelException 406 if it has none
   */
  static byte[] put(String name, PropertiesScan properties, byte[] content) {
    if (name == null) {
      throw new ChannelException(
          ReplyCode.PRECONDITION_FAILED, "fast reply consumer does not exist");
    }
    byte[] address = name.getBytes(StandardCharsets.US_ASCII);
    int from = properties.replyToOffset();
    int behind = from + PSEUDO_QUEUE.length;
    byte[] changed = new byte[content.length - PSEUDO_QUEUE.length + address.length];
    System.arraycopy(content, 0, changed, 0, from);
    changed[from - 1] = (byte) address.length;
    System.arraycopy(address, 0, changed, from, address.length);
    System.arraycopy(content, behind, changed, from + address.length, content.length - behind);
    return changed;
  }
}
