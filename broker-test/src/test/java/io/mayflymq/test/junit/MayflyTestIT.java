package io.mayflymq.test.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.mayflymq.test.MayflyBroker;
import io.mayflymq.test.MayflyClock;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

@Timeout(300)
class MayflyTestIT {
  /** The brokers that the classes below have seen. */
  private static final List<MayflyBroker> SEEN = new ArrayList<>();

  @MayflyTest(
      definitions = "definitions.json",
      policies =
          @MayflyTest.Policy(
              name = "short",
              pattern = "^orders$",
              definition = "{\"message-ttl\": 60000}"),
      clockStart = "2026-01-01T00:00:00Z")
  static class Each {
    @Test
    void first(MayflyBroker broker, ConnectionFactory factory, MayflyClock clock, Clock java)
        throws Exception {
      SEEN.add(broker);
      try (Connection connection = factory.newConnection();
          Channel channel = connection.createChannel()) {
        channel.confirmSelect();
        channel.basicPublish("", "orders", null, new byte[1]);
        channel.waitForConfirmsOrDie(30_000);
      }
      assertThat(broker.queue("orders").ready()).isEqualTo(1);
      clock.advance(Duration.ofMinutes(1));
      assertThat(java.instant()).isEqualTo(Instant.parse("2026-01-01T00:01:00Z"));
      assertThat(broker.queue("orders").ready()).isZero();
    }

    @Test
    void second(MayflyBroker broker) {
      SEEN.add(broker);
      assertThat(broker.deaths()).isEmpty();
    }
  }

  @MayflyTest(scope = MayflyTest.Scope.CLASS)
  @TestMethodOrder(MethodOrderer.MethodName.class)
  static class OfClass {
    @BeforeAll
    static void before(MayflyBroker broker) {
      SEEN.add(broker);
    }

    @Test
    void first(MayflyBroker broker) {
      SEEN.add(broker);
    }

    @Nested
    class Inner {
      @Test
      void second(MayflyBroker broker) {
        SEEN.add(broker);
      }
    }
  }

  @MayflyTest(scope = MayflyTest.Scope.RUN)
  static class OfRun {
    @Test
    void first(MayflyBroker broker) {
      SEEN.add(broker);
    }
  }

  @MayflyTest(scope = MayflyTest.Scope.RUN)
  static class OfTheSameRun {
    @Test
    void second(MayflyBroker broker) {
      SEEN.add(broker);
    }
  }

  @MayflyTest
  static class Failing {
    @Test
    void fails(ConnectionFactory factory) throws Exception {
      try (Connection connection = factory.newConnection();
          Channel channel = connection.createChannel()) {
        channel.queueDeclare("seen", true, false, false, null);
      }
      fail("as it should");
    }
  }

  @MayflyTest
  static class AsksTooEarly {
    @BeforeAll
    static void before(MayflyBroker broker) {
      SEEN.add(broker);
    }

    @Test
    void isNotReached() {}
  }

  private static Map<String, TestExecutionResult> run(Class<?>... classes) {
    SEEN.clear();
    Map<String, TestExecutionResult> results = new LinkedHashMap<>();
    LauncherDiscoveryRequestBuilder request = LauncherDiscoveryRequestBuilder.request();
    for (Class<?> each : classes) {
      request.selectors(selectClass(each));
    }
    LauncherDiscoveryRequest built = request.build();
    LauncherFactory.create()
        .execute(
            built,
            new TestExecutionListener() {
              @Override
              public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                results.put(test.getDisplayName(), result);
              }
            });
    return results;
  }

  private static void passes(Class<?>... classes) {
    assertThat(run(classes).values())
        .allSatisfy(result -> assertThat(result.getThrowable()).isEmpty());
  }

  @Test
  void eachTestHasABroker() {
    passes(Each.class);
    assertThat(SEEN).hasSize(2).doesNotHaveDuplicates();
    assertThat(SEEN).allSatisfy(MayflyTestIT::isClosed);
  }

  @Test
  void aClassHasABroker() {
    passes(OfClass.class);
    assertThat(SEEN).hasSize(3);
    assertThat(SEEN.stream().distinct()).hasSize(1);
    assertThat(SEEN).allSatisfy(MayflyTestIT::isClosed);
  }

  @Test
  void aRunHasABroker() {
    passes(OfRun.class, OfTheSameRun.class);
    assertThat(SEEN).hasSize(2);
    assertThat(SEEN.stream().distinct()).hasSize(1);
    assertThat(SEEN).allSatisfy(MayflyTestIT::isClosed);
  }

  private static void isClosed(MayflyBroker broker) {
    org.assertj.core.api.Assertions.assertThatThrownBy(broker::queues)
        .hasMessage("the broker is closed");
  }

  @Test
  void aFailureHasTheReport() {
    Throwable failure =
        run(Failing.class).values().stream()
            .flatMap(result -> result.getThrowable().stream())
            .findFirst()
            .orElseThrow();
    assertThat(failure).hasMessage("as it should");
    assertThat(failure.getSuppressed())
        .anySatisfy(
            suppressed ->
                assertThat(suppressed)
                    .isInstanceOf(BrokerReport.class)
                    .hasMessageContaining("queue 'seen': 0 ready"));
  }

  @Test
  void aBrokerOfATestIsNotThereBeforeIt() {
    assertThat(run(AsksTooEarly.class).values())
        .anySatisfy(
            result ->
                assertThat(result.getThrowable().orElseThrow())
                    .hasMessageContaining("scope = CLASS or RUN"));
  }
}
