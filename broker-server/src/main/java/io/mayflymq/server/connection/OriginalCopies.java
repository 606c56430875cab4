package io.mayflymq.server.connection;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.message.SenderSelectedKeys;
import io.mayflymq.protocol.types.BasicProperties;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.PropertiesScan;
import java.nio.charset.StandardCharsets;

/**
 * Messages that are published once more: the keys of the header {@code CC} have had their effect,
 * and go into {@code x-original-cc}. For one thread.
 */
final class OriginalCopies {
  private static final String ORIGINAL = "x-original-cc";
  private static final byte[][] COPIES = {
    SenderSelectedKeys.CC.getBytes(StandardCharsets.US_ASCII)
  };

  private final PropertiesScan scan = new PropertiesScan();
  private int propertiesLength;

  /** Returns the content of a message as it is published. */
  byte[] of(Message message) {
    byte[] content = message.content();
    propertiesLength = message.propertiesLength();
    scan.scan(content, 0, propertiesLength);
    if (scan.headersOffset() < 0
        || PropertiesScan.keys(content, scan.headersOffset(), scan.headersLength(), COPIES) == 0) {
      return content;
    }
    BasicProperties properties = message.properties();
    FieldTable headers = properties.headers();
    FieldTable changed = headers.without(SenderSelectedKeys.CC);
    if (!headers.containsKey(ORIGINAL)) {
      changed = changed.with(ORIGINAL, headers.get(SenderSelectedKeys.CC));
    }
    byte[] copy =
        properties.toBuilder().headers(changed).build().encodeBefore(content, propertiesLength);
    propertiesLength += copy.length - content.length;
    return copy;
  }

  /** Returns how much of the last content is properties. */
  int propertiesLength() {
    return propertiesLength;
  }
}
