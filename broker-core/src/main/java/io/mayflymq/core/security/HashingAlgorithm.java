package io.mayflymq.core.security;

import io.mayflymq.protocol.types.Utf8;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The functions that passwords are hashed with, by their names in RabbitMQ's definitions. */
public enum HashingAlgorithm {
  SHA256("rabbit_password_hashing_sha256", "SHA-256"),
  SHA512("rabbit_password_hashing_sha512", "SHA-512"),
  /** Only to check passwords of users from before RabbitMQ 3.6; also what a missing name means. */
  MD5("rabbit_password_hashing_md5", "MD5");

  private final String definitionsName;
  private final String digest;

  HashingAlgorithm(String definitionsName, String digest) {
    this.definitionsName = definitionsName;
    this.digest = digest;
  }

  /**
   * The algorithm of this name in {@code hashing_algorithm} of a user in exported definitions.
   *
   * @param name null or empty is MD5, as in RabbitMQ
   * @throws IllegalArgumentException if there is no such algorithm
   */
  public static HashingAlgorithm ofDefinitionsName(String name) {
    if (name == null || name.isEmpty()) {
      return MD5;
    }
    for (HashingAlgorithm algorithm : values()) {
      if (algorithm.definitionsName.equals(name)) {
        return algorithm;
      }
    }
    throw new IllegalArgumentException("unknown hashing algorithm '" + name + "'");
  }

  /** The name in exported definitions. */
  public String definitionsName() {
    return definitionsName;
  }

  /** The hash of a salt followed by the UTF-8 of a password. */
  byte[] hash(byte[] salt, String password) {
    MessageDigest function = newDigest();
    function.update(salt);
    return function.digest(Utf8.encode(password));
  }

  private MessageDigest newDigest() {
    try {
      return MessageDigest.getInstance(digest);
    } catch (NoSuchAlgorithmException e) {
      // The first two are required of every Java platform, and so was MD5 until Java 14.
      throw new IllegalStateException("this Java has no " + digest, e);
    }
  }
}
