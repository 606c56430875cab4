package io.mayflymq.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CipherSuitesTest {
  @ParameterizedTest
  @CsvSource({
    "ECDHE-RSA-AES256-GCM-SHA384, TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
    "ECDHE-ECDSA-AES128-SHA256, TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256",
    "ECDHE-ECDSA-CHACHA20-POLY1305, TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
    "DHE-RSA-AES128-GCM-SHA256, TLS_DHE_RSA_WITH_AES_128_GCM_SHA256",
    "ECDHE-RSA-AES128-SHA, TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA",
    "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384, TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
    "TLS_AES_256_GCM_SHA384, TLS_AES_256_GCM_SHA384",
    "tls_chacha20_poly1305_sha256, TLS_CHACHA20_POLY1305_SHA256"
  })
  void cipherSuiteIsFoundByItsOpenSslAndIanaNames(String name, String suite) {
    assertThat(CipherSuites.named(name)).contains(suite);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "AES", "ECDHE-RSA-AES512-GCM-SHA384", "TLS_EMPTY_RENEGOTIATION_INFO_SCSV"})
  void unknownCipherSuiteIsNotFound(String name) {
    assertThat(CipherSuites.named(name)).isEmpty();
  }

  @Test
  void defaultCipherSuitesHaveForwardSecrecy() {
    assertThat(CipherSuites.byDefault())
        .contains("TLS_AES_256_GCM_SHA384", "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384")
        .allMatch(suite -> suite.matches("TLS_((EC)?DHE_.*_WITH|AES|CHACHA20)_.*"));
  }

  @Test
  void cipherSuiteOfTls12FitsOneKeyAlgorithm() {
    assertThat(CipherSuites.fits("TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "RSA")).isTrue();
    assertThat(CipherSuites.fits("TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "EC")).isFalse();
    assertThat(CipherSuites.fits("TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", "EdDSA")).isTrue();
    assertThat(CipherSuites.fits("TLS_AES_256_GCM_SHA384", "EC")).isTrue();
  }

  @Test
  void configuredCipherSuitesAreOrderedByTheirNumbers() throws Exception {
    Configuration configuration =
        Configuration.load(
            Optional.empty(),
            Map.of("MAYFLY_MANAGEMENT_SSL_CIPHERS_1", "TLS_AES_128_GCM_SHA256"),
            List.of(
                "ssl_options.ciphers.10=TLS_AES_128_GCM_SHA256",
                "ssl_options.ciphers.2=ECDHE-RSA-AES128-GCM-SHA256",
                "ssl_options.ciphers.11=TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
                "ssl_options.honor_cipher_order=false"));
    ServerSettings settings = configuration.settings();
    assertThat(settings.tls().ciphers())
        .containsExactly("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "TLS_AES_128_GCM_SHA256");
    assertThat(settings.tls().honorCipherOrder()).isFalse();
    assertThat(settings.management().tls().ciphers()).containsExactly("TLS_AES_128_GCM_SHA256");
    assertThat(settings.management().tls().honorCipherOrder()).isTrue();
  }

  @Test
  void unknownCipherSuiteIsAConfigurationError() {
    List<String> sets = List.of("management.ssl.ciphers.3=RC9");
    assertThatThrownBy(() -> Configuration.load(Optional.empty(), Map.of(), sets))
        .isInstanceOf(ConfigException.class)
        .hasMessage(
            "--set: bad value 'RC9' for key 'management.ssl.ciphers.3': expected the name of a"
                + " cipher suite that Java offers, such as ECDHE-RSA-AES256-GCM-SHA384 or"
                + " TLS_AES_256_GCM_SHA384");
  }
}
