package io.mayflymq.server.management.auth;

import java.security.SecureRandom;
import java.util.Base64;

/** The secret of a session: 256 random bits, as a text that may stand in a cookie. */
final class SessionToken {
  private static final int BYTES = 32;
  private static final SecureRandom RANDOM = new SecureRandom();

  private SessionToken() {}

  static String random() {
    byte[] random = new byte[BYTES];
    RANDOM.nextBytes(random);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(random);
  }
}
