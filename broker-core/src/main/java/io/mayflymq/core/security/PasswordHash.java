package io.mayflymq.core.security;

import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.Objects;

/**
 * A salted password hash in the form of RabbitMQ's definitions: Base64 of 4 bytes of salt and the
 * hash of salt and password (rabbitmq.com/docs/passwords). Immutable.
 *
 * @param algorithm what hashed it
 * @param base64 the {@code password_hash} of the definitions; empty for a user without a password,
 *     who cannot log in with one
 */
public record PasswordHash(HashingAlgorithm algorithm, String base64) {
  /** The hash of no password: nothing matches it. */
  public static final PasswordHash NONE = new PasswordHash(HashingAlgorithm.SHA256, "");

  private static final int SALT_LENGTH = 4;
  private static final SecureRandom RANDOM = new SecureRandom();

  /**
   * The given hash.
   *
   * @throws IllegalArgumentException if it is not Base64
   */
  public PasswordHash {
    Objects.requireNonNull(algorithm, "algorithm");
    Base64.getDecoder().decode(base64);
  }

  /** Hashes a password with SHA-256, RabbitMQ's default, and a random salt. */
  public static PasswordHash of(String password) {
    return of(HashingAlgorithm.SHA256, password);
  }

  /** Hashes a password with a random salt. */
  public static PasswordHash of(HashingAlgorithm algorithm, String password) {
    byte[] salt = new byte[SALT_LENGTH];
    RANDOM.nextBytes(salt);
    return of(algorithm, salt, password);
  }

  /**
   * Hashes a password with a given salt.
   *
   * @param salt 4 bytes
   * @throws IllegalArgumentException if the salt has another length
   */
  public static PasswordHash of(HashingAlgorithm algorithm, byte[] salt, String password) {
    if (salt.length != SALT_LENGTH) {
      throw new IllegalArgumentException("salt of " + salt.length + " bytes");
    }
    byte[] hash = algorithm.hash(salt, password);
    byte[] salted = Arrays.copyOf(salt, SALT_LENGTH + hash.length);
    System.arraycopy(hash, 0, salted, SALT_LENGTH, hash.length);
    return new PasswordHash(algorithm, Base64.getEncoder().encodeToString(salted));
  }

  /** Whether this is the hash of that password. Takes as long for a wrong one as for a right. */
  public boolean matches(String password) {
    byte[] salted = Base64.getDecoder().decode(base64);
    byte[] salt = Arrays.copyOf(salted, SALT_LENGTH);
    byte[] actual = algorithm.hash(salt, password);
    return salted.length == SALT_LENGTH + actual.length
        && MessageDigest.isEqual(actual, Arrays.copyOfRange(salted, SALT_LENGTH, salted.length));
  }

  /** Without the hash, which is worth keeping out of logs. */
  @Override
  public String toString() {
    return "PasswordHash[" + algorithm + "]";
  }
}
