package io.mayflymq.server.config;

import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * Secrets that nodes share. A recorded handshake without TLS is enough to try secrets offline, at
 * any rate: so a secret needs as many random bits as a key.
 */
public final class Secrets {
  /** How many random bytes a secret should have. */
  public static final int BYTES = 32;

  /** So many different characters 32 random bytes have at least, in whatever form. */
  private static final int LEAST_DIFFERENT = 8;

  private static final SecureRandom RANDOM = new SecureRandom();

  private Secrets() {}

  /** Returns a new secret: 32 random bytes in hexadecimal digits. */
  public static String generate() {
    byte[] bytes = new byte[BYTES];
    RANDOM.nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  /**
   * Returns whether a secret may hold 32 random bytes, by its length and its characters: 64
   * hexadecimal digits, 43 letters and digits of base64, and more do. It cannot be told whether
   * they are random.
   */
  public static boolean mayBeStrong(String secret) {
    return bits(secret) >= BYTES * Byte.SIZE
        && secret.chars().distinct().count() >= LEAST_DIFFERENT;
  }

  /** Returns how many random bits a text can hold at most, by its length and its characters. */
  private static double bits(String text) {
    int alphabet;
    if (text.chars().allMatch(Character::isDigit)) {
      alphabet = 10;
    } else if (text.matches("[0-9a-f]*|[0-9A-F]*")) {
      alphabet = 16;
    } else if (text.matches("[A-Za-z]*")) {
      alphabet = text.matches("[a-z]*|[A-Z]*") ? 26 : 52;
    } else {
      alphabet = 64;
    }
    return text.length() * Math.log(alphabet) / Math.log(2);
  }
}
