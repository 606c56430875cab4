package io.mayflymq.server.cluster.consensus;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.server.cluster.transport.CallService;
import io.mayflymq.server.cluster.transport.NodeCalls;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A proposer has no answer and repeats its proposal; the leader was restarted meanwhile. */
class RepeatedProposalTest {
  private static final int TIMEOUT_MILLIS = 60_000;

  @TempDir Path directory;

  private final SimulatedNetwork network = new SimulatedNetwork(1);
  private final NodeCalls proposer = network.attach("proposer@test");
  private final LogRequest request =
      new LogRequest(
          LogRequest.Kind.ENTRY, new ProposalId(UUID.randomUUID(), 1), "once".getBytes(UTF_8));

  private Answer ask(LogRequest asked) throws Exception {
    return Answer.decode(
        proposer
            .call("a@test", CallService.PROPOSAL, asked.encode(), TIMEOUT_MILLIS)
            .get(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS));
  }

  @Test
  void theLeaderKnowsFromItsLogWhatWasCommittedBeforeItsRestart() throws Exception {
    try (TestCluster cluster = new TestCluster(directory, network).start(1)) {
      Answer first = ask(request);
      cluster.restart("a@test");
      cluster.leader();
      Answer second = ask(request.again(-1));

      assertThat(first.status()).isEqualTo(Answer.Status.DONE);
      assertThat(second).isEqualTo(first);
      cluster.propose(cluster.leader(), "last");
      assertThat(cluster.agreed(2)).containsExactly("once", "last");
    }
  }

  @Test
  void aLeaderWhoseLogDoesNotReachBackSoFarDoesNotCommitItAgain() throws Exception {
    ConsensusLimits small = new ConsensusLimits(1_000, 2_000, 10);
    ConsensusTimes times = new ConsensusTimes(500, 1_000, 10_000);
    try (TestCluster cluster = new TestCluster(directory, network, times, small).start(1)) {
      ask(request);
      TestCluster.Node node = cluster.leader();
      for (int i = 0; i < 100; i++) {
        cluster.propose(node, "entry " + i);
      }
      cluster.restart("a@test");
      cluster.leader();

      assertThat(ask(request.again(-1)).status()).isEqualTo(Answer.Status.UNKNOWN);
      cluster.propose(cluster.leader(), "last");
      assertThat(cluster.agreed(102)).hasSize(102).doesNotHaveDuplicates();
    }
  }
}
