package io.mayflymq.it.rights;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.Target;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A virtual host with one thing of each kind; a user for each tag and {@link Access} to it; and a
 * neighbour, who has nothing in common with them but the virtual host. Whoever has every permission
 * is connected, and so is the neighbour.
 */
final class RightsFixture implements AutoCloseable {
  static final String NEIGHBOUR = "rights-neighbour";
  static final String VHOST = "rights-own";
  static final String PASSWORD = "p";
  static final String NO_TAG = "none";

  /** The tags, in the order of the table's columns. */
  static final List<String> TAGS =
      List.of(NO_TAG, "management", "policymaker", "monitoring", "administrator");

  private static final String EVERYTHING = Access.EVERYTHING.permissions();
  private static final String VICTIM = "rights-victim";

  private final int port;
  private final int httpPort;
  private final Http admin;
  private final Map<String, Connection> connections = new HashMap<>();
  private final Map<String, Http> clients = new HashMap<>();
  private final Map<String, String> names = new HashMap<>();
  private final List<String> users = new ArrayList<>(List.of(NEIGHBOUR, VICTIM));

  /**
   * @param port of a broker for AMQP
   * @param httpPort of its management API, which {@code guest} administrates
   */
  RightsFixture(int port, int httpPort) throws Exception {
    this.port = port;
    this.httpPort = httpPort;
    this.admin = Http.as(httpPort, "guest", "guest");
    for (String path : List.of("vhosts/" + VHOST, "vhosts/rights-spare")) {
      make(path, "{}");
    }
    addUsers();
    addThings();
    names.put("node", admin.get("overview").json().path("node").asText());
    names.put("port", Integer.toString(port));
    for (String[] each :
        new String[][] {
          {"vhost", VHOST},
          {"queue", "rights-q"},
          {"exchange", "rights-x"},
          {"destination", "rights-q"},
          {"key", "rights-key"},
          {"policy", "rights-p"},
          {"component", "vhost-limits"},
          {"name", "limits"},
          {"limit", "max-channels"},
          {"user", VICTIM},
          {"protocol", "amqp"},
          {"pattern", ".*"},
          {"message", "rights-m"},
          {"password", "p"}
        }) {
      names.put(each[0], each[1]);
    }
  }

  private void addUsers() throws Exception {
    for (String name : List.of(NEIGHBOUR, VICTIM)) {
      addUser(name, "management", Access.EVERYTHING);
    }
    for (String tag : TAGS) {
      for (Access access : Access.values()) {
        String name = userOf(tag, access);
        users.add(name);
        addUser(name, tag.equals(NO_TAG) ? "" : tag, access);
        clients.put(name, Http.as(httpPort, name, PASSWORD));
      }
    }
  }

  private void addUser(String name, String tags, Access access) throws Exception {
    make("users/" + name, "{\"password\":\"%s\",\"tags\":\"%s\"}".formatted(PASSWORD, tags));
    if (access != Access.FOREIGN) {
      make("permissions/" + VHOST + "/" + name, access.permissions());
    }
    make("user-limits/" + name + "/max-channels", "{\"value\":100}");
  }

  private void addThings() throws Exception {
    String in = "/" + VHOST + "/";
    make("permissions" + in + "guest", EVERYTHING);
    make("queues" + in + "rights-q", "{\"durable\":true,\"arguments\":{\"x-max-length\":1}}");
    make("queues" + in + "rights-consumed", "{}");
    for (String type : List.of("quorum", "stream")) {
      make(
          "queues" + in + "rights-" + type,
          "{\"durable\":true,\"arguments\":{\"x-queue-type\":\"%s\"}}".formatted(type));
    }
    for (String exchange : List.of("rights-x", "rights-y")) {
      make("exchanges" + in + exchange, "{\"type\":\"topic\",\"durable\":true}");
    }
    admin.put(
        "exchanges" + in + "rights-later",
        "{\"type\":\"x-delayed-message\",\"arguments\":{\"x-delayed-type\":\"fanout\"}}");
    String binding = "{\"routing_key\":\"rights-key\"}";
    admin.post("bindings" + in + "e/rights-x/q/rights-q", binding);
    admin.post("bindings" + in + "e/rights-x/e/rights-y", binding);
    admin.post("bindings" + in + "e/rights-later/q/rights-q", binding);
    String policy = "{\"pattern\":\"^nothing$\",\"definition\":{\"max-length\":10}}";
    make("policies" + in + "rights-p", policy);
    make("operator-policies" + in + "rights-p", policy);
    make("vhost-limits" + in + "max-queues", "{\"value\":1000}");
    make("global-parameters/rights-g", "{\"value\":1}");
    make(
        "topic-permissions" + in + VICTIM,
        "{\"exchange\":\"rights-x\",\"write\":\"\",\"read\":\"\"}");
    String message =
        "{\"routing_key\":\"rights-q\",\"properties\":{},\"payload\":\"\","
            + "\"payload_encoding\":\"string\"}";
    for (int i = 0; i < 2; i++) { // the first one dies, as there is room for one
      admin.post("exchanges" + in + "amq.default/publish", message);
    }
    connected(NEIGHBOUR);
  }

  private void make(String path, String json) throws Exception {
    Http.Reply reply = admin.put(path, json);
    assertThat(reply.status()).as("PUT %s: %s", path, reply).isBetween(200, 204);
  }

  /** Returns the API as {@code guest} sees it, who may do everything. */
  Http admin() {
    return admin;
  }

  /** Returns the API as the user of a tag and an access sees it. */
  Http as(String tag, Access access) {
    return clients.get(userOf(tag, access));
  }

  /** Returns the API on another port as the user of a tag with every permission sees it. */
  Http at(int otherPort, String tag) {
    return Http.as(otherPort, userOf(tag, Access.EVERYTHING), PASSWORD);
  }

  static String userOf(String tag, Access access) {
    return "rights-" + tag + "-" + access.label();
  }

  /** Connects a user, unless it is connected, and waits until the API knows that. */
  private Connection connected(String user) throws Exception {
    Connection connection = connections.get(user);
    if (connection == null || !connection.isOpen()) {
      ConnectionFactory factory = Target.factory(port);
      factory.setVirtualHost(VHOST);
      factory.setUsername(user);
      factory.setPassword(user.equals("guest") ? "guest" : PASSWORD);
      connection = factory.newConnection(user);
      Channel channel = connection.createChannel();
      channel.basicConsume("rights-consumed", true, user, (tag, delivery) -> {}, tag -> {});
      connections.put(user, connection);
    }
    return connection;
  }

  private String listed(String list, String user) throws Exception {
    String[] name = new String[1];
    await("the " + list + " of " + user)
        .atMost(Patience.TIME)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(5))
        .until(
            () -> {
              connected(user); // again, when the client has seen that it was closed
              for (JsonNode each : admin.get(list).json()) {
                if (each.path("user").asText().equals(user)) {
                  name[0] = each.path("name").asText();
                }
              }
              return name[0] != null;
            });
    return name[0];
  }

  /**
   * Fills in a path.
   *
   * @param owner whose connection and channel are meant
   */
  String path(String template, Map<String, String> special, String owner) throws Exception {
    StringBuilder path = new StringBuilder();
    for (String part : template.split("/")) {
      String name = part.startsWith("{") ? part.substring(1, part.length() - 1) : null;
      String value =
          name == null
              ? part
              : name.equals("connection")
                  ? listed("connections", owner)
                  : name.equals("channel")
                      ? listed("channels", owner)
                      : special.getOrDefault(name, names.get(name));
      if (value == null) {
        throw new AssertionError("no value for " + part + " of " + template);
      }
      path.append(path.isEmpty() ? "" : "/").append(value.replace(" ", "%20").replace(">", "%3E"));
    }
    return path.toString();
  }

  /** Has a user be connected, and the API know that. */
  void connect(String user) throws Exception {
    listed("connections", user);
    listed("channels", user);
  }

  @Override
  public void close() throws IOException {
    for (Connection connection : connections.values()) {
      try {
        connection.abort(1_000);
      } catch (RuntimeException e) {
        // It was closed by the broker.
      }
    }
    for (String user : users) {
      delete("users/" + user);
    }
    for (String path :
        List.of("vhosts/" + VHOST, "vhosts/rights-spare", "global-parameters/rights-g")) {
      delete(path);
    }
  }

  private void delete(String path) throws IOException {
    try {
      admin.delete(path);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
