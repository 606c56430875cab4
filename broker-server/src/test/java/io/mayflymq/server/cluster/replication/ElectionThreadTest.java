package io.mayflymq.server.cluster.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.cluster.replication.LeaderElections;
import io.mayflymq.cluster.replication.Leaderless;
import io.mayflymq.core.metadata.Assignment;
import io.mayflymq.core.metadata.AssignmentChange;
import io.mayflymq.core.metadata.AssignmentChange.Elected;
import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.Faults;
import io.mayflymq.core.runtime.PeriodicWork;
import io.mayflymq.core.store.BurstId;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ElectionThreadTest {
  private static final Assignment FIRST = Assignment.first(java.util.List.of(0, 1, 2), 0);

  private final Map<Integer, Assignment> assignments = new ConcurrentHashMap<>();
  private final AtomicLong now = new AtomicLong();
  private final BlockingQueue<Map<Integer, Elected>> proposed = new LinkedBlockingQueue<>();
  private final PeriodicWork work = new BrokerThreads(Faults.logged()).periodic("elections");
  private volatile Set<Integer> reachable = Set.of(1, 2);
  private final ElectionThread elections =
      new ElectionThread(
          new ElectionThread.View(
              () -> assignments, () -> new LeaderElections.Nodes(reachable, Set.of()), now::get),
          due -> proposed.add(new TreeMap<>(due)),
          work);

  @AfterEach
  void close() {
    work.close();
  }

  private void report(int partition, int replica, long last) {
    elections.reported(new Leaderless(partition, replica, 1, new BurstId(1, last), true));
  }

  private Map<Integer, Elected> next() throws InterruptedException {
    Map<Integer, Elected> next = proposed.poll(60, TimeUnit.SECONDS);
    assertThat(next).as("still waiting").isNotNull();
    return next;
  }

  @Test
  void reportsThatFallTogetherLeadToElectionsThatFallTogether() throws Exception {
    CountDownLatch isBusy = new CountDownLatch(1);
    work.soon(
        "what takes long",
        () -> {
          try {
            isBusy.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    for (int partition = 3; partition < 8; partition++) {
      assignments.put(partition, FIRST);
      report(partition, 1, partition);
      report(partition, 2, 5);
    }
    isBusy.countDown();
    Map<Integer, Elected> due = next();
    assertThat(due).containsOnlyKeys(3, 4, 5, 6, 7);
    assertThat(due.get(3)).isEqualTo(new AssignmentChange.Elected(1, 2, Set.of(1, 2)));
    assertThat(due.get(7)).isEqualTo(new AssignmentChange.Elected(1, 1, Set.of(1, 2)));
  }

  @Test
  void electionThatIsDueLaterIsMadeWithoutAFurtherReport() throws Exception {
    assignments.put(3, FIRST);
    reachable = Set.of(0, 1, 2);
    report(3, 0, 7);
    report(4, 0, 7);
    CountDownLatch hasLooked = new CountDownLatch(1);
    work.soon("the end of a look", hasLooked::countDown);
    assertThat(hasLooked.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(proposed).isEmpty();
    now.addAndGet(ElectionThread.LOOK_MILLIS);
    assertThat(next()).containsOnlyKeys(3);
  }

  @Test
  void electionIsProposedAgainAsLongAsReplicasReport() throws Exception {
    assignments.put(3, FIRST);
    report(3, 1, 7);
    report(3, 2, 7);
    Map<Integer, Elected> due = next();
    assertThat(next()).isEqualTo(due);
    assignments.put(3, FIRST.after(due.get(3)));
    CountDownLatch hasLooked = new CountDownLatch(1);
    work.soon("the end of a look", hasLooked::countDown);
    assertThat(hasLooked.await(60, TimeUnit.SECONDS)).isTrue();
    proposed.clear();
    report(3, 1, 7);
    assignments.put(5, FIRST);
    report(5, 1, 7);
    report(5, 2, 7);
    assertThat(next()).containsOnlyKeys(5);
  }
}
