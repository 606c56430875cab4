package io.mayflymq.core.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

class FaultsTest {
  private final List<String> ended = new ArrayList<>();
  private final Faults faults = new LoggedFaults((what, cause) -> ended.add(what + ": " + cause));

  @Test
  void exceptionOfACommandIsCounted() {
    faults.report("a command of", "queue 'q'", new IllegalStateException("no"));
    faults.report("a command of", "queue 'q'", new AssertionError("never"));
    faults.report("a command of", "queue 'q'", new StackOverflowError());
    assertThat(faults.containedCount()).isEqualTo(3);
    assertThat(faults.lastContained())
        .isEqualTo("a command of queue 'q': java.lang.StackOverflowError");
    assertThat(ended).isEmpty();
  }

  @Test
  void outOfMemoryAnywhereInTheCausesEndsTheProcess() {
    OutOfMemoryError memory = new OutOfMemoryError("Java heap space");
    faults.report("a command of", "queue 'q'", memory);
    faults.report("a request", new CompletionException(new IllegalStateException(memory)));
    assertThat(ended).hasSize(2);
    assertThat(ended.get(0)).isEqualTo("a command of: " + memory);
    assertThat(faults.containedCount()).isZero();
  }

  @Test
  void onlyFatalErrorsOfTheVirtualMachineEndTheProcess() {
    assertThat(Faults.isFatal(new InternalError("a file was cut off under its map"))).isTrue();
    assertThat(Faults.isFatal(new StackOverflowError())).isFalse();
    assertThat(Faults.isFatal(new NoClassDefFoundError("X"))).isFalse();
    assertThat(Faults.isOutOfMemory(new InternalError())).isFalse();
  }

  @Test
  void cyclicCausesAreSearchedOnlyOnce() {
    Exception one = new Exception("one");
    Exception other = new Exception("other", one);
    one.initCause(other);
    assertThat(Faults.isFatal(one)).isFalse();
  }

  @Test
  void fatalFaultEndsTheProcess() {
    faults.fatal("thread shard-0", new IllegalStateException("no"));
    assertThat(ended).containsExactly("thread shard-0: java.lang.IllegalStateException: no");
  }
}
