package io.mayflymq.it.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.rabbitmq.client.Connection;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.ControlCommand.Outcome;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.Target;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests the control command as scripts see it: arguments, output, errors and exit codes. The same
 * calls run against RabbitMQ's own command, which takes seconds for each. Both must have these
 * results.
 */
@BlackBox
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class ControlCommandIT {
  private static final String ONE_VALUE = "{\"max-length\":11}";

  /** RabbitMQ counts messages once in five seconds, and each look takes a few. */
  private final String name = "ctl-" + UUID.randomUUID();

  private ControlCommand control;

  @BeforeEach
  void find(Target target) {
    control = ControlCommand.of(target);
    assumeTrue(control != null, "-Dmayfly.it.rabbitmqctl tells where the other broker's is");
  }

  private List<String> done(String... arguments) {
    Outcome outcome = control.run(arguments);
    assertThat(outcome.exit()).as("%s", outcome).isZero();
    assertThat(outcome.err()).isEmpty();
    return outcome.out();
  }

  private void refused(int exit, List<String> error, String... arguments) {
    Outcome outcome = control.run(arguments);
    assertThat(outcome.exit()).as("%s", outcome).isEqualTo(exit);
    // MayflyMQ explains it behind RabbitMQ's text.
    assertThat(outcome.err()).startsWith(error.toArray(String[]::new));
  }

  private void refusedUsage(int exit, String problem, String... arguments) {
    Outcome outcome = control.run(arguments);
    assertThat(outcome.exit()).as("%s", outcome).isEqualTo(exit);
    assertThat(outcome.err())
        .startsWith(problem.lines().toArray(String[]::new))
        .containsSubsequence("Arguments given:", "\t" + String.join(" ", arguments), "Usage");
    assertThat(outcome.out()).isEmpty();
  }

  @Test
  void setsListsAndClearsPolicies() {
    assertThat(
            done("set_policy", "--priority", "3", name, "^" + name, ONE_VALUE, "--apply-to=queues"))
        .startsWith(
            "Setting policy \"%s\" for pattern \"^%s\" to \"%s\" with priority \"3\" for vhost \"/\" ..."
                .formatted(name, name, ONE_VALUE));
    assertThat(done("list_policies"))
        .startsWith(
            "Listing policies for vhost \"/\" ...",
            "vhost\tname\tpattern\tapply-to\tdefinition\tpriority")
        .contains("/\t%s\t^%s\tqueues\t%s\t3".formatted(name, name, ONE_VALUE));
    assertThat(done("list_policies", "--formatter", "json"))
        .anySatisfy(
            line ->
                assertThat(line)
                    .endsWith(
                        ("{\"vhost\":\"/\",\"name\":\"%s\",\"pattern\":\"^%s\",\"apply-to\":\"queues\","
                                + "\"definition\":\"{\\\"max-length\\\":11}\",\"priority\":3}")
                            .formatted(name, name)));
    assertThat(done("-q", "list_policies", "--no-table-headers", "-p", "/"))
        .contains("/\t%s\t^%s\tqueues\t%s\t3".formatted(name, name, ONE_VALUE))
        .noneMatch(line -> line.startsWith("vhost\t") || line.startsWith("Listing"));
    assertThat(done("clear_policy", name))
        .containsExactly("Clearing policy \"%s\" on vhost \"/\" ...".formatted(name));
    refused(69, List.of("Error:", "Parameter does not exist"), "clear_policy", name);
  }

  @Test
  void setsListsAndClearsOperatorPolicies() {
    assertThat(done("set_operator_policy", name, "^" + name, ONE_VALUE))
        .startsWith(
            ("Setting operator policy override \"%s\" for pattern \"^%s\" to \"%s\" with priority"
                    + " \"0\" for vhost \"/\" ...")
                .formatted(name, name, ONE_VALUE));
    assertThat(done("list_operator_policies"))
        .startsWith("Listing operator policy overrides for vhost \"/\" ...")
        .contains("/\t%s\t^%s\tall\t%s\t0".formatted(name, name, ONE_VALUE));
    assertThat(done("clear_operator_policy", name))
        .containsExactly("Clearing operator policy \"%s\" on vhost \"/\" ...".formatted(name));
    refused(69, List.of("Error:", "Parameter does not exist"), "clear_operator_policy", name);
  }

  @Test
  void refusesInvalidPolicies() {
    refused(
        69,
        List.of(
            "Error:", "Validation failed", "[{<<\"foo\">>,1}] are not recognised policy settings"),
        "set_policy",
        name,
        "^q",
        "{\"foo\":1}");
    refused(
        69,
        List.of("Error:", "Validation failed", "no policy provided"),
        "set_policy",
        name,
        "^q",
        "{}");
    refused(
        69,
        List.of("Error:", "Validation failed", "<<\"a\">> is not a valid maximum length"),
        "set_policy",
        name,
        "^q",
        "{\"max-length\":\"a\"}");
    refused(
        65,
        List.of("Virtual host '%s' does not exist".formatted(name)),
        "set_policy",
        "-p",
        name,
        name,
        "^q",
        ONE_VALUE);
    refused(
        65,
        List.of("Virtual host '%s' does not exist".formatted(name)),
        "list_policies",
        "-p",
        name);
    Outcome noJson = control.run("set_policy", name, "^q", "{");
    assertThat(noJson.exit()).isEqualTo(69);
    assertThat(noJson.err().get(1)).startsWith("JSON decoding error. Reason: ");
    assertThat(done("list_policies", "-q")).noneMatch(line -> line.contains(name));
  }

  @Test
  void refusesInvalidCommandLines() {
    refusedUsage(64, "Error (argument validation): not enough arguments.", "set_policy", "p", "q");
    refusedUsage(64, "Error (argument validation): too many arguments.", "clear_policy", "p", "q");
    refusedUsage(
        64,
        "Error (argument validation): Invalid options for this command:\n--bogus : ",
        "list_queues",
        "--bogus");
    refusedUsage(
        64,
        "Error (argument validation): Invalid options for this command:\n--priority : high",
        "set_policy",
        "p",
        "q",
        "{}",
        "--priority",
        "high");
    refusedUsage(
        64,
        "Error (argument validation): Info key(s) bar,foo are not supported",
        "list_queues",
        "foo",
        "name",
        "bar");
    refusedUsage(65, "Error (argument validation): Bad argument.", "set_disk_free_limit", "much");
    Outcome unknown = control.run("list_quues");
    assertThat(unknown.exit()).isEqualTo(64);
    assertThat(unknown.err())
        .containsExactly("Command 'list_quues' not found. ", "Did you mean 'list_queues'? ");
    assertThat(control.run().exit()).isEqualTo(64);
  }

  @Test
  void listsQueues(Amqp amqp) throws Exception {
    String queue = amqp.queue(Map.of("x-max-length", 7));
    amqp.publish(queue, "m");
    Awaitility.await("the message is counted")
        .atMost(Patience.TIME)
        .until(() -> done("list_queues", "-s"), list -> list.contains(queue + "\t1"));
    assertThat(done("list_queues"))
        .startsWith("Timeout: 60.0 seconds ...", "Listing queues for vhost / ...", "name\tmessages")
        .contains(queue + "\t1");
    assertThat(done("list_queues", "-s", "name", "messages_ready", "message_bytes_ready"))
        .contains(queue + "\t1\t1");
    assertThat(done("-t", "5", "list_queues", "name,messages", "arguments", "-q"))
        .startsWith("name\tmessages\targuments")
        .contains(queue + "\t1\t[{\"x-max-length\",7},{\"x-queue-type\",\"classic\"}]");
    assertThat(done("list_queues", "name", "messages", "durable", "--formatter=json"))
        .anySatisfy(
            line ->
                assertThat(line)
                    .endsWith(
                        "{\"name\":\"%s\",\"messages\":1,\"durable\":false}".formatted(queue)));
    assertThat(done("list_queues", "name", "messages", "--formatter", "csv"))
        .startsWith("\"name\",\"messages\"")
        .contains("\"%s\",\"1\"".formatted(queue));
    assertThat(done("list_queues", "-p", name))
        .containsExactly(
            "Timeout: 60.0 seconds ...", "Listing queues for vhost %s ...".formatted(name));
    assertThat(done("purge_queue", queue))
        .containsExactly("Purging queue '%s' in vhost '/' ...".formatted(queue));
    assertThat(done("list_queues", "-s")).contains(queue + "\t0");
  }

  @Test
  void deletesQueues(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    amqp.publish(queue, "m");
    Awaitility.await("the message is counted")
        .atMost(Patience.TIME)
        .until(() -> done("list_queues", "-s"), list -> list.contains(queue + "\t1"));
    refused(64, List.of("Error:", "Queue is not empty"), "delete_queue", queue, "-e");
    assertThat(done("delete_queue", queue))
        .containsExactly(
            "Deleting queue '%s' on vhost '/' ...".formatted(queue),
            "Queue was successfully deleted with 1 ready messages");
    refused(64, List.of("Error:", "No such queue was found"), "delete_queue", queue);
    refused(
        65, List.of("Object (queue, stream, exchange, etc) was not found"), "purge_queue", queue);
  }

  @Test
  void listsExchangesBindingsAndConsumers(Amqp amqp) throws Exception {
    String queue = amqp.queue();
    amqp.channel().queueBind(queue, "amq.topic", "a.*", Map.of("x", "y"));
    amqp.consume(queue);
    assertThat(done("list_exchanges"))
        .startsWith("Listing exchanges for vhost / ...", "name\ttype")
        .contains("\tdirect", "amq.topic\ttopic", "amq.headers\theaders");
    assertThat(done("list_bindings"))
        .startsWith(
            "Listing bindings for vhost /...",
            "source_name\tsource_kind\tdestination_name\tdestination_kind\trouting_key\targuments")
        .contains(
            "\texchange\t%s\tqueue\t%s\t[]".formatted(queue, queue),
            "amq.topic\texchange\t%s\tqueue\ta.*\t[{\"x\",\"y\"}]".formatted(queue));
    assertThat(done("list_consumers"))
        .startsWith(
            "Listing consumers in vhost / ...",
            "queue_name\tchannel_pid\tconsumer_tag\tack_required\tprefetch_count\tactive\targuments")
        .anySatisfy(line -> assertThat(line).matches(queue + "\t<.*>\t.*\tfalse\t0\ttrue\t\\[\\]"));
  }

  @Test
  void listsAndClosesConnections(Target target) throws Exception {
    Connection connection = target.factory().newConnection(name);
    try {
      connection.createChannel();
      String port =
          Integer.toString(((com.rabbitmq.client.impl.AMQConnection) connection).getLocalPort());
      assertThat(done("list_connections"))
          .startsWith("Listing connections ...", "user\tpeer_host\tpeer_port\tstate")
          .contains("guest\t127.0.0.1\t" + port + "\trunning");
      String pid =
          done("list_connections", "pid", "peer_port", "-s").stream()
              .filter(line -> line.endsWith("\t" + port))
              .map(line -> line.split("\t")[0])
              .findFirst()
              .orElseThrow();
      assertThat(done("list_channels", "connection", "number", "-s")).contains(pid + "\t1");
      assertThat(done("close_connection", pid, "go away"))
          .containsExactly("Closing connection %s, reason: go away...".formatted(pid));
      Awaitility.await("the connection is closed")
          .atMost(Patience.TIME)
          .until(() -> !connection.isOpen());
      assertThat(connection.getCloseReason().getMessage()).contains("go away");
    } finally {
      connection.abort();
    }
  }

  @Test
  void managesUsersAndPermissions() {
    assertThat(done("add_user", name, "secret"))
        .containsExactly(
            "Adding user \"%s\" ...".formatted(name),
            "Done. Don't forget to grant the user permissions to some virtual hosts! See"
                + " 'CTL help set_permissions' to learn more.".replace("CTL", script()));
    refused(
        70, List.of("Error:", "User \"%s\" already exists".formatted(name)), "add_user", name, "x");
    assertThat(done("authenticate_user", name, "secret"))
        .containsExactly("Authenticating user \"%s\" ...".formatted(name), "Success");
    refused(
        65,
        List.of(
            "Error:",
            "Error: failed to authenticate user \"%s\"".formatted(name),
            "user '%s' - invalid credentials".formatted(name)),
        "authenticate_user",
        name,
        "wrong");
    assertThat(done("set_user_tags", name, "monitoring", "policymaker"))
        .containsExactly(
            "Setting tags for user \"%s\" to [monitoring, policymaker] ...".formatted(name));
    assertThat(done("list_users"))
        .startsWith("Listing users ...", "user\ttags")
        .contains("guest\t[administrator]", name + "\t[monitoring, policymaker]");
    assertThat(done("change_password", name, "other"))
        .containsExactly("Changing password for user \"%s\" ...".formatted(name));
    assertThat(done("authenticate_user", name, "other")).endsWith("Success");
    assertThat(done("set_permissions", "-p", "/", name, "^a", ".*", ""))
        .containsExactly("Setting permissions for user \"%s\" in vhost \"/\" ...".formatted(name));
    assertThat(done("list_permissions"))
        .startsWith("Listing permissions for vhost \"/\" ...", "user\tconfigure\twrite\tread")
        .contains(name + "\t^a\t.*\t");
    assertThat(done("list_user_permissions", name)).endsWith("/\t^a\t.*\t");
    assertThat(done("set_topic_permissions", name, "amq.topic", "^a", "^b"))
        .containsExactly(
            "Setting topic permissions on \"amq.topic\" for user \"%s\" in vhost \"/\" ..."
                .formatted(name));
    assertThat(done("list_topic_permissions")).contains(name + "\tamq.topic\t^a\t^b");
    done("clear_topic_permissions", name);
    assertThat(done("list_topic_permissions", "-s")).noneMatch(line -> line.startsWith(name));
    assertThat(done("clear_permissions", name))
        .containsExactly("Clearing permissions for user \"%s\" in vhost \"/\" ...".formatted(name));
    assertThat(done("list_permissions", "-s")).noneMatch(line -> line.startsWith(name));
    done("set_user_limits", name, "{\"max-connections\":3}");
    assertThat(done("list_user_limits", "--user", name))
        .containsExactly(
            "Listing limits for user \"%s\" ...".formatted(name), "{\"max-connections\":3}");
    done("clear_user_limits", name, "all");
    assertThat(done("delete_user", name))
        .containsExactly("Deleting user \"%s\" ...".formatted(name));
    List<String> missing = List.of("Error:", "User \"%s\" does not exist".formatted(name));
    refused(67, missing, "delete_user", name);
    refused(67, missing, "change_password", name, "x");
    refused(67, missing, "set_user_tags", name, "x");
    refused(
        67,
        List.of("Error:", "User %s does not exist".formatted(name)),
        "set_permissions",
        name,
        "a",
        "b",
        "c");
  }

  private String script() {
    return control.run("help").text().contains("rabbitmqctl") ? "rabbitmqctl" : "mayflyctl";
  }

  @Test
  void managesVhostsAndTheirLimits() {
    assertThat(done("add_vhost", name, "--description", "for a test"))
        .containsExactly("Adding vhost \"%s\" ...".formatted(name));
    assertThat(done("list_vhosts")).startsWith("Listing vhosts ...", "name").contains("/", name);
    assertThat(done("add_vhost", name, "--description", "another"))
        .as("one that is there stays as it is")
        .containsExactly("Adding vhost \"%s\" ...".formatted(name));
    assertThat(done("list_vhosts", "name", "description", "-s")).contains(name + "\tfor a test");
    assertThat(done("set_vhost_limits", "-p", name, "{\"max-queues\":10}"))
        .containsExactly(
            "Setting vhost limits to \"{\"max-queues\":10}\" for vhost \"%s\" ...".formatted(name));
    assertThat(done("list_vhost_limits", "-p", name))
        .containsExactly(
            "Listing limits for vhost \"%s\" ...".formatted(name), "{\"max-queues\":10}");
    assertThat(done("list_vhost_limits", "--global")).contains(name + "\t{\"max-queues\":10}");
    refused(
        69,
        List.of("Error:", "Validation failed", "Unrecognised terms [{<<\"foo\">>,3}] in limits"),
        "set_vhost_limits",
        "-p",
        name,
        "{\"foo\":3}");
    assertThat(done("clear_vhost_limits", "-p", name))
        .containsExactly("Clearing vhost \"%s\" limits ...".formatted(name));
    assertThat(done("delete_vhost", name))
        .containsExactly("Deleting vhost \"%s\" ...".formatted(name));
    refused(65, List.of("Virtual host '%s' does not exist".formatted(name)), "delete_vhost", name);
    refused(
        65,
        List.of("Virtual host '%s' does not exist".formatted(name)),
        "list_permissions",
        "-p",
        name);
  }

  @Test
  void setsGlobalParameters() {
    assertThat(done("set_global_parameter", name, "{\"a\":1}"))
        .containsExactly(
            "Setting global runtime parameter \"%s\" to \"{\"a\":1}\" ...".formatted(name));
    assertThat(done("list_global_parameters"))
        .startsWith("Listing global runtime parameters ...", "name\tvalue")
        .contains(name + "\t{\"a\":1}");
    assertThat(done("clear_global_parameter", name))
        .containsExactly("Clearing global runtime parameter \"%s\" ...".formatted(name));
    refused(69, List.of("Error:", "Parameter does not exist"), "clear_global_parameter", name);
  }

  @Test
  @MayflyOnly("rabbitmqctl leaves it to the umask")
  void exportedDefinitionsCanBeReadByTheirOwnerOnly(@TempDir Path directory) throws Exception {
    Path file = Files.createFile(directory.resolve("definitions.json"));
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    done("export_definitions", file.toString());
    assertThat(Files.getPosixFilePermissions(file))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    assertThat(Files.readString(file)).startsWith("{");
  }

  @Test
  void exportsAndImportsDefinitions(@TempDir Path directory) throws Exception {
    done("set_policy", name, "^" + name, ONE_VALUE);
    String file = directory.resolve("definitions.json").toString();
    assertThat(done("export_definitions", file))
        .containsExactly("Exporting definitions in JSON to a file at \"%s\" ...".formatted(file));
    done("clear_policy", name);
    assertThat(done("import_definitions", file))
        .startsWith("Importing definitions in JSON from a file at \"%s\" ...".formatted(file));
    Awaitility.await("the policy is there again")
        .atMost(Patience.TIME)
        .until(() -> done("list_policies", "-s"), list -> list.toString().contains(name));
    assertThat(String.join("", done("export_definitions", "-"))).startsWith("{").contains(name);
    done("clear_policy", name);
    refusedUsage(
        65,
        "Error (argument validation): Bad argument: File %s does not exist".formatted(file + "x"),
        "import_definitions",
        file + "x");
    Files.writeString(directory.resolve("bad.json"), "a = b");
    Outcome bad = control.run("import_definitions", directory.resolve("bad.json").toString());
    assertThat(bad.exit()).isEqualTo(65);
    assertThat(bad.err().get(1)).startsWith("Failed to deserialise input (format: JSON)");
  }

  @Test
  void pingAndStatusReportARunningBroker() {
    assertThat(done("ping")).hasSize(2).endsWith("Ping succeeded");
    assertThat(done("ping", "-s")).containsExactly("Ping succeeded");
    assertThat(done("await_startup")).isEmpty();
    assertThat(done("status"))
        .contains("Runtime", "Data directory", "Alarms", "Memory", "Free Disk Space", "Totals");
    assertThat(done("cluster_status")).contains("Basics", "Running Nodes", "Network Partitions");
    assertThat(done("version")).hasSize(1);
  }

  @Test
  @MayflyOnly("RabbitMQ has neither a dry run nor an explanation")
  void dryRunsAndExplainsPolicies(Amqp amqp) throws Exception {
    String queue = amqp.queue(Map.of("x-max-length", 20));
    for (int i = 0; i < 15; i++) {
      amqp.publish(queue, "m");
    }
    Awaitility.await("the messages are counted")
        .atMost(Patience.TIME)
        .until(() -> done("list_queues", "-s"), list -> list.contains(queue + "\t15"));
    String pattern = "^" + java.util.regex.Pattern.quote(queue) + "$";
    assertThat(done("set_policy", name, pattern, ONE_VALUE, "--dry-run"))
        .startsWith("Dry run: nothing was changed")
        .contains("messages over the length limit: 4", "Queues that would change: 1");
    assertThat(done("list_policies", "-s")).noneMatch(line -> line.contains(name));
    assertThat(done("list_queues", "-s")).contains(queue + "\t15");
    done("set_policy", name, pattern, ONE_VALUE);
    assertThat(done("explain_policy", "queue", queue))
        .contains("policy: " + name, "  max-length = 11, from policy '%s'".formatted(name))
        .anySatisfy(line -> assertThat(line).contains("not 20, from the argument"));
    done("clear_policy", name);
    refused(
        65,
        List.of("Error:", "There is no queue '%s' in vhost '/'".formatted(name)),
        "explain_policy",
        "queue",
        name);
  }

  @Test
  @MayflyOnly("RabbitMQ's command does not speak HTTP")
  void worksOverTheHttpApiWithAPassword(Target target) {
    String url = "http://127.0.0.1:" + target.httpPort();
    ControlCommand remote =
        ControlCommand.ours("--url", url, "--user", "guest", "--password", "guest");
    assertThat(remote.run("list_vhosts", "-s").out()).contains("/");
    ControlCommand wrong =
        ControlCommand.ours("--url", url, "--user", "guest", "--password", "wrong");
    Outcome refused = wrong.run("list_vhosts");
    assertThat(refused.exit()).isEqualTo(69);
    assertThat(refused.err()).containsExactly("Error:", "Login failed");
    Outcome local = remote.run("rotate_logs");
    assertThat(local.exit()).isEqualTo(69);
    assertThat(local.err().get(1)).contains("control file");
  }

  @Test
  @MayflyOnly("RabbitMQ's command finds its node by name")
  void errorNamesTheDataDirectoryThatWasSearched(@TempDir Path directory) {
    Outcome outcome = ControlCommand.ours("--data-dir", directory.toString()).run("list_queues");
    assertThat(outcome.exit()).isEqualTo(69);
    assertThat(outcome.out()).endsWith("Listing queues for vhost / ...");
    assertThat(outcome.err().get(0)).startsWith("Error: unable to perform an operation on node");
    assertThat(outcome.err().toString()).contains(directory.resolve("mayfly.control").toString());
  }
}
