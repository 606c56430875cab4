package io.mayflymq.it.security;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.Target;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A user and a virtual host, whose rates are limited. */
abstract class RatesFixture {
  private static final String ALL = "{\"configure\":\".*\",\"write\":\".*\",\"read\":\".*\"}";

  private Target target;
  Http http;
  String user;
  String vhost;

  @BeforeEach
  void prepare(Target brokers, Amqp amqp) throws Exception {
    target = brokers;
    http = target.http();
    user = amqp.name();
    vhost = amqp.name();
    http.put("vhosts/" + vhost, "{}");
    http.put("permissions/" + vhost + "/guest", ALL);
    http.put("users/" + user, "{\"password\":\"p\",\"tags\":\"\"}");
    http.put("permissions/" + vhost + "/" + user, ALL);
  }

  @AfterEach
  void clear() throws Exception {
    http.delete("vhosts/" + vhost);
    http.delete("users/" + user);
  }

  Connection connect(Amqp amqp, String name, String password) throws Exception {
    ConnectionFactory factory = target.factory();
    factory.setUsername(name);
    factory.setPassword(password);
    factory.setVirtualHost(vhost);
    return amqp.newConnection(factory);
  }

  int set(String path, int value) throws Exception {
    return http.put(path, "{\"value\":" + value + "}").status();
  }
}
