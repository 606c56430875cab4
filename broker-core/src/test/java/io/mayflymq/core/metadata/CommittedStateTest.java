package io.mayflymq.core.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.metadata.CommittedState.UndoneException;
import io.mayflymq.protocol.types.ConnectionException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A state of dead letters, each of them added by a change. */
class CommittedStateTest {
  private static final List<MetadataCommand> WRITTEN =
      List.of(new MetadataCommand.GlobalParameterSet("p", "1"));
  private static final List<MetadataCommand> NOT_WRITTEN = List.of();

  private final MemoryMetadataLog log = new MemoryMetadataLog();
  private final Object lock = new Object();
  private final CommittedState<String> state = new CommittedState<>(lock, log, "");
  private final List<String> effects = new ArrayList<>();

  private CompletableFuture<Void> add(String deadLetter, List<MetadataCommand> commands) {
    synchronized (lock) {
      return state.propose(state.proposed() + deadLetter, commands, () -> effects.add(deadLetter));
    }
  }

  @Test
  void changeTakesEffectOnlyWhenItIsWritten() {
    CompletableFuture<Void> change = add("a", WRITTEN);
    assertThat(state.current()).isEmpty();
    assertThat(effects).isEmpty();
    assertThat(change).isNotDone();

    log.write();
    assertThat(state.current()).isEqualTo("a");
    assertThat(effects).containsExactly("a");
    assertThat(change).isCompleted();
  }

  @Test
  void changeWithoutAWriteTakesEffectAfterThePendingWrites() {
    assertThat(add("a", NOT_WRITTEN)).isCompleted();
    add("b", WRITTEN);
    CompletableFuture<Void> behind = add("c", NOT_WRITTEN);
    assertThat(behind).isNotDone();
    assertThat(state.current()).isEqualTo("a");

    log.write();
    assertThat(behind).isCompleted();
    assertThat(state.current()).isEqualTo("abc");
    assertThat(effects).containsExactly("a", "b", "c");
  }

  @Test
  void failedWriteUndoesTheChangesBasedOnIt() {
    add("a", WRITTEN);
    log.write();
    CompletableFuture<Void> failed = add("b", WRITTEN);
    CompletableFuture<Void> behind = add("c", NOT_WRITTEN);
    CompletableFuture<Void> settled = state.settled();
    log.fail("No space left on device");

    assertThat(failed.handle((done, failure) -> failure).join())
        .isInstanceOf(ConnectionException.class)
        .hasMessageContaining("could not be made durable: No space left on device");
    assertThat(behind.handle((done, failure) -> failure).join())
        .isInstanceOf(UndoneException.class);
    assertThat(settled).isCompleted();
    assertThat(state.current()).isEqualTo("a");

    CompletableFuture<Void> next = add("d", WRITTEN);
    log.write();
    assertThat(next).isCompleted();
    assertThat(state.current()).isEqualTo("ad");
    assertThat(effects).containsExactly("a", "d");
  }

  @Test
  void changeBasedOnAFailedWriteIsNotWritten() {
    CompletableFuture<Void> failed = add("a", WRITTEN);
    // It comes when the first one has failed already, and before that is reported.
    CompletableFuture<CompletableFuture<Void>> late = new CompletableFuture<>();
    log.beforeFailure(() -> late.complete(add("b", WRITTEN)));
    log.fail("No space left on device");
    log.write();

    assertThat(failed).isCompletedExceptionally();
    assertThat(late.join()).isCompletedExceptionally();
    assertThat(state.current()).isEmpty();
    assertThat(log.recover()).isEmpty();
  }

  @Test
  void refusedWriteDoesNotAffectPendingChanges() {
    CompletableFuture<Void> first = add("a", WRITTEN);
    log.refuse("the broker is stopping");
    CompletableFuture<Void> refused = add("b", WRITTEN);
    assertThat(refused).isCompletedExceptionally();
    assertThat(first).isNotDone();

    log.write();
    assertThat(first).isCompleted();
    assertThat(state.current()).isEqualTo("a");
  }

  @Test
  void changeUndoneByTheFailureOfAnotherIsRetried() {
    add("a", WRITTEN);
    CompletableFuture<Void> behind = CommittedState.retrying(() -> add("b", NOT_WRITTEN));
    log.fail("Input/output error");

    assertThat(behind).isCompleted();
    assertThat(state.current()).isEqualTo("b");
  }

  @Test
  void failingEffectDoesNotPreventTheOthers() {
    synchronized (lock) {
      state.propose(
          "a",
          WRITTEN,
          () -> {
            throw new IllegalStateException("a defect");
          });
    }
    CompletableFuture<Void> next = add("b", WRITTEN);
    log.write();

    assertThat(next).isCompleted();
    assertThat(state.current()).isEqualTo("ab");
  }
}
