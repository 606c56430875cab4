package io.mayflymq.server.cluster.transport;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** What all nodes of a cluster know. It is never sent and never shown. */
public final class ClusterSecret {
  private static final String ALGORITHM = "HmacSHA256";

  private final SecretKeySpec key;

  private ClusterSecret(byte[] secret) {
    key = new SecretKeySpec(secret, ALGORITHM);
  }

  /**
   * Returns a secret.
   *
   * @throws IllegalArgumentException if it is empty
   */
  public static ClusterSecret of(String secret) {
    return new ClusterSecret(secret.getBytes(StandardCharsets.UTF_8));
  }

  /** Returns the HMAC-SHA256 of some texts, one behind the other. */
  byte[] sign(byte[]... texts) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      for (byte[] text : texts) {
        mac.update(text);
      }
      return mac.doFinal();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("Java lacks " + ALGORITHM, e);
    }
  }

  @Override
  public String toString() {
    return "ClusterSecret[...]";
  }
}
