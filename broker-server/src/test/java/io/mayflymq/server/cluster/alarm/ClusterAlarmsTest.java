package io.mayflymq.server.cluster.alarm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.Faults;
import io.mayflymq.server.alarm.Alarm;
import io.mayflymq.server.alarm.Alarms;
import io.mayflymq.server.cluster.transport.CallHandler;
import io.mayflymq.server.cluster.transport.CallService;
import io.mayflymq.server.cluster.transport.NodeCalls;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests that resource alarms of a node are alarms of the others. */
class ClusterAlarmsTest {
  private static final Alarm MEMORY_OF_A = new Alarm.OfNode("a", Alarm.Resource.MEMORY);

  private final BrokerThreads threads = new BrokerThreads(Faults.logged());
  private final Map<String, CallHandler> handlers = new ConcurrentHashMap<>();
  private final Set<String> cutOff = ConcurrentHashMap.newKeySet();
  private final Alarms first = new Alarms();
  private final Alarms second = new Alarms();
  private final ClusterAlarms ofFirst = start("a", "b", first);
  private final ClusterAlarms ofSecond = start("b", "a", second);

  private ClusterAlarms start(String self, String other, Alarms alarms) {
    return ClusterAlarms.start(
        new Calls(self), () -> cutOff.isEmpty() ? Set.of(other) : Set.of(), alarms, threads);
  }

  /** Calls that arrive at once, unless the nodes are cut off from one another. */
  private final class Calls implements NodeCalls {
    private final String self;

    Calls(String self) {
      this.self = self;
    }

    @Override
    public CompletableFuture<byte[]> call(
        String node, CallService service, byte[] request, long timeoutMillis) {
      CallHandler handler = handlers.get(node);
      return handler == null || !cutOff.isEmpty()
          ? CompletableFuture.failedFuture(new IllegalStateException("unreachable"))
          : handler.answer(self, request);
    }

    @Override
    public void serve(CallService service, CallHandler handler) {
      handlers.put(self, handler);
    }
  }

  @AfterEach
  void close() {
    ofFirst.close();
    ofSecond.close();
  }

  @Test
  void alarmIsRaisedOnOthersUntilItEnds() {
    first.raise(Alarm.Resource.MEMORY, "test");
    await().until(() -> second.raised().contains(MEMORY_OF_A));
    assertThat(second.reason()).isEqualTo("low on memory");
    assertThat(second.scarceHere()).isEmpty();

    first.raise(new Alarm.ByHand(Alarm.Resource.DISK), "test");
    await().until(() -> "low on disk & memory".equals(second.reason()));
    first.clear(Alarm.Resource.MEMORY, "test");
    await().until(() -> "low on disk".equals(second.reason()));
    first.clear(new Alarm.ByHand(Alarm.Resource.DISK), "test");
    await().until(() -> second.raised().isEmpty());
    assertThat(first.raised()).isEmpty();
  }

  @Test
  void faultsAndFailuresAreOfTheirNodeOnly() {
    first.raise(new Alarm.Failure("message log 0 has failed"), "test");
    first.raise(Alarm.Resource.MEMORY, "test");
    await().until(() -> !second.raised().isEmpty());
    assertThat(second.raised()).containsExactly(MEMORY_OF_A);
  }

  @Test
  void alarmEndsWithItsNodeAndIsToldAgainWhenTheNodeIsBack() {
    first.raise(Alarm.Resource.MEMORY, "test");
    await().until(() -> second.raised().contains(MEMORY_OF_A));
    cutOff.add("a");
    await().until(() -> second.raised().isEmpty());
    cutOff.clear();
    await().until(() -> second.raised().contains(MEMORY_OF_A));
  }

  @Test
  void endOfAnAlarmIsToldWhenTheNodesMeetAgain() {
    first.raise(Alarm.Resource.MEMORY, "test");
    await().until(() -> second.raised().contains(MEMORY_OF_A));
    cutOff.add("a");
    first.clear(Alarm.Resource.MEMORY, "test");
    cutOff.clear();
    await().until(() -> second.raised().isEmpty());
  }

  @Test
  void alarmOfANodeEndsWhenThatNodeHasStartedAgainWithoutIt() {
    first.raise(Alarm.Resource.MEMORY, "test");
    await().until(() -> second.raised().contains(MEMORY_OF_A));
    ofFirst.close();
    ClusterAlarms again = start("a", "b", new Alarms());
    await().until(() -> second.raised().isEmpty());
    again.close();
  }
}
