// RabbitMQ's PerfTest: bounded runs of it, which declare queues of all types, and what is left behind by them.

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.LongString;
import com.rabbitmq.perf.PerfTest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

public final class PerfTestClient {
  private static final String URL =
      Optional.ofNullable(System.getenv("AMQP_URL"))
          .orElse("amqp://guest:guest@localhost:5672/%2f");
  private static final int PATIENCE_SECONDS = 60;

  private final ConnectionFactory factory = new ConnectionFactory();

  private PerfTestClient() throws Exception {
    factory.setUri(URL);
  }

  public static void main(String[] args) throws Exception {
    String jar = PerfTest.class.getProtectionDomain().getCodeSource().getLocation().getPath();
    System.out.println("version " + jar.replaceAll(".*perf-test-(.*)\\.jar", "$1"));
    PerfTestClient client = new PerfTestClient();
    client.declare();
    client.quorum();
    client.stream();
    client.otherWays();
    client.timeToLive();
    client.deadLetters();
    client.restart();
    System.exit(0);
  }

  /** One run, which ends by its counts. All queues stay, as they do not unless told so. */
  private static void run(String... options) {
    Run run = new Run(options);
    run.go();
    check(run.code.get() == 0, "exit code " + run.code + ": " + run.printed);
  }

  /** PerfTest in this process, which it shall not end. */
  private static final class Run {
    final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    final AtomicInteger code = new AtomicInteger();
    private final String[] words;

    Run(String... options) {
      List<String> all = new ArrayList<>(List.of("--uri", URL, "--auto-delete", "false"));
      all.addAll(List.of("--exchange", "perf", "--type", "topic"));
      all.addAll(List.of(options));
      words = all.toArray(String[]::new);
    }

    void go() {
      PrintStream console = new PrintStream(printed, true);
      PerfTest.main(
          words,
          new PerfTest.PerfTestOptions()
              .setSystemExiter(code::set)
              .setSkipSslContextConfiguration(true)
              .setArgumentLookup(option -> null)
              .setConsoleOut(console)
              .setConsoleErr(console));
    }
  }

  private void declare() throws Exception {
    run(
        "--queue", "classic", "--routing-key", "classic",
        "--queue-args", "x-max-length=100000,x-overflow=reject-publish,x-max-priority=5",
        "--message-properties", "priority=5,color=red,contentType=text/plain",
        "--flag", "persistent", "--flag", "mandatory", "--size", "100",
        "--producers", "2", "--pmessages", "500", "--confirm", "50",
        "--consumers", "1", "--cmessages", "1000", "--qos", "10", "--multi-ack-every", "5");
    ok("confirms", "2 x 500 persistent messages are confirmed, with at most 50 on their way");
    ok("prefetch", "1000 are consumed with a prefetch count of 10");
    Map<String, Object> arguments =
        Map.of("x-max-length", 100_000, "x-overflow", "reject-publish", "x-max-priority", 5);
    is("classic", arguments, 0);
    isRefused("classic", Map.of());
    ok("declare", "the queue has these arguments, and a redeclaration that differs is refused");
  }

  private void quorum() throws Exception {
    run(
        "--quorum-queue", "--queue", "quorum", "--routing-key", "quorum", "--leader-locator", "balanced",
        "--flag", "persistent", "--pmessages", "500", "--confirm", "20",
        "--cmessages", "500", "--qos", "20");
    Map<String, Object> arguments =
        Map.of("x-queue-type", "quorum", "x-queue-leader-locator", "balanced");
    is("quorum", arguments, 0);
    ok("quorum", "500 messages are confirmed and consumed");
  }

  private void stream() throws Exception {
    run(
        "--stream-queue", "--queue", "log", "--routing-key", "log", "--leader-locator", "client-local",
        "--max-age", "PT1H", "--max-length-bytes", "10000000",
        "--stream-max-segment-size-bytes", "1000000",
        "--pmessages", "500", "--confirm", "50", "--consumers", "0");
    String[] reading = {
      "--predeclared", "--queue", "log", "--producers", "0", "--qos", "50",
      "--stream-consumer-offset", "first", "--cmessages", "500"
    };
    run(reading);
    run(reading);
    Map<String, Object> arguments =
        Map.of(
            "x-queue-type", "stream",
            "x-queue-leader-locator", "client-local",
            "x-max-age", "3600s",
            "x-max-length-bytes", 10_000_000,
            "x-stream-max-segment-size-bytes", 1_000_000);
    isRefused("log", Map.of("x-queue-type", "stream"));
    try (Connection connection = factory.newConnection()) {
      connection.createChannel().queueDeclare("log", true, false, false, arguments);
    }
    ok("stream", "500 messages are read twice from the first on");
  }

  /** What other programs do less often: transactions, basic.get, exclusive queues and many of them. */
  private void otherWays() {
    run(
        "--queue", "transactions", "--routing-key", "transactions",
        "--pmessages", "100", "--ptxsize", "10", "--cmessages", "100", "--ctxsize", "10");
    ok("transaction", "100 messages are sent and acknowledged by tens");
    run(
        "--queue", "polled", "--routing-key", "polled",
        "--pmessages", "50", "--cmessages", "50", "--polling", "--polling-interval", "1");
    ok("get", "50 messages are got one by one");
    run(
        "--exclusive", "--routing-key", "mine",
        "--pmessages", "100", "--cmessages", "100", "--confirm", "10");
    ok("exclusive", "100 messages go through an exclusive queue that the broker has named");
    run(
        "--queue-pattern", "many-%d", "--queue-pattern-from", "1", "--queue-pattern-to", "3",
        "--producers", "3", "--consumers", "3", "--pmessages", "50", "--cmessages", "50");
    ok("pattern", "3 producers and consumers have 3 queues");
  }

  private void timeToLive() throws Exception {
    deadLetterQueue();
    long start = System.nanoTime();
    run(
        "--queue", "mortal", "--routing-key", "mortal",
        "--queue-args", "x-message-ttl=200,x-dead-letter-exchange=amq.fanout",
        "--flag", "persistent", "--pmessages", "10", "--consumers", "0");
    isFirstDeath(letters(10), "mortal", "expired");
    long lived = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    check(lived >= 199, "they lived for " + lived);
    ok("ttl", "10 messages died after their time");
  }

  private void deadLetters() throws Exception {
    run(
        "--queue", "refused", "--routing-key", "refused",
        "--queue-args", "x-dead-letter-exchange=amq.fanout",
        "--nack", "--requeue", "false", "--pmessages", "10", "--cmessages", "10");
    isFirstDeath(letters(10), "refused", "rejected");
    ok("dead-letter", "x-death tells where and why");
  }

  /** While it runs, the broker is restarted; what it sends afterwards goes to another queue, too. */
  private void restart() throws Exception {
    try (Connection connection = factory.newConnection()) {
      Channel channel = connection.createChannel();
      channel.queueDeclare("watch", true, false, false, null);
    }
    Run run =
        new Run(
            "--quorum-queue", "--queue", "steady", "--routing-key", "steady",
            "--flag", "persistent", "--confirm", "10", "--qos", "10", "--rate", "100",
            "--connection-recovery-interval", "1", "--time", "60");
    CompletableFuture<Void> running = CompletableFuture.runAsync(run::go);
    await("it consumes", () -> count("steady").getConsumerCount() == 1, running);
    System.out.println("restart");
    System.in.read();
    try (Connection connection = factory.newConnection()) {
      connection.createChannel().queueBind("watch", "perf", "steady");
    }
    await("it publishes again", () -> count("watch").getMessageCount() > 50, running);
    await("it consumes again", () -> count("steady").getConsumerCount() == 1, running);
    await("the queue is empty", () -> count("steady").getMessageCount() == 0, running);
    ok("restart", "a run goes on, with the same queue and consumer");
  }

  private void deadLetterQueue() throws Exception {
    try (Connection connection = factory.newConnection()) {
      Channel channel = connection.createChannel();
      channel.queueDeclare("dead", true, false, false, null);
      channel.queueBind("dead", "amq.fanout", "");
    }
  }

  private List<GetResponse> letters(int number) throws Exception {
    await("letters", () -> count("dead").getMessageCount() >= number, new CompletableFuture<>());
    try (Connection connection = factory.newConnection()) {
      Channel channel = connection.createChannel();
      List<GetResponse> letters = new ArrayList<>();
      for (int i = 0; i < number; i++) {
        letters.add(channel.basicGet("dead", true));
      }
      return letters;
    }
  }

  private static void isFirstDeath(List<GetResponse> letters, String queue, String reason) {
    for (GetResponse letter : letters) {
      List<?> deaths = (List<?>) letter.getProps().getHeaders().get("x-death");
      Map<?, ?> death = (Map<?, ?>) deaths.get(0);
      check(death.get("queue").toString().equals(queue), death);
      check(death.get("reason").toString().equals(reason), death);
      check(death.get("exchange").toString().equals("perf"), death);
      check(death.get("count").equals(1L), death);
      check(((List<?>) death.get("routing-keys")).get(0) instanceof LongString, death);
    }
  }

  private void is(String queue, Map<String, Object> arguments, int messages) throws Exception {
    try (Connection connection = factory.newConnection()) {
      AMQP.Queue.DeclareOk declared =
          connection.createChannel().queueDeclare(queue, true, false, false, arguments);
      check(declared.getMessageCount() == messages, declared);
    }
  }

  private void isRefused(String queue, Map<String, Object> arguments) throws Exception {
    try (Connection connection = factory.newConnection()) {
      connection.createChannel().queueDeclare(queue, true, false, false, arguments);
      throw new AssertionError("the redeclaration of " + queue + " was taken");
    } catch (IOException refused) {
      check(refused.getCause().getMessage().contains("reply-code=406"), refused.getCause());
    }
  }

  private AMQP.Queue.DeclareOk count(String queue) throws Exception {
    try (Connection connection = factory.newConnection()) {
      return connection.createChannel().queueDeclarePassive(queue);
    }
  }

  private interface Condition {
    boolean holds() throws Exception;
  }

  private static void await(String what, Condition condition, CompletableFuture<Void> running)
      throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (!holds(condition)) {
      check(!running.isDone(), "the run has ended before: " + what);
      check(System.nanoTime() < deadline, "not in time: " + what);
      Thread.sleep(50);
    }
  }

  private static boolean holds(Condition condition) throws Exception {
    try {
      return condition.holds();
    } catch (IOException e) {
      return false; // the queue is not there yet
    }
  }

  private static void ok(String area, String what) {
    System.out.println("ok " + area + " " + what);
  }

  private static void check(boolean condition, Object what) {
    if (!condition) {
      throw new AssertionError(what);
    }
  }
}
