package io.mayflymq.core.admin;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ParameterCipherTest {
  private static final Parameter CLEAR =
      new Parameter("/", "shovel", "s", "{\"src-uri\":\"amqp://u:geheim\u00e9@h\"}");

  private final ParameterCipher cipher = new ParameterCipher("passphrase");

  @Test
  void encryptedValueIsTextWithoutTheSecret() {
    Parameter encrypted = cipher.encrypted(CLEAR);
    assertThat(encrypted.json()).matches("\"encrypted:[A-Za-z0-9+/]+=*\"");
    assertThat(ParameterCipher.isEncrypted(encrypted.json())).isTrue();
    assertThat(ParameterCipher.isEncrypted(CLEAR.json())).isFalse();
  }

  @Test
  void samePassphraseDecryptsItAlsoInAnotherProcess() {
    Parameter encrypted = cipher.encrypted(CLEAR);
    assertThat(cipher.decrypted(encrypted)).contains(CLEAR);
    assertThat(new ParameterCipher("passphrase").decrypted(encrypted)).contains(CLEAR);
  }

  @Test
  void sameValueIsEncryptedInAnotherWayEachTime() {
    assertThat(cipher.encrypted(CLEAR)).isNotEqualTo(cipher.encrypted(CLEAR));
  }

  @Test
  void otherPassphraseDoesNot() {
    assertThat(new ParameterCipher("Passphrase").decrypted(cipher.encrypted(CLEAR))).isEmpty();
  }

  @Test
  void valueOfAnotherParameterIsNotDecrypted() {
    String value = cipher.encrypted(CLEAR).json();
    for (Parameter other :
        new Parameter[] {
          new Parameter("/", "shovel", "t", value),
          new Parameter("/", "federation-upstream", "s", value),
          new Parameter("/shovel", "", "s", value),
        }) {
      assertThat(cipher.decrypted(other)).as(other.toString()).isEmpty();
    }
  }

  @Test
  void damagedValueIsNotDecrypted() {
    String value = cipher.encrypted(CLEAR).json();
    for (String damaged :
        new String[] {
          "\"encrypted:\"",
          "\"encrypted:AQ==\"",
          "\"encrypted:*\"",
          value.substring(0, value.length() - 9) + "AAAAAAAA\"",
          value.replace("\"encrypted:A", "\"encrypted:B"),
        }) {
      assertThat(cipher.decrypted(CLEAR.with(damaged))).as(damaged).isEmpty();
    }
  }
}
