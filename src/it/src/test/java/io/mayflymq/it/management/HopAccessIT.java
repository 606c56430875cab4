package io.mayflymq.it.management;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.http.client.Client;
import com.rabbitmq.http.client.ClientParameters;
import com.rabbitmq.http.client.domain.Definitions;
import com.rabbitmq.http.client.domain.QueueInfo;
import com.rabbitmq.http.client.domain.TopicPermissions;
import com.rabbitmq.http.client.domain.UserPermissions;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Target;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests users, permissions, virtual hosts and definitions with RabbitMQ's unchanged Java client for
 * the API.
 */
@BlackBox
class HopAccessIT {
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
  void managesVirtualHosts(Amqp amqp) {
    String name = amqp.name();
    hop.createVhost(name, "a description", "tag", "other");
    assertThat(hop.getVhost(name).getDescription()).isEqualTo("a description");
    assertThat(hop.getVhost(name).getTags()).containsExactly("tag", "other");
    hop.limitMaxNumberOfQueues(name, 5);
    hop.limitMaxNumberOfConnections(name, 6);
    assertThat(hop.getVhostLimits(name).getMaxQueues()).isEqualTo(5);
    assertThat(hop.getVhostLimits(name).getMaxConnections()).isEqualTo(6);
    assertThat(hop.getVhostLimits()).extracting(limits -> limits.getVhost()).contains(name);
    hop.clearMaxQueuesLimit(name);
    hop.clearMaxConnectionsLimit(name);
    hop.deleteVhost(name);
    assertThat(hop.getVhost(name)).isNull();
  }

  @Test
  void managesUsersAndPermissions(Amqp amqp) {
    String name = amqp.name();
    hop.createUser(name, "secret".toCharArray(), List.of("management"));
    assertThat(hop.getUser(name).getTags()).containsExactly("management");
    hop.updateUser(name, "other".toCharArray(), List.of("monitoring", "policymaker"));
    assertThat(hop.getUser(name).getTags()).containsExactly("monitoring", "policymaker");
    UserPermissions permissions = new UserPermissions();
    permissions.setConfigure("^a");
    permissions.setWrite("^b");
    permissions.setRead("^c");
    hop.updatePermissions("/", name, permissions);
    assertThat(hop.getPermissions("/", name).getWrite()).isEqualTo("^b");
    TopicPermissions topics = new TopicPermissions();
    topics.setExchange("amq.topic");
    topics.setWrite("^d");
    topics.setRead("^e");
    hop.updateTopicPermissions("/", name, topics);
    assertThat(hop.getTopicPermissions("/", name).get(0).getRead()).isEqualTo("^e");
    hop.clearTopicPermissions("/", name);
    assertThat(hop.getTopicPermissionsOf(name)).isEmpty();
    hop.clearPermissions("/", name);
    assertThat(hop.getPermissions("/", name)).isNull();
    hop.deleteUser(name);
    assertThat(hop.getUser(name)).isNull();
  }

  @Test
  void readsDefinitions(Amqp amqp) {
    String name = amqp.name();
    hop.createVhost(name);
    hop.declareQueue(name, "q", new QueueInfo(true, false, false));
    Definitions definitions = hop.getDefinitions();
    assertThat(definitions.getVhosts()).extracting(vhost -> vhost.getName()).contains(name);
    assertThat(definitions.getUsers()).extracting(user -> user.getName()).contains("guest");
    assertThat(definitions.getQueues()).extracting(queue -> queue.getVhost()).contains(name);
    hop.deleteVhost(name);
  }
}
