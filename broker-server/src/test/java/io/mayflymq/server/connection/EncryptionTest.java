package io.mayflymq.server.connection;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EncryptionTest {
  @ParameterizedTest
  @CsvSource({
    "TLS_AES_256_GCM_SHA384, any, aes_256_gcm, aead",
    "TLS_CHACHA20_POLY1305_SHA256, any, chacha20_poly1305, aead",
    "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, ecdhe_rsa, aes_128_gcm, aead",
    "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA384, ecdhe_ecdsa, aes_256_cbc, sha384",
    "TLS_RSA_WITH_AES_128_CBC_SHA, rsa, aes_128_cbc, sha",
  })
  void cipherSuiteNameIsSplitIntoItsParts(
      String suite, String keyExchange, String cipher, String hash) {
    Encryption encryption = new Encryption("TLSv1.3", suite, null);
    assertThat(encryption.keyExchange()).isEqualTo(keyExchange);
    assertThat(encryption.cipher()).isEqualTo(cipher);
    assertThat(encryption.hash()).isEqualTo(hash);
  }
}
