package io.mayflymq.it.management;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.mayflymq.it.harness.AccessFixture;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Ending;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.RestartedBroker;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The queues that a user has declared. */
@BlackBox
class DeclaredQueuesIT extends AccessFixture {
  private static final String USER = "{\"password\":\"p\",\"tags\":\"administrator\"}";

  private static List<String> declaredBy(Http http, String user) throws Exception {
    List<String> names = new ArrayList<>();
    http.get("users/" + user + "/queues")
        .json()
        .forEach(queue -> names.add(queue.path("name").asText()));
    return names;
  }

  @Test
  void listsTheQueuesThatAUserDeclared(Amqp amqp) throws Exception {
    String user = user(amqp, "");
    String first = amqp.name();
    String second = amqp.name();
    assertThat(http.put("permissions/%2F/" + user, ALL).status()).isEqualTo(201);
    try (Connection connection = connect("/", user, "p");
        Channel channel = connection.createChannel()) {
      channel.queueDeclare(first, true, false, false, null);
      channel.queueDeclare(second, false, true, false, null);
      amqp.channel().queueDeclare(first, true, false, false, null);

      assertThat(declaredBy(http, user)).containsExactlyInAnyOrder(first, second);
      assertThat(declaredBy(http, "guest")).doesNotContain(first, second);
      channel.queueDelete(first);
    }
    assertThat(http.get("users/" + amqp.name() + "/queues").json()).isEmpty();
  }

  @Test
  void theyAreKnownAfterARestartAndOfAnImport(@TempDir Path data) throws Exception {
    try (RestartedBroker broker = RestartedBroker.at(data).start()) {
      assertThat(broker.http().put("users/u", USER).status()).isEqualTo(201);
      assertThat(broker.http().put("users/importer", USER).status()).isEqualTo(201);
      assertThat(broker.http().put("permissions/%2F/u", ALL).status()).isEqualTo(201);
      ConnectionFactory factory = broker.process().factory();
      factory.setUsername("u");
      factory.setPassword("p");
      try (Connection connection = factory.newConnection()) {
        connection.createChannel().queueDeclare("declared", true, false, false, null);
      }
      Http importer = Http.as(broker.process().httpPort(), "importer", "p");
      String definitions =
          "{\"queues\":[{\"vhost\":\"/\",\"name\":\"imported\",\"durable\":true,"
              + "\"auto_delete\":false,\"arguments\":{}}]}";
      assertThat(importer.post("definitions", definitions).status()).isEqualTo(204);

      broker.restart(Ending.KILL);
      assertThat(declaredBy(broker.http(), "u")).containsExactly("declared");
      assertThat(declaredBy(broker.http(), "importer")).containsExactly("imported");
      assertThat(declaredBy(broker.http(), "guest")).isEmpty();
    }
  }
}
