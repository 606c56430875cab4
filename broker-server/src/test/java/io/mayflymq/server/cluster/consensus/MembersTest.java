package io.mayflymq.server.cluster.consensus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.mayflymq.server.cluster.consensus.ConsensusSettings.StartMode;
import io.mayflymq.server.cluster.consensus.TestCluster.Node;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
class MembersTest {
  @TempDir Path directory;

  private TestCluster cluster(int members) throws Exception {
    return new TestCluster(directory, new SimulatedNetwork(1)).start(members);
  }

  private static void done(CompletableFuture<Void> change) throws Exception {
    change.get(TestCluster.PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }

  private static List<String> names(Node node) {
    return node.log().status().members().stream().map(each -> each.member().name()).toList();
  }

  @Test
  void aFollowerForwardsTheAdditionOfAMember() throws Exception {
    try (TestCluster cluster = cluster(2)) {
      Node third = cluster.prepare("c@test");
      done(cluster.follower().log().addMember(third.member()));
      // Adding it again changes nothing.
      done(cluster.follower().log().addMember(third.member()));
      cluster.propose(third, "x");

      assertThat(cluster.agreed(1)).containsExactly("x");
      assertThat(names(third)).containsExactly("a@test", "b@test", "c@test");
    }
  }

  @Test
  void aNewMemberThatHasFetchedAllThereIsNeedsNoFurtherEntry() throws Exception {
    try (TestCluster cluster = cluster(1)) {
      cluster.propose(cluster.leader(), "x");
      Node joined = cluster.join("b@test");

      assertThat(cluster.agreed(1)).containsExactly("x");
      assertThat(joined.state().fetches()).isEqualTo(1);
    }
  }

  @Test
  void aNodeWhoseDataWasLostIsNotTheMemberThatItWas() throws Exception {
    try (TestCluster cluster = cluster(3)) {
      String name = cluster.follower().name();
      Member lost = cluster.stop(name);
      Node reborn = cluster.prepare(name);

      assertThatThrownBy(() -> done(cluster.leader().log().addMember(reborn.member())))
          .hasCauseInstanceOf(ConsensusException.class)
          .hasMessageContaining(
              "%s is a member with the data directory %s, not %s: remove it first"
                  .formatted(name, lost.id(), reborn.member().id()));
      done(cluster.leader().log().removeMember(name));
      done(cluster.leader().log().addMember(reborn.member()));
      cluster.propose(reborn, "x");
      assertThat(cluster.agreed(1)).containsExactly("x");
    }
  }

  @Test
  void aMemberThatWasRemovedKnowsAndDisturbsNobodyElse() throws Exception {
    try (TestCluster cluster = cluster(3)) {
      Node removed = cluster.follower();
      CompletableFuture<Void> knows = new CompletableFuture<>();
      removed
          .log()
          .listen(
              new ConsensusListener() {
                @Override
                public void membersChanged(List<Member> members) {
                  if (!members.contains(removed.member())) {
                    knows.complete(null);
                  }
                }
              });
      done(removed.log().removeMember(removed.name()));
      long term = cluster.leader().log().status().term();
      done(knows);
      cluster.propose(cluster.leader(), "x");

      assertThat(names(cluster.leader())).hasSize(2).doesNotContain(removed.name());
      assertThat(cluster.leader().log().status().term()).isEqualTo(term);
      cluster.stop(removed.name());
      assertThat(cluster.agreed(1)).containsExactly("x");
      assertThat(cluster.fatal()).isEmpty();
    }
  }

  @Test
  void aLeaderHandsOverBeforeItIsRemoved() throws Exception {
    try (TestCluster cluster = cluster(3)) {
      Node removed = cluster.leader();
      done(removed.log().removeMember(removed.name()));
      cluster.stop(removed.name());
      cluster.propose(cluster.leader(), "x");

      assertThat(names(cluster.leader())).hasSize(2).doesNotContain(removed.name());
      assertThat(cluster.agreed(1)).containsExactly("x");
    }
  }

  @Test
  void whatCannotBeChangedIsRefusedInWords() throws Exception {
    try (TestCluster cluster = cluster(1)) {
      ReplicatedLog log = cluster.leader().log();

      assertThatThrownBy(() -> done(log.removeMember("a@test")))
          .hasCauseInstanceOf(ConsensusException.class)
          .hasMessageContaining("a@test is the only member: it cannot be removed");
      assertThatThrownBy(() -> done(log.removeMember("z@test")))
          .hasMessageContaining("z@test is not a member of the cluster");
      assertThatThrownBy(() -> done(log.transferLeadership("z@test")))
          .hasMessageContaining("z@test is not a member of the cluster");
      assertThatThrownBy(() -> done(log.addMember(new Member(UUID.randomUUID(), "z@test"))))
          .hasMessageContaining("the new member cannot be reached from the leader");
      cluster.propose(cluster.leader(), "x");
    }
  }

  @Test
  void aNodeThatWasNotAddedYetNeitherLeadsNorVotes() throws Exception {
    try (TestCluster cluster = cluster(1)) {
      Node waiting = cluster.prepare("b@test");
      Member member = cluster.stop(waiting.name());
      Node again = cluster.start(member, StartMode.JOIN);
      cluster.propose(cluster.leader(), "x");

      assertThat(again.log().status().leader()).isNull();
      assertThat(again.state().entries()).isEmpty();
      done(cluster.leader().log().addMember(member));
      assertThat(cluster.agreed(1)).containsExactly("x");
      await().atMost(TestCluster.PATIENCE).until(() -> names(again).size() == 2);
    }
  }

  @Test
  void aMemberGoesOnWithoutThoseThatAreLostForEver() throws Exception {
    try (TestCluster cluster = cluster(3)) {
      cluster.propose(cluster.leader(), "x");
      cluster.agreed(1);
      Member survivor = cluster.stop(cluster.follower().name());
      long term = cluster.leader().log().status().term();
      for (Node node : List.copyOf(cluster.nodes())) {
        Member lost = cluster.stop(node.name());
        cluster.goOnWithout(survivor, lost);
        // Once more changes nothing.
        cluster.goOnWithout(survivor, lost);
      }
      Node alone = cluster.start(survivor, StartMode.RESTART);
      cluster.propose(alone, "y");

      assertThat(names(alone)).containsExactly(survivor.name());
      assertThat(alone.log().status().term()).isGreaterThan(term);
      cluster.join("d@test");
      cluster.propose(cluster.node("d@test"), "z");
      assertThat(cluster.agreed(3)).containsExactly("x", "y", "z");
      cluster.restart("d@test");
      cluster.propose(cluster.leader(), "last");
      assertThat(cluster.agreed(4)).containsExactly("x", "y", "z", "last");
      assertThat(cluster.fatal()).isEmpty();
    }
  }

  /** The one that lacks an entry follows, though its name is the higher one. */
  @Test
  void ofTwoThatAreLeftTheOneLeadsThatHasMoreInForce() throws Exception {
    try (TestCluster cluster = cluster(5)) {
      cluster.propose(cluster.leader(), "x");
      cluster.agreed(1);
      List<String> followers =
          cluster.nodes().stream()
              .map(Node::name)
              .filter(name -> !name.equals(cluster.leader().name()))
              .sorted()
              .toList();
      Member behind = cluster.stop(followers.get(3));
      cluster.propose(cluster.leader(), "y");
      cluster.agreed(2);
      Member ahead = cluster.stop(followers.get(0));
      for (Node node : List.copyOf(cluster.nodes())) {
        Member lost = cluster.stop(node.name());
        cluster.goOnWithout(ahead, lost);
        cluster.goOnWithout(behind, lost);
      }
      cluster.start(behind, StartMode.RESTART);
      Node leader = cluster.start(ahead, StartMode.RESTART);
      cluster.propose(leader, "z");

      assertThat(cluster.agreed(3)).containsExactly("x", "y", "z");
      assertThat(cluster.leader().name()).isEqualTo(ahead.name());
      assertThat(cluster.fatal()).isEmpty();
    }
  }

  @Test
  void aNodeWithoutVoteDoesNotGoOnAlone() throws Exception {
    try (TestCluster cluster = cluster(1)) {
      Member waiting = cluster.stop(cluster.prepare("b@test").name());

      assertThatThrownBy(() -> cluster.goOnWithout(waiting, cluster.leader().member()))
          .isInstanceOf(ConsensusException.class)
          .hasMessageContaining("this node has no vote");
    }
  }
}
