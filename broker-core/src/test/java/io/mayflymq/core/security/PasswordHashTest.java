package io.mayflymq.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PasswordHashTest {
  @Test
  void hashHasRabbitMqsFormat() {
    // The worked example of rabbitmq.com/docs/passwords: salt 908DC60A, password test12.
    byte[] salt = {(byte) 0x90, (byte) 0x8D, (byte) 0xC6, 0x0A};
    PasswordHash hash = PasswordHash.of(HashingAlgorithm.SHA256, salt, "test12");
    assertThat(hash.base64()).isEqualTo("kI3GCqW5JLMJa4iX1lo7X4D6XbYqlLgxIs30+P6tENUV2POR");
    assertThat(hash.matches("test12")).isTrue();
    assertThat(hash.matches("test13")).isFalse();
  }

  @Test
  void hashFromDefinitionsIsChecked() {
    PasswordHash guest =
        new PasswordHash(
            HashingAlgorithm.ofDefinitionsName("rabbit_password_hashing_sha256"),
            "WhfD6USGgDSja1JDlut2Lp/GtFwijXdS56KEB2TmE+LXZ5O3");
    assertThat(guest.matches("guest")).isTrue();
    assertThat(guest.matches("Guest")).isFalse();
  }

  @ParameterizedTest
  @EnumSource
  void hashOfEveryAlgorithmIsChecked(HashingAlgorithm algorithm) {
    PasswordHash hash = PasswordHash.of(algorithm, "p\u00e4ss");
    assertThat(hash.matches("p\u00e4ss")).isTrue();
    assertThat(hash.matches("pass")).isFalse();
    assertThat(hash.matches("")).isFalse();
    assertThat(HashingAlgorithm.ofDefinitionsName(algorithm.definitionsName()))
        .isEqualTo(algorithm);
  }

  @Test
  void hashesOfTheSamePasswordHaveDifferentSalts() {
    assertThat(PasswordHash.of("p")).isNotEqualTo(PasswordHash.of("p"));
  }

  @Test
  void absentAndTruncatedHashesMatchNoPassword() {
    assertThat(PasswordHash.NONE.matches("")).isFalse();
    String saltOnly = Base64.getEncoder().encodeToString(new byte[4]);
    assertThat(new PasswordHash(HashingAlgorithm.SHA256, saltOnly).matches("")).isFalse();
  }

  @Test
  void invalidHashIsRefused() {
    assertThatThrownBy(() -> new PasswordHash(HashingAlgorithm.SHA256, "~"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> PasswordHash.of(HashingAlgorithm.MD5, new byte[3], "p"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void hashWithoutAnAlgorithmIsMd5() {
    assertThat(HashingAlgorithm.ofDefinitionsName(null)).isEqualTo(HashingAlgorithm.MD5);
    assertThat(HashingAlgorithm.ofDefinitionsName("")).isEqualTo(HashingAlgorithm.MD5);
    assertThatThrownBy(() -> HashingAlgorithm.ofDefinitionsName("rot13"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void hashIsNotPrinted() {
    PasswordHash hash = PasswordHash.of("p");
    assertThat(hash.toString()).doesNotContain(hash.base64());
  }
}
