package io.mayflymq.core.security;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.security.SaslResponse.Login;
import io.mayflymq.core.security.SaslResponse.Malformed;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SaslMechanismTest {
  private static final SaslMechanism PLAIN = new SaslMechanism.Plain();
  private static final SaslMechanism AMQPLAIN = new SaslMechanism.AmqPlain();

  private static SaslResponse plain(String response) {
    return PLAIN.parse(response.replace('|', '\0').getBytes(UTF_8));
  }

  private static Login login(String username, String password) {
    return new Login(new Credentials(username, password));
  }

  @ParameterizedTest
  @CsvSource({
    "|guest|guest, guest, guest",
    "|u|, u, ''",
    "||p, '', p",
    "|\u00fc|\u00df, \u00fc, \u00df"
  })
  void plainResponseIsParsed(String response, String username, String password) {
    assertThat(plain(response)).isEqualTo(login(username, password));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "|", "|user", "user|password", "other|user|password", "|u|p|", "|u|p|x"})
  void malformedPlainResponseIsRefused(String response) {
    assertThat(plain(response)).isEqualTo(new Malformed("PLAIN response invalid"));
  }

  @Test
  void plainKeepsPasswordsThatAreNotUtf8() {
    byte[] response = {0, 'u', 0, (byte) 0xFF, (byte) 0xFE};
    assertThat(PLAIN.parse(response)).isNotEqualTo(PLAIN.parse(new byte[] {0, 'u', 0, -1, -1}));
    PasswordHash hash = PasswordHash.of(((Login) PLAIN.parse(response)).credentials().password());
    assertThat(hash.matches(((Login) PLAIN.parse(response)).credentials().password())).isTrue();
  }

  @Test
  void amqPlainResponseIsParsedAsAFieldTable() {
    // As pika and py-amqp send it; other fields are ignored.
    FieldTable table =
        FieldTable.builder().put("LOGIN", "guest").put("PASSWORD", "secret").put("X", 1).build();
    assertThat(AMQPLAIN.parse(table.encode())).isEqualTo(login("guest", "secret"));
    FieldTable binary = table.with("PASSWORD", FieldValue.Binary.of(new byte[] {'p'}));
    assertThat(AMQPLAIN.parse(binary.encode())).isEqualTo(login("guest", "p"));
  }

  @Test
  void malformedAmqPlainResponseIsRefused() {
    FieldTable login = FieldTable.builder().put("LOGIN", "guest").build();
    String missing = "AMQPLAIN auth info is missing LOGIN or PASSWORD field";
    assertThat(AMQPLAIN.parse(new byte[0])).isEqualTo(new Malformed(missing));
    assertThat(AMQPLAIN.parse(login.encode())).isEqualTo(new Malformed(missing));
    assertThat(AMQPLAIN.parse(login.with("PASSWORD", new FieldValue.Int32(1)).encode()))
        .isEqualTo(
            new Malformed("AMQPLAIN auth info uses unsupported type for LOGIN or PASSWORD field"));
    assertThat(AMQPLAIN.parse(new byte[] {5, 'L'}))
        .isEqualTo(new Malformed("AMQPLAIN response invalid"));
  }

  @Test
  void anonymousLogsInAsItsConfiguredUserAndIsOffByDefault() {
    SaslMechanism anonymous = new SaslMechanism.Anonymous(new Credentials("guest", "guest"));
    assertThat(anonymous.parse(new byte[] {1, 2})).isEqualTo(login("guest", "guest"));
    assertThat(SaslMechanism.DEFAULTS)
        .extracting(SaslMechanism::name)
        .containsExactly("PLAIN", "AMQPLAIN");
    assertThat(anonymous.name()).isEqualTo("ANONYMOUS");
  }

  @Test
  void passwordsOfCredentialsAreNotPrinted() {
    assertThat(login("guest", "secret").toString()).contains("guest").doesNotContain("secret");
  }
}
