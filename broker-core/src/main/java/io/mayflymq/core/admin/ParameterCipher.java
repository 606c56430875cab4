package io.mayflymq.core.admin;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Encrypts what is kept of parameters with passwords: in the log of metadata, its copies on other
 * nodes, and backups. AES with keys of 256 bits in the mode GCM, which also tells whether a value
 * is what was encrypted, and is that of this parameter; PBKDF2 makes the key of a passphrase, which
 * all nodes of a cluster share.
 *
 * <p>What is kept is a text of JSON: {@code encrypted:} and the base64 of a version (1), 16 bytes
 * of salt, 12 of a random vector, and the encrypted value with its tag. Any thread may call.
 */
public final class ParameterCipher {
  private static final String PREFIX = "\"encrypted:";
  private static final byte VERSION = 1;
  private static final int SALT = 16;
  private static final int VECTOR = 12;
  private static final int HEAD = 1 + SALT + VECTOR;
  private static final int TAG_BITS = 128;
  private static final int KEY_BITS = 256;

  /** Source: OWASP, Password Storage Cheat Sheet, PBKDF2-HMAC-SHA512. */
  private static final int ITERATIONS = 210_000;

  private final SecureRandom random = new SecureRandom();
  private final char[] passphrase;

  /** Keys by their salts: to make one takes a tenth of a second. */
  private final Map<ByteBuffer, SecretKeySpec> keys = new ConcurrentHashMap<>();

  /** What is encrypted from here on has one salt, and so one key. */
  private final byte[] salt = new byte[SALT];

  /**
   * Encrypts by a passphrase.
   *
   * @param passphrase not empty
   */
  public ParameterCipher(String passphrase) {
    this.passphrase = passphrase.toCharArray();
    random.nextBytes(salt);
  }

  /** Returns whether a value, in JSON, is encrypted: no component has a value that is like it. */
  static boolean isEncrypted(String json) {
    return json.startsWith(PREFIX);
  }

  /** Returns a parameter with its value encrypted. */
  Parameter encrypted(Parameter clear) {
    byte[] vector = new byte[VECTOR];
    random.nextBytes(vector);
    try {
      byte[] value =
          cipher(Cipher.ENCRYPT_MODE, salt, vector, clear)
              .doFinal(clear.json().getBytes(StandardCharsets.UTF_8));
      byte[] all =
          ByteBuffer.allocate(HEAD + value.length)
              .put(VERSION)
              .put(salt)
              .put(vector)
              .put(value)
              .array();
      return clear.with(PREFIX + Base64.getEncoder().encodeToString(all) + '"');
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("Java lacks AES with GCM", e);
    }
  }

  /**
   * Returns a parameter with its value decrypted.
   *
   * @return empty if it was encrypted by another passphrase, or is no such value of this parameter
   */
  Optional<Parameter> decrypted(Parameter kept) {
    String json = kept.json();
    byte[] all;
    try {
      all = Base64.getDecoder().decode(json.substring(PREFIX.length(), json.length() - 1));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
    if (all.length < HEAD || all[0] != VERSION) {
      return Optional.empty();
    }
    byte[] itsSalt = Arrays.copyOfRange(all, 1, 1 + SALT);
    byte[] vector = Arrays.copyOfRange(all, 1 + SALT, HEAD);
    try {
      byte[] value =
          cipher(Cipher.DECRYPT_MODE, itsSalt, vector, kept).doFinal(all, HEAD, all.length - HEAD);
      return Optional.of(kept.with(new String(value, StandardCharsets.UTF_8)));
    } catch (AEADBadTagException e) {
      return Optional.empty();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("Java lacks AES with GCM", e);
    }
  }

  private Cipher cipher(int what, byte[] itsSalt, byte[] vector, Parameter parameter)
      throws GeneralSecurityException {
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
    cipher.init(what, key(itsSalt), new GCMParameterSpec(TAG_BITS, vector));
    for (String part : new String[] {parameter.vhost(), parameter.component(), parameter.name()}) {
      byte[] text = part.getBytes(StandardCharsets.UTF_8);
      cipher.updateAAD(ByteBuffer.allocate(Integer.BYTES).putInt(text.length).flip());
      cipher.updateAAD(text);
    }
    return cipher;
  }

  private SecretKeySpec key(byte[] itsSalt) throws GeneralSecurityException {
    ByteBuffer name = ByteBuffer.wrap(itsSalt);
    SecretKeySpec known = keys.get(name);
    if (known != null) {
      return known;
    }
    byte[] bytes =
        SecretKeyFactory.getInstance("PBKDF2WithHmacSHA512")
            .generateSecret(new PBEKeySpec(passphrase, itsSalt, ITERATIONS, KEY_BITS))
            .getEncoded();
    SecretKeySpec made = new SecretKeySpec(bytes, "AES");
    keys.put(name, made);
    return made;
  }
}
