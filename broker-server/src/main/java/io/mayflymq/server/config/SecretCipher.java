package io.mayflymq.server.config;

import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.security.spec.KeySpec;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import javax.crypto.Cipher;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * How values of the configuration are encrypted, so that RabbitMQ can decrypt those from here and
 * the other way round: base64 of 16 bytes of salt, the initialization vector, and the encrypted
 * term. PBKDF2 makes the key of the passphrase and the salt. The last byte of what is padded says
 * how many bytes the padding has, also in modes that need none.
 *
 * <p>Source: RabbitMQ 4.3.6, credentials_obfuscation_pbe, from which the defaults are too. Any
 * thread may call.
 *
 * @param cipher one of {@link #CIPHERS}
 * @param hash one of {@link #HASHES}
 * @param iterations of PBKDF2, from 1
 */
public record SecretCipher(String cipher, String hash, int iterations) {
  public static final String DEFAULT_CIPHER = "aes_128_cbc";
  public static final String DEFAULT_HASH = "sha256";
  public static final int DEFAULT_ITERATIONS = 1;

  /** The ciphers by Erlang's names: AES with keys of 128, 192 and 256 bits. */
  public static final List<String> CIPHERS =
      List.of(
          "aes_128_cbc",
          "aes_192_cbc",
          "aes_256_cbc",
          "aes_128_cfb128",
          "aes_192_cfb128",
          "aes_256_cfb128",
          "aes_128_cfb8",
          "aes_192_cfb8",
          "aes_256_cfb8",
          "aes_128_ctr",
          "aes_192_ctr",
          "aes_256_ctr",
          "aes_128_ofb",
          "aes_192_ofb",
          "aes_256_ofb");

  /** The hash functions by Erlang's names. */
  public static final List<String> HASHES = List.of("sha", "sha224", "sha256", "sha384", "sha512");

  /** The most iterations that one asks for: they take seconds. */
  public static final int MOST_ITERATIONS = 10_000_000;

  private static final int SALT = 16;
  private static final int BLOCK = 16;
  private static final SecureRandom RANDOM = new SecureRandom();

  public static SecretCipher ofDefaults() {
    return new SecretCipher(DEFAULT_CIPHER, DEFAULT_HASH, DEFAULT_ITERATIONS);
  }

  /** Encrypts a text. */
  public String encrypt(EncryptedTerm text, String passphrase) {
    byte[] salt = new byte[SALT];
    byte[] vector = new byte[BLOCK];
    RANDOM.nextBytes(salt);
    RANDOM.nextBytes(vector);
    try {
      byte[] encrypted =
          cipher(Cipher.ENCRYPT_MODE, passphrase, salt, vector).doFinal(padded(text.bytes()));
      byte[] all = Arrays.copyOf(salt, SALT + BLOCK + encrypted.length);
      System.arraycopy(vector, 0, all, SALT, BLOCK);
      System.arraycopy(encrypted, 0, all, SALT + BLOCK, encrypted.length);
      return Base64.getEncoder().encodeToString(all);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("Java lacks " + cipher + " with " + hash, e);
    }
  }

  /**
   * Decrypts a text.
   *
   * @return empty if it was encrypted in another way or by another passphrase, or is no text
   */
  public Optional<EncryptedTerm> decrypt(String base64, String passphrase) {
    byte[] all;
    try {
      all = Base64.getDecoder().decode(base64);
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
    int encrypted = all.length - SALT - BLOCK;
    if (encrypted < 1 || encrypted % blockSize() != 0) {
      return Optional.empty();
    }
    try {
      byte[] salt = Arrays.copyOf(all, SALT);
      byte[] vector = Arrays.copyOfRange(all, SALT, SALT + BLOCK);
      byte[] padded =
          cipher(Cipher.DECRYPT_MODE, passphrase, salt, vector)
              .doFinal(all, SALT + BLOCK, encrypted);
      int padding = padded[padded.length - 1];
      return padding < 1 || padding > blockSize()
          ? Optional.empty()
          : EncryptedTerm.of(Arrays.copyOf(padded, padded.length - padding));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("Java lacks " + cipher + " with " + hash, e);
    }
  }

  private Cipher cipher(int what, String passphrase, byte[] salt, byte[] vector)
      throws GeneralSecurityException {
    String[] name = cipher.split("_");
    KeySpec secret =
        new PBEKeySpec(passphrase.toCharArray(), salt, iterations, Integer.parseInt(name[1]));
    byte[] key =
        SecretKeyFactory.getInstance("PBKDF2WithHmac" + (hash.equals("sha") ? "SHA1" : hash))
            .generateSecret(secret)
            .getEncoded();
    Cipher java = Cipher.getInstance("AES/" + name[2] + "/NoPadding");
    java.init(what, new SecretKeySpec(key, "AES"), new IvParameterSpec(vector));
    return java;
  }

  private byte[] padded(byte[] term) {
    int padding = blockSize() - term.length % blockSize();
    byte[] padded = Arrays.copyOf(term, term.length + padding);
    Arrays.fill(padded, term.length, padded.length, (byte) padding);
    return padded;
  }

  /** The other modes make a stream of bytes of the cipher. */
  private int blockSize() {
    return cipher.endsWith("_cbc") ? BLOCK : 1;
  }
}
