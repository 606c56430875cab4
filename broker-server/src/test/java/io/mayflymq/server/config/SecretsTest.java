package io.mayflymq.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SecretsTest {
  @Test
  void generatedSecretsAreStrongAndDiffer() {
    String secret = Secrets.generate();
    assertThat(secret).matches("[0-9a-f]{64}").isNotEqualTo(Secrets.generate());
    for (int i = 0; i < 1_000; i++) {
      assertThat(Secrets.mayBeStrong(Secrets.generate())).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "T0cMtHn8VDl9n4a1Vq0gJm3JmGZzUo5c9b8fXKpQ2sU=",
        "T0cMtHn8VDl9n4a1Vq0gJm3JmGZzUo5c9b8fXKpQ2sU",
        "c26f1dd3ab02b0cb7a0e9c1b7d6b5bb1f0e5a9f6d5e40c3b2a190807f6e5d4c3"
      })
  void encodedBytesAreStrong(String secret) {
    assertThat(Secrets.mayBeStrong(secret)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "abc",
        "4ad6c5f0e1",
        "c26f1dd3ab02b0cb7a0e9c1b7d6b5bb1f0e5a9f6d5e40c3b2a190807f6e5d4c",
        "T0cMtHn8VDl9n4a1Vq0gJm3JmGZzUo5c9b8fXKpQ2s",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
      })
  void shorterOrSimplerOnesAreWeak(String secret) {
    assertThat(Secrets.mayBeStrong(secret)).isFalse();
  }
}
