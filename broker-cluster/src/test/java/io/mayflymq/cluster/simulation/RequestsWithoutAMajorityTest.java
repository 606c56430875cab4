package io.mayflymq.cluster.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.metadata.Actor;
import io.mayflymq.core.policy.LeaseUse;
import io.mayflymq.core.runtime.Causes;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.FieldTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two of three nodes are gone. Whatever the third one asks a quorum queue fails after half a minute
 * with one text, whichever node led the queue, as docs/clustering.md says.
 */
class RequestsWithoutAMajorityTest {
  private static final long ROOMY = 1L << 30;
  private static final int BOUND_MILLIS = 30_000;

  /** How long it takes until a leader knows that it reaches no majority, at most. */
  private static final int NOTICED_MILLIS = 3_000;

  private final Random random = new Random(19);
  private final SimulatedCluster cluster = new SimulatedCluster(List.of(1, 1, 1), ROOMY, random);

  private void declare(int leader) {
    Ledger ledger = new Ledger(cluster);
    ledger.trouble();
    cluster.settle(random);
    FieldTable arguments = FieldTable.builder().put("x-queue-type", "quorum").build();
    SimulatedClient client = new SimulatedClient(process(leader), 0, ledger);
    for (String name : List.of("q", "deleted")) {
      client.declare(name, true, arguments);
      cluster.settle(random);
    }
  }

  private NodeProcess process(int node) {
    return cluster.nodes().get(node).process();
  }

  private List<CompletableFuture<?>> ask(NodeProcess process) {
    Queue queue = process.queue("q");
    return new ArrayList<>(
        List.of(
            queue.requests().fetch(true, LeaseUse.GET),
            queue.requests().purge(),
            queue.lifecycle().status(true),
            process.queue("deleted").lifecycle().delete(false, false, Actor.BROKER)));
  }

  private static String failure(CompletableFuture<?> answer) {
    return answer.handle((result, failure) -> Causes.of(failure).getMessage()).join();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void requestsEndAfterHalfAMinuteWithOneText(int leader) {
    declare(leader);
    IntStream.of(1, 2).forEach(node -> cluster.nodes().get(node).kill(random));
    cluster.advance(NOTICED_MILLIS, random);
    List<CompletableFuture<?>> asked = ask(process(0));
    cluster.advance(BOUND_MILLIS - 100, random);
    assertThat(asked).noneMatch(CompletableFuture::isDone);
    cluster.advance(200, random);
    assertThat(asked)
        .allSatisfy(each -> assertThat(each).isDone())
        .extracting(RequestsWithoutAMajorityTest::failure)
        .allMatch(text -> text.endsWith(" in vhost '/' has no leader at present"), "leaderless");

    cluster.nodes().forEach(SimulatedNode::start);
    cluster.advance(15_000, random);
    CompletableFuture<Long> again = process(0).queue("q").requests().purge();
    cluster.settle(random);
    assertThat(again).isCompletedWithValue(0L);
  }
}
