package io.mayflymq.core.vhost.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class QueueGateTest {
  private final QueueGate<String> gate = new QueueGate<>();
  private final List<String> done = new ArrayList<>();

  private CompletableFuture<String> ask(String name) {
    return gate.serve(
        () -> {
          done.add(name);
          return CompletableFuture.completedFuture(name);
        });
  }

  private final class Commands implements QueueGate.Held<String> {
    @Override
    public void proceed() {
      done.add("commands");
    }

    @Override
    public void follow(String successor) {
      done.add("commands to " + successor);
    }
  }

  @Test
  void heldOnesAreLetInInTheirOrder() {
    gate.close();
    CompletableFuture<String> first = ask("first");
    gate.hold(new Commands());
    ask("last");
    assertThat(done).isEmpty();
    gate.open();
    assertThat(done).containsExactly("first", "commands", "last");
    assertThat(first).isCompletedWithValue("first");
  }

  @Test
  void requestThatFailsHoldsUpNothing() {
    gate.close();
    CompletableFuture<String> fails =
        gate.serve(
            () -> {
              throw new StackOverflowError("too deep");
            });
    gate.hold(new Commands());
    gate.open();
    assertThat(done).containsExactly("commands");
    assertThatThrownBy(fails::join).hasRootCauseInstanceOf(StackOverflowError.class);
  }

  @Test
  void whenTheQueueHasLeftCommandsFollowAndRequestsAreToldSo() {
    gate.close();
    CompletableFuture<String> held = ask("held");
    gate.hold(new Commands());
    gate.leave("b");
    gate.hold(new Commands());
    assertThat(done).containsExactly("commands to b", "commands to b");
    assertThatThrownBy(held::join).hasCauseInstanceOf(QueueGate.MovedException.class);
    assertThatThrownBy(ask("late")::join).hasCauseInstanceOf(QueueGate.MovedException.class);
    assertThat(gate.successor()).isCompletedWithValue("b");
  }

  @Test
  void commandsAreAppliedWhileTheQueueOnlyDrains() {
    gate.drain();
    ask("request");
    assertThat(gate.holdsCommands()).isFalse();
    assertThat(done).isEmpty();
    gate.open();
    assertThat(done).containsExactly("request");
  }
}
