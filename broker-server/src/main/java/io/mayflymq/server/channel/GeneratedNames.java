package io.mayflymq.server.channel;

import java.security.SecureRandom;
import java.util.Base64;

/** Names that the broker makes up, and those that clients send. */
final class GeneratedNames {
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final int RANDOM_BYTES = 16;

  private GeneratedNames() {}

  /** The name of a queue that was declared without one. */
  static String generatedQueue() {
    return "amq.gen-" + random();
  }

  /** The tag of a consumer that asked for none. */
  static String generatedConsumerTag() {
    return "amq.ctag-" + random();
  }

  /** A name of a queue or exchange as RabbitMQ takes it: without line breaks. */
  static String clean(String name) {
    return name.indexOf('\n') < 0 && name.indexOf('\r') < 0
        ? name
        : name.replace("\n", "").replace("\r", "");
  }

  private static String random() {
    byte[] bytes = new byte[RANDOM_BYTES];
    RANDOM.nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
