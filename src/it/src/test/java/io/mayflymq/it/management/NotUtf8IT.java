package io.mayflymq.it.management;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.LongString;
import com.rabbitmq.client.impl.LongStringHelper;
import io.mayflymq.it.harness.AccessFixture;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.MayflyOnly;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests what becomes of arguments that are not UTF-8 in JSON. */
@BlackBox
class NotUtf8IT extends AccessFixture {
  private static final LongString BYTES = LongStringHelper.asLongString(new byte[] {'a', -1, 'b'});
  private static final Map<String, Object> ARGUMENTS = Map.of("x-any", BYTES);
  private static final String SHOWN = "Not UTF-8, base64 is: Yf9i";

  private void declare(String vhost) throws Exception {
    try (Connection connection = connect(vhost, "guest", "guest")) {
      Channel channel = connection.createChannel();
      channel.queueDeclare("q", true, false, false, ARGUMENTS);
      channel.exchangeDeclare("e", BuiltinExchangeType.DIRECT, true, false, ARGUMENTS);
      channel.queueBind("q", "e", "k", ARGUMENTS);
    }
  }

  @Test
  void areShownInBase64(Amqp amqp) throws Exception {
    String vhost = vhost(amqp);
    declare(vhost);
    for (String path : new String[] {"queues/%s/q", "exchanges/%s/e", "bindings/%s/e/e/q/q"}) {
      JsonNode shown = http.get(path.formatted(vhost)).json();
      assertThat((shown.isArray() ? shown.get(0) : shown).at("/arguments/x-any").asText())
          .isEqualTo(SHOWN);
    }
  }

  @Test
  @MayflyOnly("an import makes text of them")
  void surviveAnExportAndAnImport(Amqp amqp) throws Exception {
    String vhost = vhost(amqp);
    declare(vhost);
    Http.Reply exported = http.get("definitions/" + vhost);
    assertThat(exported.raw().body()).contains(SHOWN);
    String other = vhost(amqp);
    assertThat(http.post("definitions/" + other, exported.raw().body()).status()).isEqualTo(204);
    assertThat(http.get("definitions/" + other).json().path("bindings"))
        .isEqualTo(exported.json().path("bindings"));
    assertThat(http.get("bindings").status()).isEqualTo(200);
    try (Connection connection = connect(other, "guest", "guest")) {
      Channel channel = connection.createChannel();
      channel.exchangeDeclare("e", BuiltinExchangeType.DIRECT, true, false, ARGUMENTS);
      channel.queueUnbind("q", "e", "k", ARGUMENTS);
    }
    assertThat(http.get("bindings/" + other + "/e/e/q/q").json()).isEmpty();
  }

  @Test
  @MayflyOnly("refuses what earlier releases of MayflyMQ exported")
  void ofEarlierExportsAreRead(Amqp amqp) throws Exception {
    String vhost = vhost(amqp);
    String definitions =
        """
        {"queues":[{"name":"q","durable":true,"auto_delete":false,
        "arguments":{"x-any":"a\\udcffb"}}]}""";
    assertThat(http.post("definitions/" + vhost, definitions).status()).isEqualTo(204);
    assertThat(http.get("queues/" + vhost + "/q").json().at("/arguments/x-any").asText())
        .isEqualTo(SHOWN);
  }

  @Test
  void aLoneSurrogateIsNoText(Amqp amqp) throws Exception {
    String path = "queues/" + vhost(amqp) + "/q";
    String half = "{\"durable\":true,\"arguments\":{\"x-any\":\"\\ud800\"}}";
    assertThat(http.put(path, half).status()).isEqualTo(400);
    assertThat(http.get(path).status()).isEqualTo(404);
  }
}
