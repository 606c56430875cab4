#!/usr/bin/env bash
# A Kafka share consumer that closes when its work is done gives all of it back; when that has happened five times it is gone.
#
# With:      Apache Kafka 4.4.0, broker and client (share groups, Kafka's queues, are for production since 4.2)
# Expected:  with defaults a share consumer acknowledges by itself. It is closed in order after its work, so that the work is
#            acknowledged, as close() of the plain consumer commits with its defaults.
# Happens:   only the next poll, or a commit, acknowledges what the last poll returned. close() sends nothing for it and releases it: the
#            next consumer gets all of it again, with a delivery count one higher. So each record is done five times, which is the limit of
#            deliveries, and then it is given up without a word. With commitSync() before close() it is done once.
# Who meets it: who has a job, a function or a test that polls until it has something, does it and closes; or who ends the loop of a
#            service between two polls. With the plain consumer the same program did each record once.
. "$(dirname "$0")/lib.bash"

java_packages org.apache.kafka:kafka_2.13:4.4.0 org.slf4j:slf4j-nop:1.7.36
kafka_port=$(free_port)
controller_port=$(free_port)
cat >"$work/server.properties" <<CONF
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:$controller_port
listeners=PLAINTEXT://127.0.0.1:$kafka_port,CONTROLLER://127.0.0.1:$controller_port
advertised.listeners=PLAINTEXT://127.0.0.1:$kafka_port
controller.listener.names=CONTROLLER
log.dirs=$work/kafka
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
share.coordinator.state.topic.num.partitions=1
CONF
cat >"$work/Jobs.java" <<'JAVA'
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

public class Jobs {
  static String servers;

  interface Poll {
    ConsumerRecords<String, String> next();
  }

  /** Polls until there is something, does it, and returns how many records that were; 0 if there is nothing for eight seconds. */
  static int work(Poll poll, Map<String, Integer> done) {
    long end = System.nanoTime() + 8_000_000_000L;
    while (System.nanoTime() < end) {
      var records = poll.next();
      records.forEach(record -> done.merge(record.value(), 1, Integer::sum));
      if (!records.isEmpty()) {
        return records.count();
      }
    }
    return 0;
  }

  static Map<String, Integer> shareJobs(boolean commit) {
    var done = new TreeMap<String, Integer>();
    String group = commit ? "committing" : "closing";
    for (int run = 1; run <= 20; run++) {
      try (var consumer = new KafkaShareConsumer<>(Map.of("bootstrap.servers", servers, "group.id", group),
          new StringDeserializer(), new StringDeserializer())) {
        consumer.subscribe(List.of("orders"));
        if (work(() -> consumer.poll(Duration.ofMillis(200)), done) == 0) {
          System.out.println("share group " + group + ": nothing is left for run " + run);
          break;
        }
        if (commit) {
          consumer.commitSync();
        }
      }
    }
    return done;
  }

  static Map<String, Integer> plainJobs() {
    var done = new TreeMap<String, Integer>();
    int records;
    do {
      try (var consumer = new KafkaConsumer<>(Map.of("bootstrap.servers", servers, "group.id", "plain", "auto.offset.reset", "earliest"),
          new StringDeserializer(), new StringDeserializer())) {
        consumer.subscribe(List.of("orders"));
        records = work(() -> consumer.poll(Duration.ofMillis(200)), done);
      }
    } while (records > 0);
    return done;
  }

  public static void main(String[] args) throws Exception {
    servers = "127.0.0.1:" + args[0];
    try (var admin = Admin.create(Map.of("bootstrap.servers", (Object) servers))) {
      admin.createTopics(List.of(new NewTopic("orders", 1, (short) 1))).all().get();
      for (String group : List.of("closing", "committing")) {
        var earliest = new AlterConfigOp(new ConfigEntry("share.auto.offset.reset", "earliest"), AlterConfigOp.OpType.SET);
        admin.incrementalAlterConfigs(Map.of(new ConfigResource(ConfigResource.Type.GROUP, group), List.of(earliest))).all().get();
      }
    }
    try (var producer = new KafkaProducer<>(Map.of("bootstrap.servers", servers, "linger.ms", 500),
        new StringSerializer(), new StringSerializer())) {
      for (String order : List.of("A", "B", "C")) {
        producer.send(new ProducerRecord<>("orders", order));
      }
    }
    var plain = plainJobs();
    var committing = shareJobs(true);
    var closing = shareJobs(false);
    System.out.println("how often each record was done: plain consumer, close " + plain + "; share consumer, commit and close " + committing
        + "; share consumer, close " + closing);
    var once = Map.of("A", 1, "B", 1, "C", 1);
    System.exit(plain.equals(once) && committing.equals(once) && closing.equals(Map.of("A", 5, "B", 5, "C", 5)) ? 0 : 1);
  }
}
JAVA
java -cp "$work/lib/*" kafka.tools.StorageTool format -t finding-finding-finding -c "$work/server.properties" >"$work/format.log" 2>&1 ||
  not_shown "Kafka's storage could not be made: $(tail -1 "$work/format.log")"
run_in_background "$work/kafka.log" java -Xmx400m -XX:TieredStopAtLevel=1 -cp "$work/lib/*" kafka.Kafka "$work/server.properties"
wait_for_port "$kafka_port" 60 || not_shown "Kafka did not start: $(tail -3 "$work/kafka.log")"

verdict java -cp "$work/lib/*" "$work/Jobs.java" "$kafka_port"
