package io.mayflymq.it.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.rabbitmq.client.Channel;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.ControlCommand.Outcome;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.Target;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is told of a queue, and that its changes are such. */
@BlackBox
@MayflyOnly("RabbitMQ proves nothing")
class ProofIT {
  private static final ObjectMapper JSON = new ObjectMapper();

  private Http http;
  private ControlCommand control;

  @BeforeEach
  void open(Target target) {
    http = target.http();
    control = ControlCommand.of(target);
  }

  private static String declared(Amqp amqp, Map<String, Object> arguments) throws Exception {
    Channel channel = amqp.newChannel();
    String queue = amqp.name();
    channel.queueDeclare(queue, true, false, false, arguments);
    return queue;
  }

  private JsonNode claims(String queue) throws Exception {
    return http.get("queues/%2F/" + queue + "/proof").json().path("claims");
  }

  private static JsonNode claim(JsonNode claims, String id) {
    for (JsonNode claim : claims) {
      if (claim.path("id").asText().equals(id)) {
        return claim;
      }
    }
    throw new AssertionError(id + " is not among " + claims);
  }

  private static Set<String> sentences(JsonNode claims) {
    Set<String> sentences = new HashSet<>();
    claims.forEach(claim -> sentences.add(claim.path("sentence").asText()));
    return sentences;
  }

  /** The words of a command, without quotation marks that a shell takes away. */
  private static String[] words(String command) {
    List<String> words = new ArrayList<>();
    for (String word : command.replaceFirst("^mayflyctl ", "").split(" ")) {
      words.add(word.replace("'", ""));
    }
    return words.toArray(String[]::new);
  }

  @Test
  void settingsAreToldWithTheirOrigin(Amqp amqp) throws Exception {
    String queue = declared(amqp, Map.of("x-max-length", 5));
    JsonNode drops = claim(claims(queue), "limit-drops");
    assertThat(drops.path("danger").asText()).isEqualTo("lost");
    assertThat(drops.path("verdict").asText()).isEqualTo("can");
    assertThat(drops.path("event").asText()).isEqualTo("the queue is full");
    assertThat(drops.path("from").asText()).startsWith("max-length = 5 (argument)");
    JsonNode kept = claim(claims(queue), "confirmed-kept");
    assertThat(kept.path("verdict").asText()).isEqualTo("cannot");
    assertThat(kept.path("change").isNull()).isTrue();
  }

  /** One after the other, until no policy changes anything any more. */
  @Test
  void everyChangeChangesWhatItIsOfferedFor(Amqp amqp) throws Exception {
    String queue =
        declared(amqp, Map.of("x-queue-type", "quorum", "x-max-length", 5, "x-expires", 60_000));
    List<String> set = new ArrayList<>();
    boolean more = true;
    while (more) {
      more = false;
      for (JsonNode claim : claims(queue)) {
        String change = claim.path("change").asText();
        if (change.startsWith("mayflyctl set_policy ")) {
          String[] words = words(change);
          assertThat(set).as("once each").doesNotContain(change);
          set.add(change);
          Outcome outcome = control.run(words);
          assertThat(outcome.exit()).as("%s: %s", change, outcome.text()).isZero();
          assertThat(sentences(claims(queue))).doesNotContain(claim.path("sentence").asText());
          more = true;
          break;
        }
      }
    }
    assertThat(set).hasSizeGreaterThan(3);
    for (String change : set) {
      control.run("clear_policy", words(change)[1]);
    }
  }

  @Test
  void deadLettersAreFollowedByTheRoutingThatThereIs(Amqp amqp) throws Exception {
    String dead = amqp.name();
    String queue =
        declared(amqp, Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", dead));
    assertThat(claim(claims(queue), "dead-letter-lost").path("sentence").asText())
        .isEqualTo("Dead letters are dropped: no binding of the exchange '' takes them.");
    amqp.newChannel().queueDeclare(dead, true, false, false, Map.of());
    assertThat(claim(claims(queue), "dead-letters-kept").path("sentence").asText())
        .endsWith("is not lost on its way to '" + dead + "'.");
  }

  @Test
  void textHasTheSentencesAndTheirChanges(Amqp amqp) throws Exception {
    String queue = declared(amqp, Map.of());
    Outcome outcome = control.run("prove", "queue", queue);
    assertThat(outcome.exit()).isZero();
    assertThat(outcome.out())
        .contains(
            "Messages can be lost",
            "Messages can be late",
            "Messages can come out of order",
            "Messages can come twice",
            "Messages cannot be lost",
            "Messages cannot come out of order")
        .anyMatch(line -> line.startsWith("      from: "))
        .anyMatch(line -> line.startsWith("      change: mayflyctl set_policy "));
    assertThat(outcome.out().stream().filter(line -> line.endsWith("]")))
        .hasSize(claims(queue).size());
  }

  @Test
  void fileOfDefinitionsIsAskedWithoutABroker(@TempDir Path directory) throws IOException {
    Path file = directory.resolve("definitions.json");
    Files.writeString(
        file,
        """
        {"vhosts":[{"name":"v"}],
         "queues":[{"vhost":"v","name":"q","durable":true,"auto_delete":false,
                    "arguments":{"x-dead-letter-exchange":"none"}},
                   {"vhost":"v","name":"s","durable":true,"auto_delete":false,
                    "arguments":{"x-queue-type":"stream"}}]}
        """);
    String[] asked = {"prove", "queue", "q", "-p", "v", "--definitions", file.toString()};
    Outcome outcome = ControlCommand.ours().run(asked);
    assertThat(outcome.exit()).as(outcome.text()).isZero();
    assertThat(outcome.out())
        .anyMatch(line -> line.contains("the exchange 'none' does not exist. [dead-letter-lost]"));
    Outcome json =
        ControlCommand.ours()
            .run(
                "prove",
                "queue",
                "q",
                "-p",
                "v",
                "--definitions",
                file.toString(),
                "-q",
                "--formatter",
                "json");
    assertThat(JSON.readTree(json.text()).path("vhost").asText()).isEqualTo("v");
    Outcome missing =
        ControlCommand.ours().run("prove", "queue", "q", "--definitions", file.toString());
    assertThat(missing.exit()).isEqualTo(65);
    assertThat(missing.err()).anyMatch(line -> line.contains("no queue 'q' in vhost '/'"));
    Outcome stream =
        ControlCommand.ours()
            .run("prove", "queue", "s", "-p", "v", "--definitions", file.toString());
    assertThat(stream.exit()).isEqualTo(65);
    assertThat(stream.err())
        .anyMatch(line -> line.contains("expected a classic queue or a quorum"));
  }

  @Test
  void whatCannotBeProvedIsNamed(Amqp amqp) throws Exception {
    String stream = declared(amqp, Map.of("x-queue-type", "stream"));
    Http.Reply refused = http.get("queues/%2F/" + stream + "/proof");
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.raw().body())
        .contains("is a stream: expected a classic queue or a quorum queue");
    assertThat(http.get("queues/%2F/none-of-this/proof").status()).isEqualTo(404);

    Outcome missing = control.run("prove", "queue", "none-of-this");
    assertThat(missing.exit()).isEqualTo(65);
    assertThat(missing.err()).anyMatch(line -> line.contains("no queue 'none-of-this'"));
    Outcome subject = control.run("prove", "exchange", "x");
    assertThat(subject.exit()).isEqualTo(64);
    assertThat(subject.err()).anyMatch(line -> line.contains("subject 'exchange' should be queue"));
  }
}
