package io.mayflymq.shovel.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BrokerUriTest {
  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        "amqp://, false, '', 5672, '', '', /",
        "amqp:///, false, '', 5672, '', '', /",
        "amqp:///v, false, '', 5672, '', '', v",
        "amqp://u@/v%2Fw, false, '', 5672, u, '', v/w",
        "amqp://u:p@/, false, '', 5672, u, p, /",
        "amqp://h, false, h, 5672, '', '', /",
        "AMQPS://u%40x:p%3Aq+r@h_1:1/, true, h_1, 1, u@x, p:q+r, /",
        "amqps://h, true, h, 5671, '', '', /",
        "amqp://[::1]:99/a, false, ::1, 99, '', '', a",
        "amqp://u:p@[fe80::1], false, fe80::1, 5672, u, p, /",
      })
  void partsAreRead(
      String text, boolean tls, String host, int port, String user, String password, String vhost) {
    BrokerUri uri = BrokerUri.parse(text);
    assertThat(uri)
        .isEqualTo(new BrokerUri(tls, host, port, user, password, vhost, Map.of(), uri.toString()));
  }

  @Test
  void parametersAreRead() {
    BrokerUri uri =
        BrokerUri.parse(
            "amqps://h?cacertfile=/a/b.pem&verify=verify_none&heartbeat=3&connection_timeout=500");
    assertThat(uri.parameters())
        .containsEntry("cacertfile", "/a/b.pem")
        .containsEntry("verify", "verify_none");
    assertThat(uri.number("heartbeat", 10)).isEqualTo(3);
    assertThat(uri.number("frame_max", 7)).isEqualTo(7);
  }

  /** As RabbitMQ does. */
  @Test
  void unknownParametersAreToldAndNotRefused() {
    assertThat(BrokerUri.parse("amqp://h?key2=a&cacertfil=b&heartbeat=3").unknownParameters())
        .containsExactly("cacertfil", "key2");
    assertThat(BrokerUri.parse("amqps://h?verify=verify_none&depth=3").unknownParameters())
        .isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "nonsense | no scheme: expected amqp:// or amqps://",
        "http://x | scheme http: expected amqp:// or amqps://",
        "amqp://u:secret@h:x | the port should be a number from 1 to 65535",
        "amqp://u:secret@h:0 | the port should be a number from 1 to 65535",
        "amqp://[bad | no ] behind the address",
        "amqp://h/a/b | a slash in the name of a vhost is written %2F",
        "amqp://u:sec/ret@h | a slash, a question mark or an @ in a name or password is written %2F, %3F or %40",
        "amqp://u:sec?ret@h | a slash, a question mark or an @ in a name or password is written %2F, %3F or %40",
        "amqp://u:se%cret@h | a percent sign is written %25",
        "amqp://u:***@h | its password is masked: expected the password itself",
        "amqp://h?heartbeat=x | heartbeat should be a number, 0 or more",
        "amqp://h?verify=yes | verify should be one of verify_none, verify_peer",
      })
  void whatIsNoAddressIsToldWithoutThePassword(String text, String reason) {
    assertThatThrownBy(() -> BrokerUri.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(reason);
  }

  @ParameterizedTest
  @CsvSource({
    "amqp://u:p@h/v, amqp://u:***@h/v, amqp://h/v",
    "amqp://h/v, amqp://h/v, amqp://h/v",
    "amqp://u@h, amqp://u@h, amqp://h",
    "amqp://u:a/b?c@d@h:1/v?x=1, amqp://u:***@h:1/v?x=1, amqp://h:1/v?x=1",
    "u:p@h, u:***@h, h",
    "amqps://h?password=p&verify=verify_peer, amqps://h?password=***&verify=verify_peer, amqps://h?password=***&verify=verify_peer",
  })
  void passwordsAreMasked(String text, String masked, String without) {
    assertThat(BrokerUri.masked(text)).isEqualTo(masked);
    assertThat(BrokerUri.withoutLogin(text)).isEqualTo(without);
  }

  /** As RabbitMQ 4.3.6 shows addresses. */
  @ParameterizedTest
  @CsvSource({
    "amqp://, amqp://",
    "amqp:///%2f, amqp:///%2f",
    "amqp://localhost/%2f, amqp://localhost/%2f",
    "amqp://h/, amqp://h/",
    "amqp://u@/, amqp:///",
    "amqps://h, amqps://h",
    "amqp://u:p@h:1234/v?heartbeat=5&channel_max=7, amqp://h:1234/v",
    "amqps://h?password=p, amqps://h",
    "amqp://u:p@[::1]:9/a%2Fb%20%C3%A9, amqp://[::1]:9/a%2Fb%20%C3%A9",
  })
  void itIsShownAsItWasWrittenWithoutLoginAndParameters(String text, String shown) {
    assertThat(BrokerUri.parse(text)).hasToString(shown);
  }

  @Test
  void thisBrokerIsShownWithoutAHost() {
    assertThat(BrokerUri.local("/")).hasToString("amqp://");
    assertThat(BrokerUri.local("a/b")).hasToString("amqp:///a%2Fb");
    assertThat(BrokerUri.parse(BrokerUri.local("a/b").toString()))
        .isEqualTo(BrokerUri.local("a/b"));
  }

  @Property
  void anyTextIsReadOrRefused(@ForAll String text) {
    BrokerUri.masked(text);
    BrokerUri.withoutLogin(text);
    for (String address : new String[] {text, "amqp://" + text}) {
      try {
        BrokerUri uri = BrokerUri.parse(address);
        assertThat(BrokerUri.parse(uri.toString()).vhost()).isEqualTo(uri.vhost());
      } catch (IllegalArgumentException e) {
        assertThat(e.getMessage()).isNotEmpty();
      }
    }
  }
}
