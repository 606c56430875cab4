package io.mayflymq.it.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.mayflymq.it.harness.Broker;
import io.mayflymq.it.harness.BrokerProcess;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.Debugger;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.RawHttp;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tests a shard that does not answer, and that the rest of the broker continues. */
@OwnBroker
class StuckShardIT {
  private static final int REQUESTS = 80;

  private static BrokerProcess broker;
  private static Debugger debugger;
  private static Http guest;

  @BeforeAll
  static void start() throws Exception {
    int port = Broker.freePort();
    broker = BrokerProcess.builder().jvm(Debugger.option(port)).set("shards", 2).start();
    debugger = Debugger.attach(port);
    guest = Http.as(broker.httpPort(), "guest", "guest");
    for (int i = 0; i < 4; i++) {
      assertThat(guest.put("queues/%2F/q" + i, "{}").status()).isEqualTo(201);
    }
  }

  @AfterAll
  static void stop() {
    debugger.close();
    assertThat(broker.stop()).isZero();
    assertThat(broker.complaints()).isEmpty();
  }

  @Test
  void requestsToAStuckShardLeaveWorkersForOthers() throws Exception {
    List<RawHttp> waiting = new ArrayList<>();
    debugger.suspend("shard-1");
    try {
      for (int i = 0; i < REQUESTS; i++) {
        String ask = RawHttp.request("GET", "/api/queues", RawHttp.guest(), "");
        waiting.add(new RawHttp(broker.httpPort()).send(ask));
      }
      for (String path : new String[] {"whoami", "vhosts", "policies", "exchanges", "nodes"}) {
        assertThat(guest.get(path).status()).as(path).isEqualTo(200);
      }
      Http.Reply overview = guest.get("overview");
      assertThat(overview.status()).isEqualTo(200);
      assertThat(overview.json().path("object_totals").path("queues").asInt()).isEqualTo(4);
      assertThat(overview.json().path("totals_without_shards_that_do_not_answer").asBoolean())
          .isTrue();
      ControlCommand control = ControlCommand.of(broker);
      assertThat(control.run("status").exit()).isZero();
      assertThat(control.run("list_users").exit()).isZero();

      broker.awaitLine("does not answer");
      Http.Reply alarms = guest.get("health/checks/alarms");
      assertThat(alarms.status()).isEqualTo(503);
      assertThat(guest.get("aliveness-test/%2F").status()).isEqualTo(503);
      assertThat(alarms.json().toString()).contains("does not answer");
    } finally {
      debugger.resume("shard-1");
      for (RawHttp client : waiting) {
        client.close();
      }
    }
    await().atMost(Patience.TIME).until(() -> guest.get("queues").status() == 200);
    await().atMost(Patience.TIME).until(() -> guest.get("aliveness-test/%2F").status() == 200);
    try (Connection connection = broker.factory().newConnection();
        Channel channel = connection.createChannel()) {
      for (int i = 0; i < 4; i++) {
        assertThat(channel.queueDeclarePassive("q" + i).getMessageCount()).isZero();
      }
    }
    assertThat(guest.get("overview").json().has("totals_without_shards_that_do_not_answer"))
        .isFalse();
  }
}
