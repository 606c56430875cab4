package io.mayflymq.server.definitions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.mayflymq.core.admin.Administration;
import io.mayflymq.core.admin.AdministrationException;
import io.mayflymq.core.admin.Parameter;
import io.mayflymq.core.admin.VhostDefaults;
import io.mayflymq.core.metadata.Actor;
import io.mayflymq.core.metadata.InMemoryMetadataLog;
import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataLog;
import io.mayflymq.core.metadata.VhostDefinition;
import io.mayflymq.core.policy.PolicyKind;
import io.mayflymq.core.policy.PolicyTable;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.routing.ExchangeType;
import io.mayflymq.core.runtime.Faults;
import io.mayflymq.core.runtime.Shards;
import io.mayflymq.core.security.AccessControl;
import io.mayflymq.core.security.Limit;
import io.mayflymq.core.security.PasswordHash;
import io.mayflymq.core.security.SecurityState;
import io.mayflymq.core.security.Sessions;
import io.mayflymq.core.security.User;
import io.mayflymq.core.store.InMemoryStore;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.ObjectLimits;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.core.vhost.partition.Partitions;
import io.mayflymq.protocol.types.ConnectionException;
import io.mayflymq.protocol.types.ReplyCode;
import io.mayflymq.server.channel.ManualEventLoop;
import io.mayflymq.server.json.JsonWriter;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BrokerDefinitionsTest {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final Actor IMPORTER = () -> "importer";

  /** A broker with the virtual host / and the user guest. */
  private static final class Rig {
    private final Broker broker;
    private final Administration administration;
    private final BrokerDefinitions definitions;

    Rig() {
      this(new InMemoryMetadataLog());
    }

    Rig(MetadataLog log) {
      InstantSource clock = InstantSource.system();
      broker =
          new Broker(
              new Partitions(
                  new Shards(List.of(new ManualEventLoop()), clock, Faults.logged()),
                  (partition, shard) -> new InMemoryStore()),
              log,
              clock,
              "/");
      AccessControl accessControl = new AccessControl(SecurityState.EMPTY, Set.of(), clock);
      administration =
          new Administration(
              broker, log, accessControl, new Sessions(accessControl), VhostDefaults.NONE);
      administration.createDefaults(
          "/",
          new User("guest", PasswordHash.of("guest"), List.of(User.ADMINISTRATOR)),
          ".*",
          ".*",
          ".*");
      definitions = new BrokerDefinitions(broker, administration);
    }

    /** Leaves out what is wrong. */
    ImportReport take(String json) throws DefinitionsException {
      return take(json, false);
    }

    ImportReport takeStrictly(String json) throws DefinitionsException {
      return take(json, true);
    }

    private ImportReport take(String json, boolean strict) throws DefinitionsException {
      return definitions
          .importAll(
              new ByteArrayInputStream(json.getBytes(StandardCharsets.UTF_8)), strict, IMPORTER)
          .join();
    }
  }

  /** A log whose disk is full after some changes. */
  private static final class FullLog implements MetadataLog {
    private int left;

    FullLog(int room) {
      left = room;
    }

    @Override
    public List<MetadataCommand> recover() {
      return List.of();
    }

    @Override
    public CompletableFuture<Void> append(List<? extends MetadataCommand> commands) {
      left--;
      return left >= 0
          ? CompletableFuture.completedFuture(null)
          : CompletableFuture.failedFuture(
              new ConnectionException(ReplyCode.INTERNAL_ERROR, "No space left on device"));
    }

    @Override
    public String failure() {
      return null;
    }

    @Override
    public void close() {}
  }

  private final Rig rig = new Rig();

  private static String resource(String name) throws IOException {
    try (InputStream in = BrokerDefinitionsTest.class.getResourceAsStream(name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** Adds to queues what RabbitMQ 3.10 did not write yet: their types. */
  private static void addTypes(JsonNode document) {
    for (JsonNode queue : document.path("queues")) {
      ObjectNode arguments = (ObjectNode) queue.path("arguments");
      String type = arguments.path("x-queue-type").asText("classic");
      arguments.put("x-queue-type", type);
      ((ObjectNode) queue).put("type", type);
    }
  }

  @Test
  void definitionsExportedByRabbitMqAreImportedAndExportedUnchanged() throws Exception {
    String original = resource("rabbitmq-3.10.8.json");

    ImportReport report = rig.take(original);

    assertThat(report.skipped()).isEmpty();
    JsonNode before = MAPPER.readTree(original);
    addTypes(before);
    JsonNode after = tree(rig.definitions.export());
    for (String section :
        List.of("users", "permissions", "topic_permissions", "global_parameters", "exchanges")) {
      assertThat(set(after, section)).as(section).isEqualTo(set(before, section));
    }
    assertThat(names(after, "vhosts")).containsExactly("/", "empty", "orders");
    assertThat(set(after, "parameters")).isEqualTo(set(before, "parameters"));
    assertThat(names(after, "policies")).containsExactly("ae", "mirror", "short");
    assertThat(set(after, "queues")).isEqualTo(set(before, "queues"));
    assertThat(set(after, "bindings")).isEqualTo(set(before, "bindings"));
    assertThat(rig.administration.users().get("ann").passwordHash().matches("secret")).isTrue();
    assertThat(rig.administration.vhosts().get("orders").limits().get(Limit.MAX_QUEUES))
        .isEqualTo(50);
  }

  private static JsonNode tree(Map<String, Object> exported) throws IOException {
    return MAPPER.readTree(JsonWriter.text(exported));
  }

  private static Set<JsonNode> set(JsonNode document, String section) {
    Set<JsonNode> items = new HashSet<>();
    document.path(section).forEach(items::add);
    return items;
  }

  private static List<String> names(JsonNode document, String section) {
    List<String> names = new ArrayList<>();
    document.path(section).forEach(item -> names.add(item.path("name").textValue()));
    names.sort(Comparator.naturalOrder());
    return names;
  }

  @Test
  void importedQueuesAreDeclaredByTheUserWhoImports() throws Exception {
    rig.take(resource("rabbitmq-3.10.8.json"));
    assertThat(rig.broker.virtualHosts())
        .flatExtracting(vhost -> vhost.routing().queues())
        .isNotEmpty()
        .allMatch(queue -> "importer".equals(queue.definition().declaredBy()));
  }

  @Test
  void exportedDefinitionsAreImportedWithoutLoss() throws Exception {
    rig.take(resource("rabbitmq-3.10.8.json"));
    Map<String, Object> exported = rig.definitions.export();

    Rig other = new Rig();
    ImportReport report = other.take(JsonWriter.text(exported));

    assertThat(report.skipped()).isEmpty();
    assertThat(other.definitions.export()).isEqualTo(exported);
    assertThat(other.take(JsonWriter.text(exported)).skipped()).as("again").isEmpty();
    assertThat(other.definitions.export()).isEqualTo(exported);
  }

  @Test
  void definitionsOfOneVhostAreImportedIntoAnother() throws Exception {
    rig.administration.vhosts().put(VhostDefinition.of("copy")).join();
    byte[] json = resource("rabbitmq-3.10.8-vhost.json").getBytes(StandardCharsets.UTF_8);

    ImportReport report =
        rig.definitions.importInto("copy", new ByteArrayInputStream(json), true, IMPORTER).join();

    assertThat(report.skipped()).isEmpty();
    JsonNode exported = tree(rig.definitions.export("copy"));
    assertThat(exported.path("original_vhost_name").textValue()).isEqualTo("copy");
    assertThat(names(exported, "queues")).containsExactly("ann.inbox", "shared.lost", "transient");
    assertThat(exported.path("queues").get(0).has("vhost")).isFalse();
    assertThat(exported.path("bindings")).hasSize(4);
    assertThat(exported.path("parameters")).hasSize(2);
    assertThat(exported.has("users")).isFalse();
    assertThatThrownBy(
            () ->
                rig.definitions.importInto("none", new ByteArrayInputStream(json), false, IMPORTER))
        .isInstanceOf(AdministrationException.class)
        .hasMessage("Virtual host 'none' does not exist");
    assertThatThrownBy(() -> rig.definitions.export("none"))
        .isInstanceOf(AdministrationException.class);
  }

  @Test
  void operatorPoliciesWrittenAsPairsAndParametersOfOtherComponentsAreImported() throws Exception {
    String original = resource("rabbitmqctl-3.10.8-operator-policy.json");

    ImportReport report = rig.take(original);

    String why = "there is no such component here: kept and exported again, without effect";
    assertThat(report.skipped())
        .containsExactly(
            "parameter 'drain' of component 'shovel' in vhost '/': " + why,
            "parameter 'up' of component 'federation-upstream' in vhost '/': " + why);
    JsonNode exported = tree(rig.definitions.export());
    Set<JsonNode> expected = set(MAPPER.readTree(original), "parameters");
    expected.removeIf(item -> item.path("component").textValue().equals("operator_policy"));
    expected.add(
        MAPPER.readTree(
            """
            {"vhost":"/","component":"operator_policy","name":"cap","value":
             {"pattern":"^q","apply-to":"queues","definition":{"max-length":10000},"priority":0}}
            """));
    assertThat(set(exported, "parameters")).isEqualTo(expected);
  }

  @Test
  void keptParametersAreReplacedClearedAndDeletedWithTheirVhost() throws Exception {
    rig.administration.vhosts().put(VhostDefinition.of("v")).join();
    String item =
        "{\"parameters\":[{\"component\":\"shovel\",\"vhost\":\"%s\",\"name\":\"s\",\"value\":%s}]}";
    rig.take(item.formatted("v", "1"));
    rig.take(item.formatted("v", "{\"a\":[2]}"));
    rig.take(item.formatted("/", "3"));

    assertThat(rig.administration.parameters().list())
        .containsExactly(
            new Parameter("/", "shovel", "s", "3"),
            new Parameter("v", "shovel", "s", "{\"a\":[2]}"));
    assertThat(tree(rig.definitions.export("v")).path("parameters")).hasSize(1);
    rig.administration.parameters().clear("/", "shovel", "s").join();
    assertThatThrownBy(() -> rig.administration.parameters().clear("/", "shovel", "s"))
        .isInstanceOf(AdministrationException.class)
        .hasMessage("Parameter does not exist");
    rig.administration.vhosts().delete("v").join();
    assertThat(rig.administration.parameters().list()).isEmpty();
    assertThatThrownBy(() -> rig.takeStrictly(item.formatted("v", "1")))
        .isInstanceOf(DefinitionsException.class)
        .hasMessage(
            "parameter 's' of component 'shovel' in vhost 'v': Virtual host 'v' does not exist");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "[[\"a\"]] | an object, or a list of pairs of a name and a value",
        "[1] | an object, or a list of pairs of a name and a value",
        "[[\"a\",1],[\"a\",2]] | each name once; 'a' is there twice",
        "7 | an object",
      })
  void definitionOfAPolicyThatIsNeitherObjectNorPairsIsRefused(String definition, String expected) {
    assertThatThrownBy(
            () ->
                rig.takeStrictly(
                    """
                    {"policies":[{"vhost":"/","name":"p","pattern":"","definition":%s}]}
                    """
                        .formatted(definition)))
        .isInstanceOf(DefinitionsException.class)
        .hasMessage(
            "policies[0] ('p'): 'definition' is %s: expected %s".formatted(definition, expected));
  }

  @Test
  void vhostFieldsOfLaterRabbitMqVersionsAreImported() throws Exception {
    ImportReport report =
        rig.take(
            """
            {"rabbitmq_definition_format":"cluster","original_cluster_name":"x","vhosts":[
             {"limits":[],"name":"a","description":"d","tags":["t","u"],
              "default_queue_type":"quorum",
              "metadata":{"description":"d","tags":["t","u"],"default_queue_type":"quorum"}},
             {"name":"b","metadata":{"description":"e","tags":["v"],
              "default_queue_type":"undefined"}},
             {"name":"c","tags":"x, y"}]}
            """);

    assertThat(report.skipped()).isEmpty();
    assertThat(rig.administration.vhosts().get("a").tags()).containsExactly("t", "u");
    assertThat(rig.administration.vhosts().get("a").defaultQueueType()).isEqualTo("quorum");
    assertThat(rig.administration.vhosts().get("b").description()).isEqualTo("e");
    assertThat(rig.administration.vhosts().get("b").defaultQueueType()).isEmpty();
    assertThat(rig.administration.vhosts().get("c").tags()).containsExactly("x", "y");
  }

  @Test
  void differingExistingObjectsAreKeptAndReported() throws Exception {
    rig.broker
        .virtualHost("/")
        .declareExchange(ExchangeDefinition.durable("x", ExchangeType.TOPIC), null)
        .join();
    rig.take(
        """
        {"queues":[{"name":"q","vhost":"/","durable":true,"auto_delete":false,
                    "arguments":{"x-max-length":1}}]}
        """);

    ImportReport report =
        rig.take(
            """
            {"exchanges":[{"name":"x","vhost":"/","type":"fanout","durable":true,
                           "auto_delete":false,"internal":false,"arguments":{}},
                          {"name":"h","vhost":"/","type":"x-message-deduplication","durable":true,
                           "auto_delete":false,"internal":false,"arguments":{}}],
             "queues":[{"name":"q","vhost":"/","durable":true,"auto_delete":false,
                        "arguments":{"x-max-length":2}}],
             "bindings":[{"source":"h","vhost":"/","destination":"q","destination_type":"queue",
                          "routing_key":"","arguments":{}},
                         {"source":"","vhost":"/","destination":"q","destination_type":"queue",
                          "routing_key":"q","arguments":{}},
                         {"source":"x","vhost":"/","destination":"q","destination_type":"queue",
                          "routing_key":"k","arguments":[]}],
             "parameters":[{"component":"shovel","vhost":"/","name":"s","value":{}}],
             "jobs":[]}
            """);

    assertThat(report.imported()).isEqualTo(1);
    assertThat(report.skipped())
        .containsExactly(
            "'jobs': not a part of definitions that is known here",
            "exchange 'x' in vhost '/': exists and is declared otherwise",
            "exchange 'h' in vhost '/': exchange type 'x-message-deduplication' is not supported by"
                + " this broker",
            "queue 'q' in vhost '/': exists and is declared otherwise: inequivalent arg"
                + " 'x-max-length' for queue 'q' in vhost '/': received '2' but current is '1'",
            "binding of queue 'q' to exchange 'h' in vhost '/': there is no such exchange",
            "parameter 's' of component 'shovel' in vhost '/': there is no such component here:"
                + " kept and exported again, without effect");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{ | not JSON at line 1, column 2: Unexpected end-of-input",
        "[] | expected a JSON object with definitions",
        "{} {} | not JSON at line 1, column 4: Trailing token",
        "{\"users\":{}} | 'users': expected a list, found an object",
        "{\"users\":[1]} | users[0]: expected an object, found 1",
        "{\"users\":[{\"tags\":\"\"}]} | users[0]: 'name' is missing",
        "{\"users\":[{\"name\":5}]} | users[0]: 'name' is 5: expected a text",
        "{\"users\":[{\"name\":\"u\",\"tags\":[1]}]} | users[0] ('u'): 'tags' is [1]: expected a"
            + " list of texts",
        "{\"users\":[{\"name\":\"u\",\"password_hash\":\"x*\"}]} | users[0] ('u'): 'password_hash'"
            + " is of no use",
        "{\"users\":[{\"name\":\"u\",\"password_hash\":\"AAAA\",\"hashing_algorithm\":\"rot13\"}]}"
            + " | users[0] ('u'): 'password_hash' is of no use: unknown hashing algorithm 'rot13'",
        "{\"users\":[{\"name\":\"u\",\"limits\":{\"max-queues\":1}}]} | users[0] ('u'):"
            + " Unrecognised terms [{<<\"max-queues\">>,1}] in user-limits: expected one of"
            + " max-connections, max-channels, publish-rate, publish-burst, delivery-rate,"
            + " delivery-burst",
        "{\"users\":[{\"name\":\"u\",\"limits\":{\"publish-rate\":1.5}}]} | users[0] ('u'):"
            + " publish-rate should be a whole number from -2147483648 to 2147483647, actually was"
            + " 1.5",
        "{\"users\":[{\"name\":\"u\",\"limits\":{\"max-channels\":\"x\"}}]} | users[0] ('u'):"
            + " max-channels should be a number, actually was <<\"x\">>",
        "{\"vhosts\":[{\"name\":\"\"}]} | vhosts[0] (''): the name of a virtual host must not be"
            + " empty",
        "{\"vhosts\":[{\"name\":\"v\",\"default_queue_type\":\"x\"}]} | vhosts[0] ('v'):"
            + " Unsupported default queue type 'x'",
        "{\"permissions\":[{\"user\":\"guest\",\"vhost\":\"/\",\"configure\":\"(\",\"write\":\"\","
            + "\"read\":\"\"}]} | permissions[0]: invalid regular expression '('",
        "{\"permissions\":[{\"user\":\"x\",\"vhost\":\"/\",\"configure\":\"\",\"write\":\"\","
            + "\"read\":\"\"}]} | permissions of user 'x' in vhost '/': User \"x\" does not exist",
        "{\"permissions\":[{\"user\":\"guest\",\"vhost\":\"w\",\"configure\":\"\",\"write\":\"\","
            + "\"read\":\"\"}]} | permissions of user 'guest' in vhost 'w': Virtual host 'w' does"
            + " not exist",
        "{\"parameters\":[{\"component\":\"vhost-limits\",\"vhost\":\"/\",\"name\":\"limits\","
            + "\"value\":{\"max-queues\":1.5}}]} | parameters[0] ('limits'): max-queues should be a"
            + " whole number from -2147483648 to 2147483647, actually was 1.5",
        "{\"policies\":[{\"vhost\":\"/\",\"name\":\"p\",\"pattern\":\"\",\"definition\":{}}]} |"
            + " policy 'p' in vhost '/': no policy provided",
        "{\"vhost_policies\":5} | 'vhost_policies': expected a list, found a number",
        "{\"queues\":{}} | 'queues': expected a list, found an object",
        "{\"policies\":[{\"vhost\":\"/\",\"name\":\"p\",\"pattern\":\"\",\"priority\":1.5,"
            + "\"definition\":{\"expires\":1}}]} | policies[0] ('p'): 'priority' is 1.5: expected a"
            + " whole number from -2147483648 to 2147483647",
        "{\"policies\":[{\"vhost\":\"/\",\"name\":\"p\",\"pattern\":\"\",\"vhosts\":\"^a\","
            + "\"definition\":{\"expires\":1}}]} | policies[0] ('p'): 'vhosts' is for policies in"
            + " 'vhost_policies', and this one would be for '/' alone",
        "{\"queues\":[{\"name\":\"q\",\"vhost\":\"/\",\"durable\":\"yes\",\"auto_delete\":false}]}"
            + " | queues[0] ('q'): 'durable' is \"yes\": expected true or false",
        "{\"queues\":[{\"name\":\"q\",\"vhost\":\"/\",\"durable\":true,\"auto_delete\":false,"
            + "\"arguments\":{\"x-message-ttl\":-1}}]} | queue 'q' in vhost '/': invalid arg"
            + " 'x-message-ttl' for queue 'q' in vhost '/': {value_negative,-1}",
        "{\"queues\":[{\"name\":\"q\",\"vhost\":\"/\",\"durable\":true,\"auto_delete\":false,"
            + "\"arguments\":{\"a\":99999999999999999999}}]} | queues[0] ('q'): 'a' is"
            + " 99999999999999999999: expected an integer of 64 bits",
        "{\"bindings\":[{\"source\":\"amq.direct\",\"vhost\":\"/\",\"destination\":\"q\","
            + "\"destination_type\":\"topic\",\"routing_key\":\"\"}]} | bindings[0]:"
            + " 'destination_type' is 'topic': expected queue or exchange",
      })
  void invalidDefinitionIsNamedAndChangesNothing(String json, String message) throws Exception {
    Map<String, Object> before = rig.definitions.export();

    assertThatThrownBy(() -> rig.takeStrictly(json))
        .isInstanceOf(DefinitionsException.class)
        .hasMessageStartingWith(message)
        .hasMessageNotContaining("\n");

    assertThat(rig.definitions.export()).isEqualTo(before);
    if (message.startsWith("not JSON") || message.startsWith("expected a JSON object")) {
      assertThatThrownBy(() -> rig.take(json)).isInstanceOf(DefinitionsException.class);
      return;
    }
    ImportReport report = rig.take(json);
    assertThat(report.imported()).isZero();
    assertThat(report.invalid()).isOne();
    assertThat(report.skipped()).singleElement().asString().startsWith(message);
    assertThat(rig.definitions.export()).isEqualTo(before);
  }

  /** Beside a queue that is right. What is found only with the broker is found before the start. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'queues':[{'vhost':'/','name':'x','type':'quorum','durable':false}] | queue 'x' in vhost '/': invalid property 'non-durable'",
        "'queues':[{'vhost':'/','name':'x','type':'stream','auto_delete':true}] | queue 'x' in vhost '/': invalid property 'auto-delete'",
        "'queues':[{'vhost':'/','name':'x'},{'vhost':'/','name':'x','arguments':{'x-max-length':1}}] | queue 'x' in vhost '/': it is in the document twice, with different properties",
        "'queues':[{'vhost':'/','name':'x','type':'none'}] | queue 'x' in vhost '/': invalid arg 'x-queue-type'",
        "'queues':[{'vhost':'/','name':'amq.x','type':'quorum'}] | queue 'amq.x' in vhost '/': Cannot declare a server-named queue",
        "'queues':[{'vhost':'/','name':'x','arguments':{'x-queue-version':3}}] | queue 'x' in vhost '/': invalid arg 'x-queue-version'",
        "'queues':[{'vhost':'/','name':'x.$dlq','arguments':{'x-dead-letter-queue-of':'x'}}] | queue 'x.$dlq' in vhost '/': no queue 'x'",
        "'queues':[{'vhost':'/','name':'x.$dlq'},{'vhost':'/','name':'x','arguments':{'x-dead-letter-queue':'auto'}}] | queue 'x' in vhost '/': its automatic dead letter queue would be 'x.$dlq'",
        "'exchanges':[{'vhost':'/','name':'amq.x','type':'topic'}] | exchange 'amq.x' in vhost '/': exchange name 'amq.x' contains reserved prefix",
        "'exchanges':[{'vhost':'/','name':'amq.direct','type':'fanout'}] | exchange 'amq.direct' in vhost '/': exists and is declared otherwise",
        "'exchanges':[{'vhost':'/','name':'x','type':'none'}] | exchange 'x' in vhost '/': exchange type 'none' is not supported",
        "'exchanges':[{'vhost':'/','name':'x','type':'topic','arguments':{'x-expires':0}}] | exchange 'x' in vhost '/': invalid arg 'x-expires'",
        "'exchanges':[{'vhost':'/','name':'x','type':'topic'},{'vhost':'/','name':'x','type':'fanout'}] | exchange 'x' in vhost '/': it is in the document twice",
        "'bindings':[{'vhost':'/','source':'nope','destination':'good','destination_type':'queue','routing_key':''}] | binding of queue 'good' to exchange 'nope' in vhost '/': there is no such exchange",
        "'bindings':[{'vhost':'/','source':'amq.topic','destination':'nope','destination_type':'queue','routing_key':''}] | binding of queue 'nope' to exchange 'amq.topic' in vhost '/': there is no such queue",
        "'bindings':[{'vhost':'/','source':'amq.topic','destination':'amq.fanout','destination_type':'exchange','routing_key':'','arguments':{'x-expires':-1}}] | binding of exchange 'amq.fanout' to exchange 'amq.topic' in vhost '/': invalid arg 'x-expires'",
        "'foo':{'a':[1]} | 'foo': not a part of definitions that is known here",
        "'parameters':[{'component':'vhost-limits','vhost':'/','name':'limits','value':{'publish-rate':0}}] | parameters[0] ('limits'): publish-rate should be 1 or more",
        "'parameters':[{'component':'vhost-limits','vhost':'/','name':'limits','value':{'max-exchanges':7}}],'exchanges':[{'vhost':'/','name':'x','type':'topic'}] | vhost '/':",
      })
  void strictImportChangesNothingIfOneDefinitionCannotBeApplied(String wrong, String message)
      throws Exception {
    Map<String, Object> before = rig.definitions.export();
    String document = "{'queues':[{'vhost':'/','name':'good'}],%s}".formatted(wrong);
    if (wrong.startsWith("'queues':[")) {
      document =
          "{'queues':[{'vhost':'/','name':'good'},%s}"
              .formatted(wrong.substring("'queues':[".length()));
    }
    String json = document.replace('\'', '"');

    assertThatThrownBy(() -> rig.takeStrictly(json))
        .isInstanceOf(DefinitionsException.class)
        .hasMessageStartingWith(message);

    assertThat(rig.definitions.export()).isEqualTo(before);
    ImportReport report = rig.take(json);
    assertThat(report.imported()).isPositive();
    assertThat(rig.broker.virtualHost("/").routing().queue("good")).isNotNull();
    if (!message.startsWith("vhost")) {
      assertThat(report.skipped()).singleElement().asString().startsWith(message);
    }
  }

  @Test
  void strictImportIntoOneVirtualHostPassesOverPartsOfTheWholeBroker() throws Exception {
    byte[] json = "{\"users\":[],\"queues\":[]}".getBytes(StandardCharsets.UTF_8);
    ImportReport report =
        rig.definitions.importInto("/", new ByteArrayInputStream(json), true, IMPORTER).join();
    assertThat(report.skipped())
        .containsExactly("'users': not a part of definitions of one virtual host");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'queues':[],'vhosts':[],'queues':[]} | 'queues' is there twice in one object, the second time at line 1, column 26: expected it once",
        "{'vhosts':[{'name':'v','tags':[],'name':'w'}]} | 'name' is there twice in one object, the second time at line 1, column 34: expected it once",
        "{'foo':{'a':{'b':1,'c':[{'b':2}],'b':3}}} | 'b' is there twice in one object, the second time at line 1, column 34: expected it once",
        "{'queues':[{'name':'q','vhost':'/','arguments':{'x-max-length':1e400}}]} | not JSON at line 1, column 69: the number 1e400 is too large: expected one between -1.8e308 and 1.8e308",
      })
  void documentsThatDoNotSayOneThingAreRefused(String json, String message) {
    assertThatThrownBy(() -> rig.take(json.replace('\'', '"')))
        .isInstanceOf(DefinitionsException.class)
        .hasMessage(message);
  }

  @Test
  void importFailsIfTheBrokerCanMakeNoChanges() {
    int some = 6_000;
    Rig full = new Rig(new FullLog(some));
    String queues =
        IntStream.range(0, 2 * some)
            .mapToObj(
                ("{\"name\":\"q%d\",\"vhost\":\"/\",\"durable\":true,\"auto_delete\":false,"
                        + "\"arguments\":{}}")
                    ::formatted)
            .collect(Collectors.joining(",", "{\"queues\":[", "]}"));
    assertThatThrownBy(() -> full.take(queues))
        .cause()
        .isInstanceOf(ConnectionException.class)
        .hasMessageContaining("the import has ended after 5000 definitions")
        .hasMessageContaining("No space left on device");
    assertThat(full.broker.virtualHost("/").routing().queueCount()).isLessThan(some);
  }

  @Test
  void invalidDefinitionsAreAllReportedAndNothingIsImported() throws Exception {
    Map<String, Object> before = rig.definitions.export();

    DefinitionsException error =
        catchThrowableOfType(
            DefinitionsException.class,
            () ->
                rig.takeStrictly(
                    """
                    {"users":[{"name":"fine","password":"p","tags":[]},{"name":""},{}],
                     "vhosts":[{"name":7}]}
                    """));

    assertThat(error.problems())
        .containsExactly(
            "users[1] (''): the name of a user must not be empty",
            "users[2]: 'name' is missing",
            "vhosts[0]: 'name' is 7: expected a text");
    assertThat(error)
        .hasMessage("users[1] (''): the name of a user must not be empty (and 2 more)");
    assertThat(rig.definitions.export()).isEqualTo(before);
  }

  @Test
  void whatIsWrongIsLeftOutWithWhatDependsOnItAndTheOthersAreImported() throws Exception {
    ImportReport report =
        rig.take(
            """
            {"users":[{"name":"ann","password":"p"},{"name":"bob","password_hash":"x*"}],
             "vhosts":[{"name":"v"},{"name":"w","default_queue_type":"x"}],
             "permissions":[
              {"user":"ann","vhost":"v","configure":".*","write":".*","read":".*"},
              {"user":"bob","vhost":"v","configure":".*","write":".*","read":".*"},
              {"user":"ann","vhost":"w","configure":".*","write":".*","read":".*"}],
             "policies":[
              {"vhost":"v","name":"fine","pattern":"","definition":{"max-length":5}},
              {"vhost":"v","name":"bad","pattern":"","definition":{"max-length":-5}}],
             "exchanges":[
              {"name":"x","vhost":"v","type":"topic","durable":true,"auto_delete":false},
              {"name":"y","vhost":"v","type":"topic","durable":1,"auto_delete":false}],
             "queues":[
              {"name":"a","vhost":"v","durable":true,"auto_delete":false},
              {"name":"b","vhost":"v","durable":true,"auto_delete":false,
               "arguments":{"x-expires":0}},
              {"name":"c","vhost":"v","durable":true,"auto_delete":false,
               "arguments":{"x-queue-version":3}}],
             "bindings":[
              {"source":"x","vhost":"v","destination":"a","destination_type":"queue",
               "routing_key":"#"},
              {"source":"x","vhost":"v","destination":"a","destination_type":"queue",
               "routing_key":"#.#.#"},
              {"source":"x","vhost":"v","destination":"b","destination_type":"queue",
               "routing_key":"#"},
              {"source":"y","vhost":"v","destination":"a","destination_type":"queue",
               "routing_key":"#"},
              {"source":"x","vhost":"v","destination":"c","destination_type":"queue",
               "routing_key":"#"}],
             "global_parameters":5}
            """);

    assertThat(report.imported()).isEqualTo(7);
    String argument = " for queue '%s' in vhost 'v': ";
    assertThat(report.skipped())
        .satisfiesExactlyInAnyOrder(
            line -> assertThat(line).startsWith("users[1] ('bob'): 'password_hash' is of no use"),
            line ->
                assertThat(line).startsWith("vhosts[1] ('w'): Unsupported default queue type 'x'"),
            line ->
                assertThat(line)
                    .isEqualTo(
                        "permissions of user 'bob' in vhost 'v': User \"bob\" does not exist"),
            line ->
                assertThat(line)
                    .isEqualTo(
                        "permissions of user 'ann' in vhost 'w': Virtual host 'w' does not exist"),
            line ->
                assertThat(line)
                    .isEqualTo("policy 'bad' in vhost 'v': -5 is not a valid maximum length"),
            line ->
                assertThat(line)
                    .isEqualTo("exchanges[1] ('y'): 'durable' is 1: expected true or false"),
            line ->
                assertThat(line)
                    .isEqualTo(
                        "queue 'b' in vhost 'v': invalid arg 'x-expires'"
                            + argument.formatted("b")
                            + "{value_zero,0}"),
            line ->
                assertThat(line)
                    .isEqualTo(
                        "queue 'c' in vhost 'v': invalid arg 'x-queue-version'"
                            + argument.formatted("c")
                            + "\"unsupported queue version '3'\""),
            line ->
                assertThat(line).startsWith("binding of queue 'a' to exchange 'x' in vhost 'v'"),
            line ->
                assertThat(line)
                    .isEqualTo(
                        "binding of queue 'b' to exchange 'x' in vhost 'v': there is no such"
                            + " queue"),
            line ->
                assertThat(line)
                    .isEqualTo(
                        "binding of queue 'a' to exchange 'y' in vhost 'v': there is no such"
                            + " exchange"),
            line ->
                assertThat(line)
                    .isEqualTo(
                        "binding of queue 'c' to exchange 'x' in vhost 'v': there is no such"
                            + " queue"),
            line ->
                assertThat(line).isEqualTo("'global_parameters': expected a list, found a number"));
    VirtualHost vhost = rig.broker.virtualHost("v");
    assertThat(vhost.routing().queue("a")).isNotNull();
    assertThat(vhost.routing().queueCount()).isOne();
    assertThat(rig.administration.users().list()).extracting(User::name).doesNotContain("bob");
  }

  @Test
  void aDefinitionThatIsTooLargeIsLeftOut() throws Exception {
    String large =
        IntStream.range(0, ItemParser.MOST_TOKENS)
            .mapToObj(i -> "[{}]")
            .collect(Collectors.joining(","));
    ImportReport report =
        rig.take(
            """
            {"vhosts":[{"name":"a"},{"name":"b","tags":[%s],"more":{"b":[1]}},{"name":"c"}],
             "global_parameters":[{"name":"p","value":1}]}
            """
                .formatted(large));

    assertThat(report.imported()).isEqualTo(3);
    assertThat(report.skipped())
        .containsExactly(
            "vhosts[1]: an item is too large: it may hold 50000 values, names and brackets");
    assertThat(rig.broker.virtualHost("b")).isNull();
    assertThat(rig.broker.virtualHost("c")).isNotNull();
  }

  @Test
  void queuesAndVirtualHostsBeyondALimitAreLeftOut() throws Exception {
    rig.broker.setLimits(
        new ObjectLimits(
            2, ObjectLimits.UNLIMITED, ObjectLimits.UNLIMITED, Long.MAX_VALUE, Long.MAX_VALUE));
    ImportReport report =
        rig.take(
            """
            {"vhosts":[{"name":"v"},{"name":"w"}],
             "parameters":[{"component":"vhost-limits","vhost":"v","name":"limits",
                            "value":{"max-queues":1}}],
             "queues":[{"name":"a","vhost":"v","durable":true,"auto_delete":false},
                       {"name":"b","vhost":"v","durable":true,"auto_delete":false}]}
            """);

    assertThat(report.imported()).isEqualTo(3);
    assertThat(report.skipped())
        .satisfiesExactly(
            line -> assertThat(line).startsWith("virtual host 'w': "),
            line -> assertThat(line).startsWith("queue 'b' in vhost 'v': "));
    assertThat(rig.broker.virtualHost("v").routing().queue("a")).isNotNull();
  }

  @Test
  void aLimitOfMinusOneIsNone() throws Exception {
    ImportReport report =
        rig.take(
            """
            {"vhosts":[{"name":"v"}],
             "users":[{"name":"u","password":"p","limits":{"max-connections":-1}}],
             "policies":[
              {"vhost":"v","name":"p","pattern":"^p","definition":{"delivery-limit":-1}}],
             "parameters":[
              {"component":"vhost-limits","vhost":"v","name":"limits","value":{"max-queues":-1}},
              {"component":"operator_policy","vhost":"v","name":"o",
               "value":{"pattern":"^o","definition":{"delivery-limit":-1}}}],
             "queues":[
              {"name":"argument","vhost":"v","durable":true,"auto_delete":false,
               "arguments":{"x-queue-type":"quorum","x-delivery-limit":-1}},
              {"name":"policy","vhost":"v","durable":true,"auto_delete":false,
               "arguments":{"x-queue-type":"quorum"}},
              {"name":"operator","vhost":"v","durable":true,"auto_delete":false,
               "arguments":{"x-queue-type":"quorum"}},
              {"name":"default","vhost":"v","durable":true,"auto_delete":false,
               "arguments":{"x-queue-type":"quorum"}}]}
            """);

    assertThat(report.skipped()).isEmpty();
    VirtualHost vhost = rig.broker.virtualHost("v");
    for (String queue : List.of("argument", "policy", "operator")) {
      assertThat(vhost.routing().queue(queue).settings().deliveries().limit())
          .as(queue)
          .isEqualTo(QueueSettings.NONE);
    }
    assertThat(vhost.routing().queue("default").settings().deliveries().limit()).isEqualTo(20);
  }

  @Test
  void importedLimitThatTheQueuesExceedIsRefused() {
    assertThatThrownBy(
            () ->
                rig.takeStrictly(
                    """
                    {"parameters":[{"component":"vhost-limits","vhost":"/","name":"limits",
                                    "value":{"max-queues":1}}],
                     "queues":[{"name":"a","vhost":"/","durable":true,"auto_delete":false},
                               {"name":"b","vhost":"/","durable":true,"auto_delete":false}]}
                    """))
        .hasMessage("vhost '/': 0 queues and 2 new ones are more than its limit of 1");
    assertThat(rig.broker.virtualHost("/").routing().queueCount()).isZero();
  }

  @Test
  void importedPoliciesAreExportedUnchanged() throws Exception {
    String document =
        """
        {"policies":[{"vhost":"/","name":"p","pattern":"^a","apply-to":"queues","priority":3,
                      "definition":{"expires":1000}}],
         "parameters":[{"component":"operator_policy","vhost":"/","name":"o",
                        "value":{"pattern":".*","apply-to":"queues","priority":0,
                                 "definition":{"max-length":9}}}]}
        """;
    assertThat(rig.take(document).skipped()).isEmpty();

    PolicyTable table = rig.broker.virtualHost("/").policies().table();
    assertThat(table.policy(PolicyKind.POLICY, "p").priority()).isEqualTo(3);
    assertThat(table.policy(PolicyKind.OPERATOR_POLICY, "o").pattern()).isEqualTo(".*");
    Rig copy = new Rig();
    copy.take(JsonWriter.text(rig.definitions.export()));
    JsonNode exported = tree(rig.definitions.export());
    JsonNode copied = tree(copy.definitions.export());
    assertThat(copied.get("policies")).isEqualTo(exported.get("policies")).hasSize(1);
    assertThat(copied.get("parameters")).isEqualTo(exported.get("parameters")).hasSize(1);
  }

  /** RabbitMQ exports what was set as 20.0. */
  @Test
  void wholeNumberWithAFractionIsAPriority() throws Exception {
    rig.takeStrictly(
        "{'policies':[{'vhost':'/','name':'p','pattern':'','priority':2e1,'definition':{'expires':1}}]}"
            .replace('\'', '"'));
    assertThat(
            rig.broker
                .virtualHost("/")
                .policies()
                .table()
                .policy(PolicyKind.POLICY, "p")
                .priority())
        .isEqualTo(20);
  }

  /** An automatic dead letter queue stays when its queue loses the setting, in a copy as well. */
  @Test
  void deadLetterQueueThatIsLeftOverIsImported() throws Exception {
    String queue = "{'name':'orders','vhost':'/','durable':true,'auto_delete':false}";
    rig.takeStrictly(
        "{'queues':[%s],'policies':[{'vhost':'/','name':'p','pattern':'','definition':{'dead-letter-queue':'auto'}}]}"
            .formatted(queue)
            .replace('\'', '"'));
    rig.broker.virtualHost("/").policies().clear(PolicyKind.POLICY, "p").join();
    rig.takeStrictly(
        "{'bindings':[{'source':'amq.direct','vhost':'/','destination':'orders.$dlq','destination_type':'queue','routing_key':'k'}]}"
            .replace('\'', '"'));
    Map<String, Object> exported = rig.definitions.export();
    assertThat(names(tree(exported), "queues")).containsExactly("orders", "orders.$dlq");

    Rig copy = new Rig();
    assertThat(copy.takeStrictly(JsonWriter.text(exported)).skipped()).isEmpty();

    assertThat(copy.definitions.export()).isEqualTo(exported);
    assertThat(copy.takeStrictly(JsonWriter.text(exported)).skipped()).as("again").isEmpty();
    copy.broker.virtualHost("/").deleteQueue("orders", IMPORTER, false, false).join();
    assertThat(copy.broker.virtualHost("/").routing().queues()).isEmpty();
  }

  @Test
  void deadLetterQueueWithoutItsQueueIsNotImported() throws Exception {
    String own =
        "{'queues':[{'name':'%s','vhost':'/','durable':true,'auto_delete':false,'arguments':{'x-dead-letter-queue-of':'orders'}}]}"
            .replace('\'', '"');
    assertThat(rig.take(own.formatted("orders.$dlq")).skipped())
        .containsExactly("queue 'orders.$dlq' in vhost '/': no queue 'orders' in vhost '/'");
    assertThat(rig.take(own.formatted("mine")).skipped())
        .singleElement()
        .asString()
        .contains("such queues come with dead-letter-queue auto");
    assertThat(rig.broker.virtualHost("/").routing().queues()).isEmpty();
  }

  @Test
  void invalidPolicyInDefinitionsIsRefused() {
    assertThatThrownBy(
            () ->
                new Rig()
                    .takeStrictly(
                        """
                        {"policies":[{"vhost":"/","name":"p","pattern":"(","definition":{"expires":1}}]}
                        """))
        .hasMessageContaining("pattern should be regular expression but is invalid");
  }

  @Test
  void definitionFilesAreLoadedOnceUnlessTheirContentChanges(@TempDir Path directory)
      throws Exception {
    Files.writeString(directory.resolve("1.json"), "{\"vhosts\":[{\"name\":\"v\"}]}");
    Files.writeString(
        directory.resolve("2.json"),
        "{\"queues\":[{\"name\":\"q\",\"vhost\":\"v\",\"durable\":true,\"auto_delete\":false}]}");
    Files.writeString(directory.resolve("notes.txt"), "not definitions");
    DefinitionsLoader loader =
        new DefinitionsLoader(rig.definitions, rig.administration.globalParameters(), true, true);

    loader.load(directory);
    assertThat(rig.broker.virtualHost("v").routing().queue("q")).isNotNull();

    rig.administration.vhosts().delete("v").join();
    loader.load(directory);
    assertThat(rig.broker.virtualHost("v")).as("unchanged").isNull();

    Files.writeString(directory.resolve("1.json"), "{\"vhosts\":[{\"name\":\"v\"}] }");
    loader.load(directory);
    assertThat(rig.broker.virtualHost("v")).as("changed").isNotNull();
    assertThat(JsonWriter.text(rig.definitions.export()))
        .doesNotContain("imported_definition_hash");

    Path missing = directory.resolve("missing.json");
    assertThatThrownBy(() -> loader.load(missing))
        .hasMessage("cannot read definitions from " + missing + ": no such file");
    Path wrong = Files.writeString(directory.resolve("wrong"), "{\"users\":[{}]}");
    assertThatThrownBy(() -> loader.load(wrong))
        .hasMessage("cannot import definitions from " + wrong + ": users[0]: 'name' is missing");
  }

  @Test
  void filesOfWhichSomethingWasLeftOutAreLoadedAgain(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("definitions.json");
    Files.writeString(file, "{\"vhosts\":[{\"name\":\"v\"},{\"name\":\"\"}]}");
    DefinitionsLoader loader =
        new DefinitionsLoader(rig.definitions, rig.administration.globalParameters(), true, false);

    loader.load(file);
    rig.administration.vhosts().delete("v").join();
    loader.load(file);
    assertThat(rig.broker.virtualHost("v")).isNotNull();
    Files.writeString(file, "[]");
    assertThatThrownBy(() -> loader.load(file)).isInstanceOf(DefinitionsException.class);
  }
}
