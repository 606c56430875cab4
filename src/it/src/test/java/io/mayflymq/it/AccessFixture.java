package io.mayflymq.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.Target;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * Virtual hosts and users that tests create with the management API. They are deleted at the end.
 */
abstract class AccessFixture {
  static final String ALL = "{\"configure\":\".*\",\"write\":\".*\",\"read\":\".*\"}";

  /** What is deleted at the end, as paths of the API. */
  final List<String> made = new ArrayList<>();

  Target target;
  Http http;

  @BeforeEach
  void open(Target target) {
    this.target = target;
    http = target.http();
  }

  @AfterEach
  void deleteWhatWasMade() throws Exception {
    for (String path : made) {
      http.delete(path);
    }
  }

  /** Adds a virtual host, which {@code guest} can use because it adds it. */
  String vhost(Amqp amqp) throws Exception {
    String name = amqp.name();
    made.add("vhosts/" + name);
    assertThat(http.put("vhosts/" + name, "{}").status()).isEqualTo(201);
    return name;
  }

  /** A user with the password {@code p}. */
  String user(Amqp amqp, String tags) throws Exception {
    String name = amqp.name();
    made.add("users/" + name);
    String body = "{\"password\":\"p\",\"tags\":\"" + tags + "\"}";
    assertThat(http.put("users/" + name, body).status()).isEqualTo(201);
    return name;
  }

  Connection connect(String vhost, String user, String password) throws Exception {
    ConnectionFactory factory = target.factory();
    factory.setVirtualHost(vhost);
    factory.setUsername(user);
    factory.setPassword(password);
    return factory.newConnection();
  }
}
