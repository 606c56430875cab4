package io.mayflymq.server.channel;

import java.security.SecureRandom;
import java.util.Base64;

/** Generates names, and cleans names that clients send. */
public final class GeneratedNames {
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final int RANDOM_BYTES = 16;

  private GeneratedNames() {}

  /** Returns a new name for a queue that was declared without one. */
  static String generatedQueue() {
    return "amq.gen-" + random();
  }

  /** Returns a new tag for a consumer without one. */
  static String generatedConsumerTag() {
    return "amq.ctag-" + random();
  }

  /** Returns the name of a queue or exchange without line breaks, as RabbitMQ takes it. */
  public static String clean(String name) {
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
