package io.mayflymq.it.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.DefaultConsumer;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.ControlCommand.Outcome;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Lists that are sorted, cut and repeated; the columns that only MayflyMQ has; the journal. */
@OwnBroker
class ListCommandsIT {
  private static EmbeddedBroker broker;
  private static ControlCommand control;
  private static Connection connection;
  private static Channel channel;

  @BeforeAll
  static void start() throws Exception {
    broker = EmbeddedBroker.builder().set("death_journal.size", "2").start();
    control = ControlCommand.of(broker);
    connection = broker.factory().newConnection("invoices of the shop");
    channel = connection.createChannel();
    for (int messages = 1; messages <= 3; messages++) {
      channel.queueDeclare("q" + messages, false, false, false, Map.of());
      for (int i = 0; i < messages; i++) {
        channel.basicPublish("", "q" + messages, null, new byte[0]);
      }
    }
    Awaitility.await("all messages are counted")
        .atMost(Patience.TIME)
        .until(() -> list("list_queues", "name", "messages"), list -> list.contains("q3\t3"));
  }

  @AfterAll
  static void stop() throws Exception {
    connection.close();
    broker.close();
  }

  private static List<String> list(String... arguments) {
    String[] all = new String[arguments.length + 1];
    all[0] = "-s";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    Outcome outcome = control.run(all);
    assertThat(outcome.exit()).as("%s", outcome).isZero();
    return outcome.out();
  }

  @Test
  void consumersHaveRatesOfTheirOwn() throws Exception {
    channel.queueDeclare("rates", false, true, false, Map.of());
    for (int i = 0; i < 100; i++) {
      channel.basicPublish("", "rates", null, new byte[0]);
    }
    channel.basicConsume("rates", true, "gets", new DefaultConsumer(channel));
    Awaitility.await("the end of a window")
        .atMost(Patience.TIME)
        .until(
            () -> list("list_consumers", "consumer_tag", "deliver_rate", "ack_rate"),
            rows -> rows.stream().anyMatch(row -> row.matches("gets\t20(\\.0)?\t0(\\.0)?")));
    channel.queueDelete("rates");
  }

  @Test
  void queuesAreSortedAndCut() {
    assertThat(list("list_queues", "--sort", "messages", "--limit", "2", "name", "messages"))
        .containsExactly("q3\t3", "q2\t2");
    assertThat(list("list_queues", "--sort", "messages", "--reverse", "--limit", "1", "name"))
        .containsExactly("q1");
    assertThat(list("list_queues", "--sort", "name", "--limit", "1", "name")).containsExactly("q1");
    assertThat(list("list_queues", "--sort", "messages", "--local", "--limit", "1", "name"))
        .as("a choice of queues is made before the list is cut")
        .containsExactly("q3");
    assertThat(list("list_queues", "--sort", "publish_rate", "name", "publish_rate"))
        .hasSizeGreaterThan(2)
        .allMatch(row -> row.matches("\\S+\t[0-9.]+"));
    assertThat(control.run("list_queues", "--sort", "mesages").err().get(0))
        .endsWith("Info key(s) mesages are not supported; did you mean 'messages'?");
    assertThat(control.run("list_queues", "--limit", "-1").exit()).isEqualTo(64);
    assertThat(control.run("list_queues", "--watch", "-1").exit()).isEqualTo(64);
  }

  @Test
  void eachColumnThatTheHelpNamesIsShown() throws Exception {
    String tag = channel.basicConsume("q2", false, (t, m) -> {}, t -> {});
    try {
      for (String kind : List.of("queues", "connections", "channels", "consumers")) {
        List<String> columns = columns("list_" + kind);
        assertThat(columns).as(kind).hasSizeGreaterThan(10).doesNotHaveDuplicates();
        Outcome outcome =
            control.run("-q", "list_" + kind, "--sort", columns.get(0), String.join(",", columns));
        assertThat(outcome.exit()).as("%s", outcome).isZero();
        assertThat(outcome.out().get(0)).as(kind).isEqualTo(String.join("\t", columns));
        assertThat(outcome.out()).as(kind).hasSizeGreaterThan(1);
      }
    } finally {
      channel.basicCancel(tag);
      channel.basicRecover(true);
    }
    assertThat(list("list_queues", "--sort", "name", "name", "dropped_reason_excluded"))
        .as("each outcome of a death has a column")
        .contains("q1\t0");
  }

  private static List<String> columns(String command) {
    String help = String.join(" ", control.run("help", command).out());
    String columns = help.substring(help.indexOf("Columns: ") + "Columns: ".length());
    return List.of(columns.substring(0, columns.indexOf('.')).split(",\\s+"));
  }

  @Test
  void aListIsShownAgainAndAgain() {
    assertThat(
            list(
                "list_queues",
                "--watch",
                "1",
                "--times",
                "2",
                "--sort",
                "name",
                "--limit",
                "1",
                "name"))
        .containsExactly("q1", "q1");
  }

  @Test
  void clientsAreShownByTheNamesThatTheyGive() throws Exception {
    String tag = channel.basicConsume("q2", false, (t, m) -> {}, t -> {});
    try {
      assertThat(list("list_connections", "client_name", "recv_oct_rate"))
          .singleElement()
          .satisfies(row -> assertThat(row).matches("invoices of the shop\t[0-9.]+"));
      assertThat(list("list_channels", "client_name", "number", "deliver_get_rate"))
          .singleElement()
          .satisfies(row -> assertThat(row).startsWith("invoices of the shop\t1\t"));
      assertThat(
              list("list_consumers", "queue_name", "client_name", "user", "channel_deliver_rate"))
          .singleElement()
          .satisfies(row -> assertThat(row).startsWith("q2\tinvoices of the shop\tguest\t"));
    } finally {
      channel.basicCancel(tag);
      channel.basicRecover(true);
    }
  }

  @Test
  void deathsOfAQueueAreShownAndHowFarBackTheJournalReaches() throws Exception {
    channel.queueDeclare("z-full", false, false, false, Map.of("x-max-length", 1));
    channel.confirmSelect();
    for (int i = 0; i < 2; i++) {
      channel.basicPublish("", "z-full", null, new byte[0]);
    }
    channel.waitForConfirms();
    assertThat(control.run("list_deaths", "z-full", "queue", "reason").out())
        .containsExactly(
            "Listing deaths of messages in queue 'z-full' in vhost / ...",
            "The journal has all deaths of this queue",
            "queue\treason",
            "z-full\tmaxlen");
    for (int i = 0; i < 4; i++) {
      channel.basicPublish("", "z-full", null, new byte[0]);
    }
    channel.waitForConfirms();
    List<String> shown = control.run("list_deaths", "z-full", "reason").out();
    assertThat(shown.get(1))
        .matches(
            "The journal has all deaths of this queue since [-0-9T:.]+Z: it has the last 2 of"
                + " the broker, 3 earlier ones are gone");
    assertThat(shown).endsWith("maxlen", "maxlen");
    assertThat(control.run("list_deaths", "z-ful").err())
        .contains("Queue 'z-ful' in vhost '/' does not exist", "Did you mean 'z-full'?");
    assertThat(list("list_deaths", "reason")).containsExactly("maxlen", "maxlen");
  }

  @Test
  void drainTellsWhatBecomesOfClientsAndQueues() {
    assertThat(control.run("drain", "--dry-run").out())
        .startsWith("Dry run: nothing was changed")
        .contains("Would be closed: 1 client connections", "  'q1' in vhost '/'")
        .anyMatch(line -> line.startsWith("On this node only, and not to be used while it is"));
  }

  @Test
  void messagesHaveNoWordsOfErlang() {
    assertThat(control.run("ping").text()).doesNotContain("epmd").contains("Ping succeeded");
    assertThat(control.run("reset").err().get(0))
        .contains("requires the broker to be stopped in its process");
  }
}
