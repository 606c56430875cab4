package io.mayflymq.it.harness;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * Virtual hosts and users that tests create with the management API. They are deleted at the end.
 */
public abstract class AccessFixture {
  protected static final String ALL = "{\"configure\":\".*\",\"write\":\".*\",\"read\":\".*\"}";

  /** What is deleted at the end, as paths of the API. */
  protected final List<String> made = new ArrayList<>();

  protected Target target;
  protected Http http;

  @BeforeEach
  protected void open(Target target) {
    this.target = target;
    http = target.http();
  }

  @AfterEach
  protected void deleteWhatWasMade() throws Exception {
    for (String path : made) {
      http.delete(path);
    }
  }

  /** Adds a virtual host, which {@code guest} can use because it adds it. */
  protected String vhost(Amqp amqp) throws Exception {
    String name = amqp.name();
    made.add("vhosts/" + name);
    assertThat(http.put("vhosts/" + name, "{}").status()).isEqualTo(201);
    return name;
  }

  /** A user with the password {@code p}. */
  protected String user(Amqp amqp, String tags) throws Exception {
    String name = amqp.name();
    made.add("users/" + name);
    String body = "{\"password\":\"p\",\"tags\":\"" + tags + "\"}";
    assertThat(http.put("users/" + name, body).status()).isEqualTo(201);
    return name;
  }

  protected Connection connect(String vhost, String user, String password) throws Exception {
    ConnectionFactory factory = target.factory();
    factory.setVirtualHost(vhost);
    factory.setUsername(user);
    factory.setPassword(password);
    return factory.newConnection();
  }
}
