package io.mayflymq.server.cluster.consensus;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.mayflymq.core.runtime.Causes;
import io.mayflymq.server.cluster.consensus.MemberStatus.Reachability;
import io.mayflymq.server.cluster.consensus.TestCluster.Node;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Execution(ExecutionMode.CONCURRENT)
class ReplicatedLogTest {
  @TempDir Path directory;

  private TestCluster cluster(int members) throws Exception {
    return new TestCluster(directory, new SimulatedNetwork(1)).start(members);
  }

  @Test
  void aSingleMemberAppliesWhatItProposes() throws Exception {
    try (TestCluster cluster = cluster(1)) {
      cluster.propose(cluster.leader(), "a", "b", "c");

      assertThat(cluster.agreed(3)).containsExactly("a", "b", "c");
      assertThat(cluster.fatal()).isEmpty();
    }
  }

  @Test
  void allMembersApplyTheProposalsOfAnyInTheSameOrder() throws Exception {
    try (TestCluster cluster = cluster(3)) {
      List<CompletableFuture<?>> all = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        for (Node node : cluster.nodes()) {
          all.add(TestCluster.proposed(node, node.name() + i));
        }
      }
      CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);

      List<String> applied = cluster.agreed(300);
      assertThat(applied).hasSize(300).doesNotHaveDuplicates();
    }
  }

  /**
   * When it goes on, it finds a request with entries, which the leader no longer waits for, and the
   * heartbeat after it. The answer to that brings the entries again, with more behind them.
   */
  @Test
  void aFollowerThatStoodStillHasAllThatItConfirms() throws Exception {
    ConsensusTimes times = new ConsensusTimes(300, 600, 10_000);
    try (TestCluster cluster =
        new TestCluster(directory, new SimulatedNetwork(1), times, ConsensusLimits.DEFAULT)
            .start(3)) {
      int entries = 0;
      for (int round = 0; round < 4; round++) {
        String follower = cluster.follower().name();
        cluster.network().hold(follower);
        cluster.propose(cluster.leader(), "entry " + entries++);
        await()
            .atMost(TestCluster.PATIENCE)
            .until(() -> cluster.network().held(cluster.leader().name(), follower) >= 3);
        for (int more = 0; more < 20; more++) {
          cluster.propose(cluster.leader(), "entry " + entries++);
        }
        cluster.network().release(follower);
        assertThat(cluster.agreed(entries)).hasSize(entries);
      }
      assertThat(cluster.fatal()).isEmpty();
    }
  }

  @Test
  void theAnswerIsThePositionWhereTheEntryIsApplied() throws Exception {
    try (TestCluster cluster = cluster(3)) {
      LogPosition position =
          TestCluster.proposed(cluster.follower(), "x").get(60, TimeUnit.SECONDS);

      cluster.agreed(1);
      assertThat(cluster.leader().state().entries())
          .containsExactly(new RecordingApplier.Applied(position, "x"));
    }
  }

  @Test
  void anotherMemberLeadsWhenTheLeaderIsLost() throws Exception {
    try (TestCluster cluster = cluster(3)) {
      String first = cluster.leader().name();
      cluster.propose(cluster.leader(), "before");
      cluster.stop(first);
      cluster.propose(cluster.nodes().iterator().next(), "after");

      assertThat(cluster.leader().name()).isNotEqualTo(first);
      assertThat(cluster.agreed(2)).containsExactly("before", "after");
    }
  }

  @Test
  void anotherMemberLeadsWhenTheProcessOfTheLeaderHasEnded() throws Exception {
    try (TestCluster cluster = cluster(3)) {
      String first = cluster.leader().name();
      String follower = cluster.follower().name();
      cluster.agreed(0);
      assertThat(cluster.leader().log().ended(follower)).isFalse();
      assertThat(cluster.follower().log().ended("unknown@test")).isFalse();
      assertThat(cluster.leader().name()).isEqualTo(first);

      cluster.stop(first);
      cluster.nodes().forEach(node -> node.log().ended(first));
      assertThat(cluster.leader().name()).isNotEqualTo(first);
      cluster.propose(cluster.leader(), "after");
      assertThat(cluster.agreed(1)).containsExactly("after");
    }
  }

  @Test
  void aMinorityRefusesInTimeAndSaysWhoIsMissing() throws Exception {
    ConsensusTimes times = new ConsensusTimes(500, 1_000, 3_000);
    try (TestCluster cluster =
        new TestCluster(directory, new SimulatedNetwork(1), times, ConsensusLimits.DEFAULT)
            .start(3)) {
      String last = cluster.leader().name();
      for (String name : List.of("a@test", "b@test", "c@test")) {
        if (!name.equals(last)) {
          cluster.stop(name);
        }
      }

      assertThatThrownBy(
              () -> TestCluster.proposed(cluster.node(last), "x").get(60, TimeUnit.SECONDS))
          .hasCauseInstanceOf(NoMajorityException.class)
          .hasMessageContaining(
              "no majority of the cluster's nodes has confirmed the change within 3000 ms: 1 of 3"
                  + " is reachable, not ");
      assertThat(cluster.node(last).log().leads()).isFalse();
    }
  }

  /** A node that leads has an entry in its log, which may be committed later. */
  @Test
  void whetherAnEntryMayBeCommittedLaterIsToldApart() throws Exception {
    ConsensusTimes times = new ConsensusTimes(500, 1_000, 3_000);
    try (TestCluster cluster =
        new TestCluster(directory, new SimulatedNetwork(1), times, ConsensusLimits.DEFAULT)
            .start(3)) {
      Node last = null;
      boolean mayHappen = false;
      // On a busy machine it may lead no more when it is asked: then once more.
      for (int attempt = 0; attempt < 10 && !mayHappen; attempt++) {
        cluster.network().heal();
        last = cluster.leader();
        cluster.network().isolate(last.name());
        mayHappen = mayHappen(TestCluster.proposed(last, "by a leader"));
      }
      assertThat(mayHappen).isTrue();
      ReplicatedLog minority = last.log();
      await().atMost(TestCluster.PATIENCE).until(() -> !minority.leads());
      assertThat(mayHappen(TestCluster.proposed(last, "without a leader"))).isFalse();
    }
  }

  private static boolean mayHappen(CompletableFuture<LogPosition> proposed) {
    return proposed
        .handle((added, failure) -> ((NoMajorityException) Causes.of(failure)).mayHappen())
        .join();
  }

  @Test
  void aLeaderThatIsCutOffStopsLeadingAndItsEntryIsCommittedOnceOrNever() throws Exception {
    try (TestCluster cluster = cluster(3)) {
      Node old = cluster.leader();
      cluster.network().isolate(old.name());
      CompletableFuture<LogPosition> lost = TestCluster.proposed(old, "from the old leader");
      await()
          .atMost(TestCluster.PATIENCE)
          .until(() -> !old.log().leads() && !cluster.leader().name().equals(old.name()));
      cluster.propose(cluster.leader(), "from the new leader");
      cluster.network().heal();
      lost.handle((position, failure) -> failure).get(60, TimeUnit.SECONDS);

      assertThat(cluster.agreed(1)).contains("from the new leader").doesNotHaveDuplicates();
    }
  }

  @Test
  void aFollowerThatHearsNothingDoesNotDisturbTheLeader() throws Exception {
    try (TestCluster cluster = cluster(3)) {
      Node leader = cluster.leader();
      long term = leader.log().status().term();
      Node deaf = cluster.follower();
      // It hears no heartbeat, so it asks for votes again and again; all others hear it.
      cluster.network().cut(leader.name(), deaf.name());
      await().atMost(TestCluster.PATIENCE).until(() -> deaf.log().status().leader() == null);
      for (int i = 0; i < 20; i++) {
        cluster.propose(leader, "entry " + i);
      }

      assertThat(leader.log().status().term()).isEqualTo(term);
      cluster.network().heal();
      assertThat(cluster.agreed(20)).hasSize(20);
    }
  }

  @Test
  void membersGoOnWithWhatTheyHaveAfterARestart() throws Exception {
    try (TestCluster cluster = cluster(3)) {
      cluster.propose(cluster.leader(), "a", "b");
      List<Member> members = new ArrayList<>();
      for (String name : List.of("a@test", "b@test", "c@test")) {
        members.add(cluster.stop(name));
      }
      for (Member member : members) {
        cluster.start(member, ConsensusSettings.StartMode.RESTART);
      }
      cluster.propose(cluster.leader(), "c");

      assertThat(cluster.agreed(3)).containsExactly("a", "b", "c");
      assertThat(cluster.fatal()).isEmpty();
    }
  }

  @Test
  void aMemberWhoseLogIsMissingDoesNotStart() throws Exception {
    try (TestCluster cluster = cluster(1)) {
      Member stranger = new Member(java.util.UUID.randomUUID(), "z@test");

      assertThatThrownBy(() -> cluster.start(stranger, ConsensusSettings.StartMode.RESTART))
          .isInstanceOf(ConsensusException.class)
          .hasMessageStartingWith("the log of the cluster is missing: ");
    }
  }

  @Test
  void aMemberThatWasAwayForLongFetchesTheState() throws Exception {
    ConsensusLimits small = new ConsensusLimits(1_000, 4_000, 20);
    try (TestCluster cluster =
        new TestCluster(
                directory, new SimulatedNetwork(1), new ConsensusTimes(500, 1_000, 10_000), small)
            .start(3)) {
      Member away = cluster.stop(cluster.follower().name());
      for (int i = 0; i < 300; i++) {
        cluster.propose(cluster.leader(), "entry " + i + " " + "x".repeat(100));
      }
      Node back = cluster.start(away, ConsensusSettings.StartMode.RESTART);
      cluster.propose(cluster.leader(), "last");

      assertThat(cluster.agreed(301)).hasSize(301).doesNotHaveDuplicates();
      assertThat(back.state().fetches()).isGreaterThanOrEqualTo(2);
      cluster.propose(back, "by the one that was away");
      assertThat(cluster.agreed(302)).hasSize(302);
      assertThat(cluster.fatal()).isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource({"0, a log that reaches back", "100, a log that begins earlier"})
  void aMemberGoesOnWhoseLeaderChangesWhileItFetchesTheState(int kept, String ofNextLeader)
      throws Exception {
    ConsensusLimits small = new ConsensusLimits(1_000, 2_000, 20);
    try (TestCluster cluster =
        new TestCluster(
                directory, new SimulatedNetwork(1), new ConsensusTimes(500, 1_000, 10_000), small)
            .start(3)) {
      Node first = cluster.leader();
      List<Node> others = new ArrayList<>(cluster.nodes());
      others.remove(first);
      Node next = others.get(0);
      Node behind = others.get(1);
      cluster.network().isolate(behind.name());
      CompletableFuture<Void> durable = new CompletableFuture<>();
      for (int i = 0; i < 300; i++) {
        if (i == kept) {
          next.state().delayDurability(durable);
        }
        cluster.propose(first, "entry " + i + " " + "x".repeat(100));
      }
      CompletableFuture<Void> fetched = new CompletableFuture<>();
      behind.state().delayEndOfFetch(fetched);
      int fetches = behind.state().fetches();
      cluster.network().heal();
      await().atMost(TestCluster.PATIENCE).until(() -> behind.state().fetches() > fetches);

      first.log().transferLeadership(next.name()).get();
      await().atMost(TestCluster.PATIENCE).until(() -> next.log().leads());
      fetched.complete(null);
      cluster.propose(next, "of the next leader");

      assertThat(cluster.agreed(301)).as(ofNextLeader).hasSize(301).doesNotHaveDuplicates();
      durable.complete(null);
      assertThat(cluster.fatal()).isEmpty();
    }
  }

  @Test
  void aNewMemberStartsFromTheStateThatItFetched() throws Exception {
    ConsensusLimits small = new ConsensusLimits(1_000, 4_000, 20);
    try (TestCluster cluster =
        new TestCluster(
                directory, new SimulatedNetwork(1), new ConsensusTimes(500, 1_000, 10_000), small)
            .start(1)) {
      for (int i = 0; i < 300; i++) {
        cluster.propose(cluster.leader(), "entry " + i + " " + "x".repeat(100));
      }
      Node joined = cluster.join("b@test");
      cluster.propose(joined, "last");

      assertThat(cluster.agreed(301)).hasSize(301).doesNotHaveDuplicates();
      assertThat(joined.state().fetches()).isEqualTo(1);
      assertThat(joined.log().status().members()).hasSize(2);
    }
  }

  @Test
  void anEntryMayBeAsLargeAsTheLimitButNotLarger() throws Exception {
    try (TestCluster cluster = cluster(3)) {
      int most = ConsensusLimits.DEFAULT.maxEntryBytes();
      byte[] large = "y".repeat(most).getBytes(UTF_8);
      cluster.follower().log().propose(large).get(60, TimeUnit.SECONDS);
      cluster.leader().log().propose(large).get(60, TimeUnit.SECONDS);

      assertThat(cluster.agreed(2)).allSatisfy(entry -> assertThat(entry).hasSize(most));
      assertThatThrownBy(() -> cluster.leader().log().propose(new byte[most + 1]).get())
          .hasCauseInstanceOf(ConsensusException.class)
          .hasMessageContaining(
              "a change of 4194305 bytes is too large for the cluster's log: at most 4194304"
                  + " bytes");
    }
  }

  @Test
  void theStatusTellsWhoIsReachable() throws Exception {
    try (TestCluster cluster = cluster(3)) {
      Node leader = cluster.leader();
      String gone = cluster.follower().name();
      cluster.stop(gone);
      await()
          .atMost(TestCluster.PATIENCE)
          .untilAsserted(
              () ->
                  assertThat(leader.log().status().members())
                      .filteredOn(member -> member.reachability() == Reachability.UNREACHABLE)
                      .extracting(member -> member.member().name())
                      .containsExactly(gone));
      cluster.propose(leader, "x");

      assertThat(leader.log().status().leader()).isEqualTo(leader.name());
      assertThat(leader.log().status().members())
          .filteredOn(member -> member.member().name().equals(gone))
          .allSatisfy(member -> assertThat(member.lag()).isPositive());
    }
  }

  @Test
  void listenersAreToldWhoLeads() throws Exception {
    try (TestCluster cluster = cluster(3)) {
      Node follower = cluster.follower();
      List<LeaderChange> changes = new CopyOnWriteArrayList<>();
      List<List<Member>> members = new CopyOnWriteArrayList<>();
      follower
          .log()
          .listen(
              new ConsensusListener() {
                @Override
                public void leaderChanged(LeaderChange change) {
                  changes.add(change);
                }

                @Override
                public void membersChanged(List<Member> present) {
                  members.add(present);
                }
              });
      String old = cluster.leader().name();
      follower.log().transferLeadership(follower.name()).get(60, TimeUnit.SECONDS);
      await()
          .atMost(TestCluster.PATIENCE)
          .untilAsserted(
              () ->
                  assertThat(changes)
                      .extracting(LeaderChange::leader, LeaderChange::here)
                      .containsSubsequence(
                          org.assertj.core.groups.Tuple.tuple(old, false),
                          org.assertj.core.groups.Tuple.tuple(follower.name(), true)));

      assertThat(members.get(0)).hasSize(3);
      assertThat(follower.log().leads()).isTrue();
    }
  }

  @Test
  void afterTheEndProposalsFail() throws Exception {
    try (TestCluster cluster = cluster(1)) {
      Node node = cluster.leader();
      cluster.stop(node.name());

      assertThatThrownBy(() -> TestCluster.proposed(node, "x").get(60, TimeUnit.SECONDS))
          .isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(ConsensusException.class)
          .hasMessageContaining("takes no part in the consensus");
      assertThat(cluster.fatal()).isEmpty();
    }
  }
}
