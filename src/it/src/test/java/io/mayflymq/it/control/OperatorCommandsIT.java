package io.mayflymq.it.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.ControlCommand.Outcome;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OwnBroker;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Health checks, diagnostics, and the commands for upgrades and plugins. */
@OwnBroker
class OperatorCommandsIT {
  private static final int TAR_BLOCK = 512;

  @TempDir static Path directory;
  private static EmbeddedBroker broker;
  private static ControlCommand control;

  @BeforeAll
  static void start() {
    broker =
        EmbeddedBroker.builder()
            .data(directory.resolve("data"))
            .set("default_pass", "s3cret-of-guest")
            .start();
    control = ControlCommand.of(broker);
  }

  @AfterAll
  static void stop() {
    broker.close();
  }

  private static Http guest() {
    return Http.as(broker.httpPort(), "guest", "s3cret-of-guest");
  }

  private static void assertHealthy(String last, String... command) {
    Outcome outcome = control.run(command);
    assertThat(outcome.err()).isEmpty();
    assertThat(outcome.exit()).isZero();
    assertThat(outcome.out().get(outcome.out().size() - 1)).startsWith(last);
  }

  private static void assertRefused(int exit, String text, String... command) {
    Outcome outcome = control.run(command);
    assertThat(outcome.exit()).as(text).isEqualTo(exit);
    assertThat(outcome.err()).anyMatch(line -> line.contains(text));
  }

  @Test
  void healthChecksOfAHealthyBrokerSucceed() {
    assertHealthy("MayflyMQ on node mayfly@", "check_running");
    assertHealthy("Node mayfly@", "check_local_alarms");
    assertHealthy("Node mayfly@", "check_alarms");
    assertHealthy("Node mayfly@", "check_virtual_hosts");
    assertHealthy("Successfully connected to ports ", "check_port_connectivity");
    String port = String.valueOf(broker.port());
    assertHealthy("A listener for port " + port + " is running", "check_port_listener", port);
    assertHealthy("A listener for protocol amqp is", "check_protocol_listener", "amqp");
    assertHealthy("No certificates are expiring within 4 weeks.", "check_certificate_expiration");
    assertHealthy("Ping succeeded", "ping");
  }

  @Test
  void healthChecksThatFailHaveTheExitCodesOfRabbitmqDiagnostics() {
    assertRefused(69, "No listener for port 1 is active on node", "check_port_listener", "1");
    assertRefused(
        65, "Bad argument: Argument must be a positive integer", "check_port_listener", "seven");
    assertRefused(64, "not enough arguments", "check_port_listener");
    assertRefused(69, "No listener for protocol mqtt", "check_protocol_listener", "mqtt");
    assertThat(control.run("set_alarm", "memory").exit()).isZero();
    try {
      assertRefused(69, "Memory alarm on node", "check_local_alarms");
      assertRefused(69, "Memory alarm on node", "check_alarms");
      assertHealthy("Memory alarm on node", "alarms");
    } finally {
      assertThat(control.run("clear_alarm", "memory").exit()).isZero();
    }
  }

  @Test
  void healthChecksOfAStoppedBrokerFail() {
    assertThat(control.run("stop_app").exit()).isZero();
    try {
      assertRefused(69, "is not running or has not fully booted yet", "check_running");
      assertHealthy("MayflyMQ on node", "is_running");
      assertRefused(64, "requires the broker to be running", "check_local_alarms");
      assertHealthy("Wrote ", "diagnostics", directory.resolve("stopped.tar.gz").toString());
    } finally {
      assertThat(control.run("start_app").exit()).isZero();
    }
    assertHealthy("MayflyMQ on node", "check_running");
  }

  @Test
  void diagnosticsHaveWhatSupportNeedsAndNoPasswords() throws Exception {
    assertThat(guest().put("queues/%2F/of-diagnostics", "{}").status()).isBetween(201, 204);
    Path file = directory.resolve("diagnostics.tar.gz");
    assertHealthy("Wrote " + file, "diagnostics", file.toString());

    Map<String, String> parts = archive(file);
    assertThat(parts)
        .containsOnlyKeys(
            "threads.txt",
            "jvm.json",
            "status.txt",
            "status.json",
            "configuration.txt",
            "log.txt",
            "files.txt",
            "alarms.json",
            "overview.json",
            "queues-by-messages.json",
            "queues-by-memory.json");
    assertThat(parts.get("threads.txt")).contains("\"main\"", "    at ");
    assertThat(parts.get("jvm.json")).contains("\"heap\"", "\"collections\"");
    assertThat(parts.get("status.txt")).contains("Listeners", "Connection count");
    assertThat(parts.get("configuration.txt")).contains("default_pass = (not shown)");
    assertThat(parts.get("log.txt")).contains("ready in");
    assertThat(parts.get("files.txt")).contains("metadata.log", " in all");
    assertThat(parts.get("queues-by-messages.json")).contains("of-diagnostics");
    assertThat(parts.values()).noneMatch(text -> text.contains("s3cret-of-guest"));
    assertRefused(65, "exists already", "diagnostics", file.toString());
  }

  /** The files of an archive by their names without the directory. */
  private static Map<String, String> archive(Path file) throws IOException {
    Map<String, String> parts = new LinkedHashMap<>();
    try (InputStream in = new GZIPInputStream(Files.newInputStream(file))) {
      for (byte[] header = in.readNBytes(TAR_BLOCK);
          header[0] != 0;
          header = in.readNBytes(TAR_BLOCK)) {
        String name = new String(header, 0, 100, StandardCharsets.US_ASCII).trim();
        int length =
            Integer.parseInt(new String(header, 124, 11, StandardCharsets.US_ASCII).trim(), 8);
        String content = new String(in.readNBytes(length), StandardCharsets.UTF_8);
        in.skipNBytes((TAR_BLOCK - length % TAR_BLOCK) % TAR_BLOCK);
        parts.put(name.substring(name.indexOf('/') + 1), content);
      }
    }
    return parts;
  }

  @Test
  void anotherNodeIsAnError() {
    assertRefused(
        69,
        "there is no node 'rabbit@elsewhere': the broker here is 'mayfly@",
        "list_queues",
        "-n",
        "rabbit@elsewhere");
    assertThat(control.run("-n", "mayfly", "list_queues").exit()).isZero();
  }

  @Test
  void versionIsPrintedWithAndWithoutACommand() {
    List<String> version = control.run("version").out();
    assertThat(control.run("--version").out()).isEqualTo(version);
    assertThat(control.run("list_queues", "--version").out()).isEqualTo(version);
    assertThat(control.run("--script-name", "rabbitmq-plugins", "--version").out())
        .isEqualTo(version);
  }

  @Test
  void helpExplainsParametersAndWhatADryRunTells() {
    assertThat(control.run("help", "set_policy").out())
        .containsSubsequence(
            "Parameters",
            "<name>",
            "<pattern>",
            "\ta regular expression for names",
            "Options",
            "--dry-run",
            "\tchanges nothing, and tells what would happen",
            "General options");
    assertThat(control.run("help", "list_queues").out())
        .containsSubsequence("General options", "--dry-run", "\tchanges nothing");
  }

  @Test
  void pluginsAreBuiltInAndNothingIsEnabled() {
    String[] list = {"--script-name", "rabbitmq-plugins", "list", "-m"};
    assertThat(control.run(list).out()).contains("rabbitmq_management", "rabbitmq_prometheus");
    String[] of = {"--script-name", "rabbitmq-plugins"};
    assertHealthy(
        "Plugin rabbitmq_management is", of[0], of[1], "is_enabled", "rabbitmq_management");
    assertRefused(69, "Plugin rabbitmq_mqtt is not", of[0], of[1], "is_enabled", "rabbitmq_mqtt");
    assertHealthy("They are built in", of[0], of[1], "enable", "rabbitmq_management");
    assertRefused(70, "MayflyMQ has no plugin x: nothing was", of[0], of[1], "enable", "x");
    assertRefused(70, "cannot be disabled", of[0], of[1], "disable", "rabbitmq_management");
    assertRefused(64, "Command 'is_enabled' not found", "is_enabled", "rabbitmq_management");
  }

  @Test
  void quorumStatusShowsTheMembersOfAQueue() throws Exception {
    String quorum = "{\"durable\":true,\"arguments\":{\"x-queue-type\":\"quorum\"}}";
    assertThat(guest().put("queues/%2F/replicas", quorum).status()).isEqualTo(201);
    Outcome status = control.run("quorum_status", "replicas");
    assertThat(status.out())
        .anyMatch(line -> line.startsWith("Status of quorum queue replicas on node mayfly@"))
        .anyMatch(line -> line.matches("Node Name\\s+Raft State\\s+Membership\\s.*\\sIn Sync"))
        .anyMatch(line -> line.matches("mayfly@\\S+\\s+leader\\s+voter\\s.*\\s1\\s+0\\s+true"));
    assertThat(guest().delete("queues/%2F/replicas").status()).isEqualTo(204);
    assertRefused(65, "Queue 'replicas' in vhost '/' does not exist", "quorum_status", "replicas");
    assertThat(guest().put("queues/%2F/classic-one", "{}").status()).isEqualTo(201);
    assertRefused(
        69, "Cannot get quorum status of a classic queue", "quorum_status", "classic-one");
    assertThat(guest().delete("queues/%2F/classic-one").status()).isEqualTo(204);
  }

  @Test
  void commandsForUpgradesDoNotWait() {
    for (String name : List.of("await_online_quorum_plus_one", "post_upgrade")) {
      assertThat(control.run(name).exit()).isZero();
    }
    assertRefused(69, "node 'rabbit@b' is not a member of the cluster", "grow", "rabbit@b", "all");
  }

  @Test
  void metadataOfAVirtualHostIsChangedInParts() {
    control.run("add_vhost", "parts", "--description", "first", "--tags", "a");
    assertHealthy(
        "Updating metadata",
        "update_vhost_metadata",
        "parts",
        "--tags",
        "b,c",
        "--default-queue-type",
        "quorum",
        "--protected-from-deletion",
        "true");
    String columns = "name description tags default_queue_type protected_from_deletion";
    assertThat(list("list_vhosts", columns)).contains("parts\tfirst\t[b, c]\tquorum\ttrue");
    assertHealthy(
        "Updating metadata", "update_vhost_metadata", "parts", "--protected-from-deletion=false");
    assertThat(list("list_vhosts", columns)).contains("parts\tfirst\t[b, c]\tquorum\tfalse");
    assertThat(control.run("update_vhost_metadata", "parts").exit()).isEqualTo(64);
    assertThat(control.run("update_vhost_metadata", "none", "--tags", "a").exit()).isEqualTo(65);
    assertThat(
            control.run("update_vhost_metadata", "parts", "--protected-from-deletion", "x").exit())
        .isEqualTo(65);
    control.run("delete_vhost", "parts");
  }

  /** Else it would not follow the configuration any more. */
  @Test
  void aTypeThatIsNotSetStaysSo() throws Exception {
    control.run("add_vhost", "unset");
    control.run("add_vhost", "fixed", "--default-queue-type", "stream");
    for (String vhost : List.of("unset", "fixed")) {
      control.run("update_vhost_metadata", vhost, "--description", "changed");
      control.run("set_vhost_tags", vhost, "a");
    }
    assertThat(guest().get("vhosts/unset").json().path("metadata"))
        .hasToString("{\"description\":\"changed\",\"tags\":[\"a\"]}");
    assertThat(guest().get("vhosts/fixed").json().at("/metadata/default_queue_type").asText())
        .isEqualTo("stream");
    control.run("delete_vhost", "unset");
    control.run("delete_vhost", "fixed");
  }

  private static List<String> list(String command, String columns) {
    List<String> arguments = new ArrayList<>(List.of("-q", command));
    arguments.addAll(List.of(columns.split(" ")));
    return control.run(arguments.toArray(String[]::new)).out();
  }

  @Test
  void dryRunsSayThatNothingWasChangedAndWhatWouldBe() throws Exception {
    guest().put("queues/%2F/dry", "{\"durable\":true}");
    String dry = "--dry-run";
    String nothing = "Dry run: nothing was changed";
    assertThat(control.run("purge_queue", "dry", dry).out())
        .containsExactly(
            nothing,
            "Would be done: Purging queue 'dry' in vhost '/'",
            "Would be lost: 0 ready messages");
    assertThat(control.run("-q", "delete_queue", "dry", dry).out())
        .containsExactly(
            nothing, "Would be lost: 0 ready messages; would be cancelled: 0 consumers");
    assertThat(control.run("add_user", "dry", "secret", dry).out())
        .startsWith(nothing, "Would be done: Adding user \"dry\"");
    assertThat(control.run("delete_vhost", "/", dry).out())
        .startsWith(nothing, "Would be done: Deleting vhost \"/\"")
        .anyMatch(line -> line.startsWith("Would be lost: "));
    assertThat(control.run("close_all_connections", "why", dry).out())
        .contains(nothing, "Would be closed: 0 connections");
    assertThat(control.run("stop", dry).out()).startsWith(nothing);
    assertThat(control.run("list_users", dry).out()).startsWith(nothing, "Listing users ...");
    assertThat(control.run("delete_queue", "dry", dry, "--formatter", "json").out())
        .singleElement()
        .satisfies(line -> assertThat(line).contains("\"dry_run\":true"));
    assertThat(guest().get("queues/%2F/dry").status()).isEqualTo(200);
  }

  @Test
  void aDryRunFailsAsTheCommandWould() {
    assertThat(control.run("purge_queue", "none", "--dry-run").exit()).isEqualTo(65);
    ControlCommand.Outcome early = control.run("purge_queue", "none", "--older-than", "-1");
    assertThat(early.exit()).isEqualTo(64);
    assertThat(early.err())
        .startsWith(
            "Error (argument validation): Bad argument: --older-than '-1' should be a number of"
                + " seconds, 0 or more");
    assertThat(control.run("delete_queue", "none", "--dry-run").exit()).isEqualTo(64);
    assertThat(control.run("delete_user", "none", "--dry-run").exit()).isEqualTo(67);
    assertThat(control.run("delete_vhost", "none", "--dry-run").exit()).isEqualTo(65);
    assertThat(control.run("move_queue", "none", "n@h", "--dry-run").exit()).isEqualTo(65);
    assertThat(control.run("trace_on", "-p", "none", "--dry-run").exit()).isEqualTo(65);
  }

  @Test
  void aPolicyWithoutEffectSaysSo() throws Exception {
    for (String queue : List.of("said-1", "said-2")) {
      guest().put("queues/%2F/" + queue, "{\"durable\":true}");
    }
    String definition = "{\"max-length\":5}";
    assertThat(control.run("set_policy", "said", "^said", definition).out())
        .endsWith("The policy matches 2 queues: applies to 2");
    String kept =
        "The policy matches 2 queues: applies to 0; 2 keep 'said' (same priority 0, first by name)";
    assertThat(control.run("set_policy", "said2", "^said", definition, "--dry-run").out())
        .contains(kept);
    assertThat(control.run("set_policy", "said2", "^said", definition).out()).endsWith(kept);
    assertThat(control.run("-q", "set_policy", "said2", "^said", definition).out()).isEmpty();
    assertThat(control.run("set_operator_policy", "said", "^none-such", definition).out())
        .endsWith("The policy matches nothing");
    for (String name : List.of("said", "said2")) {
      control.run("clear_policy", name);
    }
    control.run("clear_operator_policy", "said");
  }

  /** Behind RabbitMQ's text, the thing and the nearest known name. */
  @Test
  void errorsNameWhatWasProbablyMeant() throws Exception {
    guest().put("queues/%2F/invoices", "{\"durable\":true}");
    String meant = "; did you mean 'invoices'?";
    assertThat(control.run("delete_queue", "invoice").err())
        .containsExactly(
            "Error:",
            "No such queue was found",
            "There is no queue 'invoice' in vhost '/'" + meant);
    assertThat(control.run("browse_queue", "invocies").err())
        .containsExactly(
            "Error:", "Queue 'invocies' in vhost '/' does not exist", "Did you mean 'invoices'?");
    assertThat(control.run("purge_queue", "none-at-all").err())
        .containsExactly(
            "Object (queue, stream, exchange, etc) was not found",
            "There is no queue 'none-at-all' in vhost '/'");
    assertThat(control.run("delete_user", "gest").err())
        .containsExactly("Error:", "User \"gest\" does not exist", "Did you mean 'guest'?");
    assertThat(control.run("list_queues", "mesages").err().get(0))
        .endsWith("Info key(s) mesages are not supported; did you mean 'messages'?");
    assertThat(control.run("list_queues", "--fomatter", "json").err())
        .contains("--fomatter : did you mean --formatter?");
    assertThat(control.run("set_vhost_limits", "{\"max-conections\":1}").err())
        .endsWith("'max-conections' is no limit; did you mean 'max-connections'?");
    assertThat(control.run("list_queues", "--formatter", "jsn").err().get(0))
        .endsWith("; did you mean 'json'?");
    assertThat(control.run("set_policy", "p", "q", "{\"max-lenght\":1}").err())
        .contains("'max-lenght' is no key of policies; did you mean 'max-length'?");
  }

  @Test
  void anArgumentOneEditFromAKnownOneIsLoggedAndExplained() throws Exception {
    String body = "{\"durable\":true,\"arguments\":{\"x-mesage-ttl\":1000}}";
    assertThat(guest().put("queues/%2F/mistyped", body).status()).isEqualTo(201);
    assertThat(control.run("log_tail").text())
        .contains(
            "queue 'mistyped' in vhost '/' has the unknown argument 'x-mesage-ttl', which has no"
                + " effect; did you mean 'x-message-ttl'?");
    assertThat(control.run("explain_policy", "queue", "mistyped").out())
        .contains(
            "  unknown argument x-mesage-ttl, which has no effect: did you mean x-message-ttl?");
  }

  @Test
  void policiesThatMatchAreListedInTheOrderInWhichTheyCount() throws Exception {
    guest().put("queues/%2F/orders", "{\"durable\":true}");
    control.run("set_policy", "low", "^ord", "{\"max-length\":5}", "--priority", "1");
    control.run("set_policy", "high", "^ord", "{\"max-length\":6}", "--priority", "2");
    control.run("set_policy", "streams", "^ord", "{\"max-age\":\"1D\"}", "--apply-to", "streams");
    control.run("set_policy", "other", "^inv", "{\"max-length\":6}");
    assertThat(control.run("-q", "list_policies_that_match", "orders").out())
        .containsExactly(
            "vhost\tname\tpattern\tapply-to\tdefinition\tpriority",
            "/\thigh\t^ord\tall\t{\"max-length\":6}\t2",
            "/\tlow\t^ord\tall\t{\"max-length\":5}\t1");
    assertThat(control.run("list_policies_that_match", "none").exit()).isEqualTo(65);
    assertThat(control.run("list_policies_that_match", "orders", "--object-type", "user").exit())
        .isEqualTo(65);
    for (String name : List.of("low", "high", "streams", "other")) {
      control.run("clear_policy", name);
    }
  }

  @Test
  void checksOf4xPass() {
    assertHealthy(
        "Node " + control.run("-q", "discover_peers").out().get(0).replaceAll("[\\[\\]]", ""),
        "check_for_quorum_queues_without_an_elected_leader",
        ".*",
        "--across-all-vhosts");
    assertRefusedVhost();
    assertHealthy("Metadata store on node", "check_if_metadata_store_is_initialized");
    assertHealthy("Metadata store on node", "check_if_metadata_store_is_initialized_with_data");
  }

  private static void assertRefusedVhost() {
    Outcome outcome =
        control.run("check_for_quorum_queues_without_an_elected_leader", ".*", "-p", "none");
    assertThat(outcome.exit()).isEqualTo(65);
    assertThat(outcome.err()).contains("Virtual host 'none' does not exist");
  }

  @Test
  void whatANodeIsMadeOfIsTold() {
    assertThat(control.run("-q", "memory_breakdown", "--unit", "mb").out())
        .anySatisfy(line -> assertThat(line).matches("code: [0-9.]+ mb \\([0-9.]+%\\)"));
    assertThat(control.run("memory_breakdown", "--unit", "kg").exit()).isEqualTo(64);
    assertThat(control.run("-q", "tls_versions").out()).startsWith("tlsv1.3", "tlsv1.2");
    assertThat(control.run("command_line_arguments").exit()).isZero();
    assertThat(control.run("reset_stats_db", "--all").exit()).isZero();
    assertThat(control.run("reset_node_auth_attempt_metrics").exit()).isZero();
  }

  @Test
  void theClusterHasItsSize() {
    assertHealthy("Target cluster size has been reached", "has_reached_target_cluster_size");
  }

  @Test
  void sizesOfMessagesAreCounted() throws Exception {
    JsonNode before = json("message_size_stats");
    try (Connection connection = factory().newConnection()) {
      Channel channel = connection.createChannel();
      channel.confirmSelect();
      channel.basicPublish("", "none", null, new byte[99]);
      channel.waitForConfirms();
    }
    JsonNode after = json("message_size_stats");
    assertThat(after).hasSize(9);
    assertThat(after.get(0).path("Message Size").asText()).isEqualTo("below 100B");
    assertThat(after.get(0).path("Count").asInt())
        .isEqualTo(before.get(0).path("Count").asInt() + 1);
  }

  private static ConnectionFactory factory() {
    ConnectionFactory factory = broker.factory();
    factory.setPassword("s3cret-of-guest");
    return factory;
  }

  private static JsonNode json(String... command) throws IOException {
    List<String> words = new ArrayList<>(List.of(command));
    words.addAll(List.of("--formatter", "json"));
    Outcome outcome = control.run(words.toArray(new String[0]));
    assertThat(outcome.exit()).as("%s", outcome).isZero();
    return new ObjectMapper().readTree(String.join("\n", outcome.out()));
  }

  @Test
  void jsonIsWrappedAsInRabbitMq() throws Exception {
    assertThat(json("alarms").path("result").asText()).isEqualTo("ok");
    assertThat(json("alarms").path("alarms")).isEmpty();
    assertThat(json("listeners").path("listeners")).isNotEmpty();
    assertThat(json("server_version").path("result").asText()).isEqualTo("ok");
    assertThat(json("server_version").path("value").asText()).isNotEmpty();
    assertThat(json("is_running").path("result").asBoolean()).isTrue();
    assertThat(json("is_booting").path("result").asBoolean(true)).isFalse();
    assertThat(json("log_location").path("paths")).isNotEmpty();
    assertThat(json("list_vhost_limits")).isEmpty();
    assertThat(control.run("set_vhost_limits", "{\"max-queues\":500}").exit()).isZero();
    assertThat(json("list_vhost_limits").path("value").asText()).isEqualTo("{\"max-queues\":500}");
    assertThat(control.run("clear_vhost_limits").exit()).isZero();
    JsonNode status = json("status");
    assertThat(status.at("/memory/total/rss").asLong()).isPositive();
    assertThat(status.path("vm_memory_high_watermark_limit").asLong()).isPositive();
    assertThat(status.path("is_under_maintenance").asBoolean(true)).isFalse();
    assertThat(status.path("active_plugins")).isNotEmpty();
  }

  @Test
  void aProcessIsWaitedForUntilItsBrokerAnswers() throws Exception {
    long self = ProcessHandle.current().pid();
    assertHealthy("MayflyMQ is running on node", "wait", "--pid", String.valueOf(self));
    Path file = Files.writeString(directory.resolve("pid"), self + "\n");
    assertHealthy("MayflyMQ is running on node", "wait", file.toString());
    assertRefused(75, "timed out", "wait", directory.resolve("none").toString(), "-t", "0");
    assertRefused(64, "No pid or pidfile specified", "wait");
    assertRefused(64, "Cannot specify both pid and pidfile", "wait", "--pid", "1", "x");
  }

  @Test
  void commandsAreCompletedByTheirBeginning() {
    assertThat(control.run("autocomplete", "list_q").out()).containsExactly("list_queues");
    assertThat(control.run("autocomplete", "zzz").out()).allMatch(String::isEmpty);
    assertThat(control.run("autocomplete").exit()).isEqualTo(64);
  }

  @Test
  void whatOfTlsThereIsIsListed() {
    assertThat(control.run("-q", "cipher_suites").out())
        .contains("TLS_AES_256_GCM_SHA384", "ECDHE-RSA-AES256-GCM-SHA384");
    assertThat(control.run("-q", "cipher_suites", "--format", "iana", "--all").out())
        .contains("TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384");
    assertRefused(64, "format 'x' is not supported", "cipher_suites", "--format", "x");
    assertThat(control.run("-q", "certificates").out()).containsExactly("No listener has TLS");
    assertThat(control.run("-q", "list_channel_interceptors").exit()).isZero();
    assertThat(control.run("-q", "os_env").exit()).isZero();
    assertRefused(69, "streams have no coordinator", "coordinator_status");
  }

  @Test
  void valuesOfTheConfigurationAreEncryptedAsItHasThem() {
    String encrypted = control.run("-q", "encrypt_conf_value", "a b", "phrase").out().get(0);
    assertThat(encrypted).startsWith("encrypted:");
    assertThat(control.run("-q", "decrypt_conf_value", encrypted, "phrase").out())
        .containsExactly("a b");
    assertThat(control.run("decrypt_conf_value", encrypted, "other").exit()).isEqualTo(69);
  }
}
