package io.mayflymq.it.management;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Connection;
import com.rabbitmq.http.client.Client;
import com.rabbitmq.http.client.ClientParameters;
import com.rabbitmq.http.client.GetAckMode;
import com.rabbitmq.http.client.GetEncoding;
import com.rabbitmq.http.client.domain.BindingInfo;
import com.rabbitmq.http.client.domain.ConnectionInfo;
import com.rabbitmq.http.client.domain.ExchangeInfo;
import com.rabbitmq.http.client.domain.InboundMessage;
import com.rabbitmq.http.client.domain.OutboundMessage;
import com.rabbitmq.http.client.domain.Page;
import com.rabbitmq.http.client.domain.QueryParameters;
import com.rabbitmq.http.client.domain.QueueInfo;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.Target;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The usual calls of RabbitMQ's Java client for the management API, unchanged. */
@BlackBox
class HopIT {
  private Client hop;

  @BeforeEach
  void open(Target target) throws Exception {
    hop =
        new Client(
            new ClientParameters()
                .url("http://127.0.0.1:" + target.httpPort() + "/api/")
                .username("guest")
                .password("guest"));
  }

  @Test
  void readsTheStateOfTheBroker() {
    assertThat(hop.getOverview().getNode()).isNotBlank();
    assertThat(hop.getOverview().getObjectTotals().getExchanges()).isGreaterThanOrEqualTo(7);
    assertThat(hop.whoAmI().getName()).isEqualTo("guest");
    assertThat(hop.getNodes()).hasSize(1);
    assertThat(hop.getNode(hop.getNodes().get(0).getName()).isRunning()).isTrue();
    assertThat(hop.alivenessTest("/")).isTrue();
    assertThat(hop.getClusterName().getName()).isNotBlank();
    assertThat(hop.getVhosts()).extracting(vhost -> vhost.getName()).contains("/");
    assertThat(hop.getVhost("/").getName()).isEqualTo("/");
    assertThat(hop.getUsers()).extracting(user -> user.getName()).contains("guest");
    assertThat(hop.getUser("guest").getTags()).contains("administrator");
    assertThat(hop.getPermissions("/", "guest").getConfigure()).isEqualTo(".*");
    assertThat(hop.getPermissionsIn("/")).isNotEmpty();
    assertThat(hop.getPermissionsOf("guest")).isNotEmpty();
    assertThat(hop.getTopicPermissions()).isNotNull();
    assertThat(hop.getExtensions()).isNotNull();
  }

  @Test
  void managesQueues(Amqp amqp) {
    String name = amqp.name();
    hop.declareQueue("/", name, new QueueInfo(false, false, false, Map.of("x-max-length", 10)));
    QueueInfo found = hop.getQueue("/", name);
    assertThat(found.getName()).isEqualTo(name);
    assertThat(found.getVhost()).isEqualTo("/");
    assertThat(found.getType()).isEqualTo("classic");
    assertThat(found.getArguments()).containsEntry("x-max-length", 10);
    assertThat(hop.getQueues()).extracting(QueueInfo::getName).contains(name);
    assertThat(hop.getQueues("/")).extracting(QueueInfo::getName).contains(name);
    Page<QueueInfo> page = hop.getQueues(new QueryParameters().name(name).pagination().query());
    assertThat(page.getItemsAsList()).extracting(QueueInfo::getName).containsExactly(name);
    assertThat(hop.getQueueBindings("/", name)).hasSize(1);
    hop.deleteQueue("/", name);
    assertThat(hop.getQueue("/", name)).isNull();
  }

  @Test
  void managesExchangesAndBindings(Amqp amqp) throws Exception {
    String exchange = amqp.name();
    String other = amqp.name();
    String queue = amqp.queue();
    hop.declareExchange("/", exchange, new ExchangeInfo("topic", false, false));
    hop.declareExchange("/", other, new ExchangeInfo("fanout", false, false));
    assertThat(hop.getExchange("/", exchange).getType()).isEqualTo("topic");
    assertThat(hop.getExchanges()).extracting(ExchangeInfo::getName).contains(exchange);
    assertThat(hop.getExchanges("/")).extracting(ExchangeInfo::getName).contains(other);
    hop.bindQueue("/", queue, exchange, "a.*");
    hop.bindExchange("/", other, exchange, "b.*");
    assertThat(hop.getBindingsBySource("/", exchange)).hasSize(2);
    assertThat(hop.getExchangeBindingsByDestination("/", other)).hasSize(1);
    List<BindingInfo> between = hop.getQueueBindingsBetween("/", exchange, queue);
    assertThat(between).extracting(BindingInfo::getRoutingKey).containsExactly("a.*");
    assertThat(hop.getExchangeBindingsBetween("/", exchange, other)).hasSize(1);
    assertThat(hop.getBindings()).hasSizeGreaterThanOrEqualTo(3);
    hop.unbindQueue("/", queue, exchange, "a.*");
    hop.unbindExchange("/", other, exchange, "b.*");
    assertThat(hop.getBindingsBySource("/", exchange)).isEmpty();
    hop.deleteExchange("/", exchange);
    assertThat(hop.getExchange("/", exchange)).isNull();
  }

  @Test
  void publishesAndGetsMessages(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    boolean routed =
        hop.publish(
            "/",
            "amq.default",
            queue,
            new OutboundMessage().payload("hello").utf8Encoded().properties(Map.of("type", "t")));
    assertThat(routed).isTrue();
    List<InboundMessage> looked =
        hop.get("/", queue, 10, GetAckMode.NACK_REQUEUE_TRUE, GetEncoding.AUTO, 50_000);
    assertThat(looked).hasSize(1);
    assertThat(looked.get(0).getPayload()).isEqualTo("hello");
    assertThat(looked.get(0).getProperties()).containsEntry("type", "t");
    hop.purgeQueue("/", queue);
    assertThat(amqp.ready(queue)).isZero();
  }

  @Test
  void listsAndClosesConnections(Amqp amqp) throws Exception {
    Connection connection = amqp.newConnection();
    connection.createChannel();
    ConnectionInfo found =
        Awaitility.await("the connection with its channel")
            .atMost(Patience.TIME)
            .until(() -> newest(connection.getClientProvidedName()), info -> info != null);
    assertThat(found.getUser()).isEqualTo("guest");
    assertThat(found.getVhost()).isEqualTo("/");
    assertThat(found.getPeerPort()).isPositive();
    assertThat(hop.getConnection(found.getName()).getProtocol()).isEqualTo("AMQP 0-9-1");
    assertThat(hop.getChannels(found.getName())).hasSize(1);
    assertThat(hop.getChannels()).isNotEmpty();
    assertThat(hop.getConnectionsOfUser("guest")).isNotEmpty();
    hop.closeConnection(found.getName(), "enough");
    Awaitility.await("the connection is closed")
        .atMost(Patience.TIME)
        .until(() -> !connection.isOpen());
    assertThat(connection.getCloseReason().getReason().toString()).contains("enough");
  }

  private ConnectionInfo newest(String clientProvidedName) {
    return hop.getConnections().stream()
        .filter(
            info ->
                clientProvidedName.equals(info.getClientProperties().getConnectionName())
                    && info.getChannels() == 1)
        .findFirst()
        .orElse(null);
  }
}
