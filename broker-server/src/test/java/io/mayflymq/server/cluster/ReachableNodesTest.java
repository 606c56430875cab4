package io.mayflymq.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.server.cluster.transport.CallHandler;
import io.mayflymq.server.cluster.transport.CallService;
import io.mayflymq.server.cluster.transport.NodeCalls;
import io.mayflymq.server.cluster.transport.NodeUnreachableException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class ReachableNodesTest {
  private record Asked(String node, long index, CompletableFuture<byte[]> answer) {}

  private final List<Asked> asked = new ArrayList<>();
  private final NodeCalls calls =
      new NodeCalls() {
        @Override
        public CompletableFuture<byte[]> call(
            String node, CallService service, byte[] request, long timeoutMillis) {
          assertThat(service).isEqualTo(CallService.APPLIED);
          CompletableFuture<byte[]> answer = new CompletableFuture<>();
          asked.add(new Asked(node, ReachableNodes.index(request), answer));
          return answer;
        }

        @Override
        public void serve(CallService service, CallHandler handler) {
          throw new AssertionError("nothing is served here");
        }
      };
  private final ReachableNodes nodes = new ReachableNodes(calls, () -> List.of("b", "c"));

  @Test
  void waitsForTheAnswersOfAllNodes() {
    CompletableFuture<Void> seen = nodes.await(7);
    assertThat(asked).extracting(Asked::node).containsExactly("b", "c");
    assertThat(asked).extracting(Asked::index).containsOnly(7L);
    asked.get(0).answer.complete(new byte[0]);
    assertThat(seen).isNotDone();
    asked.get(1).answer.completeExceptionally(new NodeUnreachableException("c is gone", null));
    assertThat(seen).isDone();
  }

  @Test
  void slowNodeDelaysOneChangeUntilItHasAnswered() {
    CompletableFuture<Void> seen = nodes.await(1);
    asked.get(0).answer.complete(new byte[0]);
    seen.join(); // It has waited for c in vain.
    asked.clear();
    nodes.await(2);
    assertThat(asked).extracting(Asked::node).containsExactly("b");
  }

  @Test
  void slowNodeIsWaitedForAgainAfterItsAnswer() {
    CompletableFuture<Void> seen = nodes.await(1);
    Asked slow = asked.get(1);
    asked.get(0).answer.complete(new byte[0]);
    seen.join();
    slow.answer.complete(new byte[0]);
    asked.clear();
    nodes.await(2);
    assertThat(asked).extracting(Asked::node).containsExactly("b", "c");
  }

  @Test
  void requestOfAnotherLengthIsRefused() {
    assertThatThrownBy(() -> ReachableNodes.index(new byte[3]))
        .hasMessage("a request of 3 bytes: expected 8");
  }
}
