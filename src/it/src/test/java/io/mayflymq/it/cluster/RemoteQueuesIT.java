package io.mayflymq.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder.request;

import io.mayflymq.it.harness.OwnBroker;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * Runs tests of one broker once more, with their queues on another node than their clients: a
 * client must not notice.
 */
@OwnBroker
class RemoteQueuesIT {
  private static final List<String> TESTS =
      List.of(
          "channel.TransactionIT",
          "consume.AcknowledgeIT",
          "consume.ConsumeIT",
          "consume.LockRenewalIT",
          "consume.QueueLimitsIT",
          "consume.QueuePauseIT",
          "consume.RetryIT",
          "deadletter.DeadLetterIT",
          "deadletter.DeathHistoryIT",
          "queue.LengthLimitIT",
          "queue.OverflowBlockIT",
          "queue.PriorityQueueIT",
          "queue.QuorumQueueIT");

  @Test
  @Timeout(900)
  void queuesOfAnotherNodeBehaveLikeThoseOfTheClientsNode() {
    LauncherDiscoveryRequest request =
        request()
            .selectors(TESTS.stream().map(name -> selectClass("io.mayflymq.it." + name)).toList())
            .configurationParameter("mayfly.it.remote", "true")
            .build();
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    LauncherFactory.create().execute(request, listener);
    TestExecutionSummary summary = listener.getSummary();
    StringWriter failures = new StringWriter();
    summary.printFailuresTo(new PrintWriter(failures), 30);
    assertThat(summary.getTotalFailureCount()).as("%s", failures).isZero();
    assertThat(summary.getTestsSucceededCount()).isGreaterThan(100);
  }
}
