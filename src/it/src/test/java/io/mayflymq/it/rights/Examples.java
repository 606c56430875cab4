package io.mayflymq.it.rights;

import java.util.HashMap;
import java.util.Map;

/** The examples of operations that need something special, by method and path. */
final class Examples {
  private static final String QUEUE = "queues/{vhost}/{queue}";
  private static final String EXCHANGE = "exchanges/{vhost}/{exchange}";
  private static final String TO_QUEUE = "bindings/{vhost}/e/{exchange}/q/{destination}";
  private static final String TO_EXCHANGE = "bindings/{vhost}/e/{exchange}/e/{destination}";
  private static final String BINDING = "{\"routing_key\":\"rights-key\"}";
  private static final String POLICY =
      "{\"pattern\":\"^nothing$\",\"definition\":{\"max-length\":10}}";
  private static final String VHOST_POLICY =
      "{\"vhosts\":\"^nothing$\",\"pattern\":\"^nothing$\",\"definition\":{\"max-length\":10}}";
  private static final String PERMISSIONS =
      "{\"configure\":\"\",\"write\":\"\",\"read\":\"\",\"exchange\":\"rights-x\"}";
  private static final String VALUE = "{\"value\":100}";
  private static final String NODE = "{\"node\":\"nobody@nowhere\"}";
  private static final String NO_NODE = "nobody@nowhere";
  private static final String SPARE = "rights-spare";
  private static final String SHOVEL =
      "{\"value\":{\"src-uri\":\"amqp://127.0.0.1:1\",\"dest-uri\":\"amqp://127.0.0.1:1\","
          + "\"src-queue\":\"rights-q\"}}";
  private static final String LIMITS = "{\"value\":{\"max-queues\":1000}}";

  private final Map<String, Example> examples = new HashMap<>();

  Examples() {
    overview();
    queues();
    exchanges();
    policies();
    users();
  }

  /** Returns the example of an operation. */
  Example of(String operation) {
    return examples.getOrDefault(operation, new Example());
  }

  private Example on(String operation) {
    Example example = new Example();
    examples.put(operation, example);
    return example;
  }

  private void overview() {
    on("PUT cluster-name").body("{\"name\":\"rights\"}");
    on("DELETE nodes/{node}").with("node", NO_NODE).orStatus(400, 404, 500);
    on("POST rebalance/queues").orStatus(409);
    on("POST clock").orStatus(400);
    on("PUT faults").orStatus(400);
    on("POST standby").body("{}").orStatus(400);
    on("GET connections/username/{user}").with("user", RightsFixture.NEIGHBOUR);
    on("DELETE connections/username/{user}").with("user", RightsFixture.NEIGHBOUR);
    on("PUT feature-flags/{name}/enable").with("name", "rabbitmq_4.0.0").orStatus(400, 404);
    on("GET health/checks/certificate-expiration/{within}/{unit}")
        .with("within", "1")
        .with("unit", "weeks");
  }

  private Example withDeletedQueue(String operation) {
    String declaration = "{\"durable\":true,\"arguments\":{\"x-recoverable\":3600000}}";
    return on(operation)
        .with("queue", "rights-deleted")
        .before("PUT", "queues/{vhost}/rights-deleted", declaration)
        .before("DELETE", "queues/{vhost}/rights-deleted", null);
  }

  private void queues() {
    String declaration = "{\"durable\":true,\"arguments\":{\"x-max-length\":1}}";
    on("PUT " + QUEUE).body(declaration);
    on("DELETE " + QUEUE)
        .with("queue", "rights-gone")
        .before("PUT", "queues/{vhost}/rights-gone", "{}");
    on("POST " + QUEUE + "/actions").body("{\"action\":\"sync\"}").orStatus(400);
    on("POST " + QUEUE + "/get")
        .body("{\"count\":1,\"ackmode\":\"ack_requeue_true\",\"encoding\":\"auto\"}");
    on("POST " + QUEUE + "/move").body(NODE).orStatus(400);
    on("POST " + QUEUE + "/convert").body("{\"to\":\"quorum\"}").orStatus(400);
    on("POST " + QUEUE + "/purge").body("{\"count\":1}");
    String pause = "{\"what\":\"deliveries\"}";
    on("PUT " + QUEUE + "/pause").body(pause);
    on("DELETE " + QUEUE + "/pause").before("PUT", QUEUE + "/pause", pause);
    on("POST " + QUEUE + "/purge/dry-run").body("{\"count\":1}");
    on("POST " + QUEUE + "/restore").body("{\"expired\":\"leave\"}").orStatus(400);
    on("POST " + QUEUE + "/restore/dry-run").body("{}").orStatus(400);
    String oneMessage = "{\"sequence\":0,\"exchange\":\"amq.fanout\"}";
    on("POST " + QUEUE + "/messages/move").body(oneMessage);
    on("POST " + QUEUE + "/messages/move/dry-run").body(oneMessage);
    withDeletedQueue("GET deleted-queues");
    withDeletedQueue("GET deleted-queues/{vhost}");
    withDeletedQueue("POST deleted-queues/{vhost}/{queue}/undelete").body("{}");
    withDeletedQueue("POST deleted-queues/{vhost}/{queue}/undelete/dry-run").body("{}");
    String redrive = "{\"rate\":1}";
    on("POST " + QUEUE + "/redrive").body(redrive).orStatus(400);
    on("POST " + QUEUE + "/redrive/dry-run").body(redrive);
    on("GET " + QUEUE + "/redrive").before("POST", QUEUE + "/redrive", redrive);
    on("DELETE " + QUEUE + "/redrive").before("POST", QUEUE + "/redrive", redrive);
    on("DELETE " + QUEUE + "/scheduled/{message}")
        .before(
            "POST",
            "exchanges/{vhost}/rights-later/publish",
            "{\"routing_key\":\"rights-q\",\"payload\":\"\",\"payload_encoding\":\"string\","
                + "\"properties\":{\"message_id\":\"rights-m\",\"headers\":{\"x-delay\":3600000}}}");
    for (String type : new String[] {"quorum", "stream"}) {
      String replicated = "queues/" + type + "/{vhost}/{queue}/";
      String queue = "rights-" + type;
      on("GET " + replicated + "status").with("queue", queue);
      on("POST " + replicated + "leader").with("queue", queue).body(NODE).orStatus(400);
      on("POST " + replicated + "replicas/add").with("queue", queue).body(NODE).orStatus(400, 500);
      on("DELETE " + replicated + "replicas/delete")
          .with("queue", queue)
          .body(NODE)
          .orStatus(400, 500);
    }
    String shrink = "queues/quorum/{vhost}/{queue}/replicas/force-shrink";
    on("POST " + shrink).with("queue", "rights-quorum").orStatus(400);
    on("POST " + shrink + "/dry-run").with("queue", "rights-quorum").orStatus(400);
    on("POST queues/quorum/replicas/grow").body("{\"count\":1}");
    on("POST queues/quorum/replicas/on/{node}/grow")
        .with("node", NO_NODE)
        .body("{\"strategy\":\"all\"}")
        .orStatus(400, 500);
    on("DELETE queues/quorum/replicas/on/{node}/shrink").with("node", NO_NODE).orStatus(400);
  }

  private void exchanges() {
    on("PUT " + EXCHANGE).body("{\"type\":\"topic\",\"durable\":true}");
    on("DELETE " + EXCHANGE)
        .with("exchange", "rights-gone")
        .before("PUT", "exchanges/{vhost}/rights-gone", "{\"type\":\"topic\"}");
    on("POST " + EXCHANGE + "/publish")
        .body(
            "{\"routing_key\":\"nowhere\",\"properties\":{},\"payload\":\"\","
                + "\"payload_encoding\":\"string\"}");
    on("POST " + TO_QUEUE).body(BINDING);
    on("DELETE " + TO_QUEUE + "/{key}").before("POST", TO_QUEUE, BINDING);
    for (String operation : new String[] {"GET ", "POST "}) {
      on(operation + TO_EXCHANGE).with("destination", "rights-y").body(bodyOf(operation));
    }
    on("GET " + TO_EXCHANGE + "/{key}").with("destination", "rights-y");
    on("DELETE " + TO_EXCHANGE + "/{key}")
        .with("destination", "rights-y")
        .before("POST", TO_EXCHANGE, BINDING);
  }

  private static String bodyOf(String operation) {
    return operation.startsWith("POST") ? BINDING : null;
  }

  private void policies() {
    for (String kind : new String[] {"policies", "operator-policies"}) {
      String policy = kind + "/{vhost}/{policy}";
      on("PUT " + policy).body(POLICY);
      on("PUT " + policy + "/dry-run").body(POLICY);
      on("DELETE " + policy).before("PUT", policy, POLICY);
    }
    for (String kind : new String[] {"vhost-policies", "vhost-operator-policies"}) {
      String policy = kind + "/{policy}";
      on("PUT " + policy).body(VHOST_POLICY);
      on("PUT " + policy + "/dry-run").body(VHOST_POLICY);
      for (String operation :
          new String[] {"GET %s", "GET %s/effect", "DELETE %s", "DELETE %s/dry-run"}) {
        on(operation.formatted(policy)).before("PUT", policy, VHOST_POLICY);
      }
    }
    String parameter = "parameters/{component}/{vhost}/{name}";
    on("PUT " + parameter).body(LIMITS);
    on("DELETE " + parameter).before("PUT", parameter, LIMITS);
    String global = "global-parameters/{name}";
    on("GET " + global).with("name", "rights-g");
    on("PUT " + global).with("name", "rights-g").body(VALUE);
    on("DELETE " + global).with("name", "rights-g").before("PUT", global, VALUE);
    String shovel = "shovels/vhost/{vhost}/{name}";
    String ofShovel = "parameters/shovel/{vhost}/{name}";
    on("GET " + shovel).before("PUT", ofShovel, SHOVEL);
    on("DELETE " + shovel).before("PUT", ofShovel, SHOVEL);
    on("DELETE " + shovel + "/restart").before("PUT", ofShovel, SHOVEL);
    String link = "federation-links/vhost/{vhost}/{id}/{node}/restart";
    on("DELETE " + link).with("id", "00000000").with("node", NO_NODE).orStatus(404);
    on("POST definitions").body("{}");
    on("POST definitions/{vhost}").body("{}");
  }

  private void users() {
    String vhost = "vhosts/{vhost}";
    on("PUT " + vhost).with("vhost", SPARE).body("{}");
    on("DELETE " + vhost).with("vhost", SPARE).before("PUT", vhost, "{}");
    on("PUT " + vhost + "/tracing").body("{\"enabled\":false}");
    on("PUT " + vhost + "/compatibility").with("vhost", SPARE).body("{\"value\":\"4.3\"}");
    on("DELETE " + vhost + "/compatibility").with("vhost", SPARE);
    on("POST " + vhost + "/deletion/protection").with("vhost", SPARE);
    on("DELETE " + vhost + "/deletion/protection").with("vhost", SPARE);
    on("PUT vhost-limits/{vhost}/{limit}").with("limit", "max-queues").body(VALUE);
    on("DELETE vhost-limits/{vhost}/{limit}")
        .with("limit", "max-queues")
        .before("PUT", "vhost-limits/{vhost}/{limit}", "{\"value\":1000}");
    String user = "users/{user}";
    String tags = "{\"password\":\"p\",\"tags\":\"\"}";
    on("PUT " + user).body(tags);
    on("DELETE " + user).with("user", SPARE).before("PUT", user, tags);
    on("POST users/bulk-delete")
        .body("{\"users\":[\"" + SPARE + "\"]}")
        .before("PUT", "users/" + SPARE, tags);
    on("GET users/{user}/queues").with("user", "guest");
    on("GET user-limits/{user}").with("user", RightsFixture.NEIGHBOUR);
    on("PUT user-limits/{user}/{limit}").body(VALUE);
    on("DELETE user-limits/{user}/{limit}").before("PUT", "user-limits/{user}/{limit}", VALUE);
    for (String kind : new String[] {"permissions/", "topic-permissions/"}) {
      String path = kind + "{vhost}/{user}";
      on("PUT " + path).body(PERMISSIONS);
      on("DELETE " + path).before("PUT", path, PERMISSIONS);
    }
    on("GET topic-permissions/{vhost}/{user}/{exchange}")
        .before("PUT", "topic-permissions/{vhost}/{user}", PERMISSIONS);
    on("DELETE topic-permissions/{vhost}/{user}/{exchange}")
        .before("PUT", "topic-permissions/{vhost}/{user}", PERMISSIONS);
  }
}
