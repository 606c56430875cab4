package io.mayflymq.core.store;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The name of a queue, as it is stored beside its messages: so that their queue is known even if
 * metadata are lost.
 *
 * @param vhost the name of its virtual host
 * @param name its name in that virtual host
 */
public record QueueName(String vhost, String name) {
  private static final char SEPARATOR = 0;

  /** Encodes the names: an unsigned short with the length of the first one, then both in UTF-8. */
  public byte[] encode() {
    byte[] first = vhost.getBytes(StandardCharsets.UTF_8);
    byte[] second = name.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(Short.BYTES + first.length + second.length)
        .putShort((short) first.length)
        .put(first)
        .put(second)
        .array();
  }

  /** Decodes the result of {@link #encode}; null if it is not valid. */
  public static QueueName decode(byte[] bytes) {
    if (bytes.length < Short.BYTES) {
      return null;
    }
    int first = ByteBuffer.wrap(bytes).getShort() & 0xffff;
    int second = Short.BYTES + first;
    return second > bytes.length
        ? null
        : new QueueName(
            new String(bytes, Short.BYTES, first, StandardCharsets.UTF_8),
            new String(bytes, second, bytes.length - second, StandardCharsets.UTF_8));
  }

  /** Returns both names as one string, for {@link #split}. */
  public String joined() {
    return vhost + SEPARATOR + name;
  }

  /** Parses the result of {@link #joined}; null if it is not valid. */
  public static QueueName split(String joined) {
    int at = joined.indexOf(SEPARATOR);
    return at < 0 ? null : new QueueName(joined.substring(0, at), joined.substring(at + 1));
  }

  @Override
  public String toString() {
    return "queue '%s' in vhost '%s'".formatted(name, vhost);
  }
}
