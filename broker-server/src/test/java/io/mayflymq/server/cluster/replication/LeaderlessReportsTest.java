package io.mayflymq.server.cluster.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.cluster.replication.Leaderless;
import io.mayflymq.core.codec.ByteFormatException;
import io.mayflymq.core.store.BurstId;
import io.mayflymq.server.cluster.consensus.LeaderChange;
import io.mayflymq.server.cluster.transport.CallHandler;
import io.mayflymq.server.cluster.transport.CallService;
import io.mayflymq.server.cluster.transport.NodeCalls;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Three nodes, a to c with the numbers 0 to 2, whose calls arrive at once. */
class LeaderlessReportsTest {
  private static final Leaderless OF_B = new Leaderless(300, 1, 4, new BurstId(3, 70_000), true);
  private static final Leaderless NEXT_OF_B = new Leaderless(301, 1, 2, BurstId.NONE, false);

  private final Map<String, CallHandler> handlers = new HashMap<>();
  private final Map<String, LeaderlessReports> reports = new HashMap<>();
  private final List<String> taken = new ArrayList<>();
  private long now;

  private final class Calls implements NodeCalls {
    private final String self;

    Calls(String self) {
      this.self = self;
    }

    @Override
    public CompletableFuture<byte[]> call(
        String node, CallService service, byte[] request, long timeoutMillis) {
      assertThat(service).isEqualTo(CallService.LEADERLESS);
      return handlers.get(node).answer(self, request);
    }

    @Override
    public void serve(CallService service, CallHandler handler) {
      handlers.put(self, handler);
    }
  }

  @BeforeEach
  void start() {
    for (String name : List.of("a", "b", "c")) {
      LeaderlessReports added =
          new LeaderlessReports(
              name, new Calls(name), report -> taken.add(name + " " + report), () -> now);
      added.serve(asking -> asking.charAt(0) - 'a');
      reports.put(name, added);
    }
  }

  private void leads(String node) {
    reports
        .values()
        .forEach(each -> each.leaderChanged(new LeaderChange(node, 1, "c".equals(node))));
  }

  @Test
  void reportComesToTheNodeThatLeads() {
    leads("a");
    reports.get("b").report(OF_B);
    assertThat(taken).containsExactly("a " + OF_B);
    leads("b");
    taken.clear();
    reports.get("b").report(NEXT_OF_B);
    assertThat(taken).containsExactly("b " + NEXT_OF_B);
  }

  @Test
  void reportOfTheLastMomentsComesToTheNextNodeThatLeads() {
    leads(null);
    reports.get("b").report(OF_B);
    now += 400;
    reports.get("b").report(NEXT_OF_B);
    assertThat(taken).isEmpty();
    now += 200;
    leads("c");
    assertThat(taken).containsExactly("c " + NEXT_OF_B);
    now += 400;
    leads("a");
    assertThat(taken).hasSize(1);
  }

  @Test
  void reportInTheNameOfAnotherNodeIsRefused() {
    assertThatThrownBy(() -> handlers.get("a").answer("c", LeaderlessCodec.encode(OF_B)))
        .hasMessage("node 'c' reports for node number 1");
    assertThat(taken).isEmpty();
  }

  @Test
  void whatIsNoReportIsRefused() {
    byte[] whole = LeaderlessCodec.encode(OF_B);
    for (int length = 0; length < whole.length; length++) {
      byte[] cut = Arrays.copyOf(whole, length);
      assertThatThrownBy(() -> LeaderlessCodec.decode(cut)).isInstanceOf(ByteFormatException.class);
    }
    byte[] number = {(byte) 0x80, (byte) 0x80, (byte) 0x80, (byte) 0x80, 8};
    assertThatThrownBy(() -> LeaderlessCodec.decode(number))
        .hasMessage("number 2147483648 of a partition: expected 0 to 2147483647");
    assertThat(LeaderlessCodec.decode(Arrays.copyOf(whole, whole.length + 3))).isEqualTo(OF_B);
  }
}
