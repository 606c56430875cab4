package io.mayflymq.core.store;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * What a queue is called, as it is kept beside its messages: so that these can be told whose they
 * are if metadata is lost.
 *
 * @param vhost the name of its virtual host
 * @param name its name there
 */
public record QueueName(String vhost, String name) {
  private static final char SEPARATOR = 0;

  /** As bytes: an unsigned short with the length of the first one, then both in UTF-8. */
  public byte[] encode() {
    byte[] first = vhost.getBytes(StandardCharsets.UTF_8);
    byte[] second = name.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(Short.BYTES + first.length + second.length)
        .putShort((short) first.length)
        .put(first)
        .put(second)
        .array();
  }

  /** Reads what {@link #encode} made; null if it did not make that. */
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

  /** As one string, for {@link #split}. */
  public String joined() {
    return vhost + SEPARATOR + name;
  }

  /** Reads what {@link #joined} made; null if it did not make that. */
  public static QueueName split(String joined) {
    int at = joined.indexOf(SEPARATOR);
    return at < 0 ? null : new QueueName(joined.substring(0, at), joined.substring(at + 1));
  }

  @Override
  public String toString() {
    return "queue '%s' in vhost '%s'".formatted(name, vhost);
  }
}
