package io.mayflymq.core.runtime;

import java.util.ArrayList;
import java.util.List;

/** Faults of a test: remembers them. What would end the process is thrown. */
public final class RecordedFaults implements Faults {
  private final List<String> contained = new ArrayList<>();
  private final List<Throwable> thrown = new ArrayList<>();

  @Override
  public synchronized void report(String what, Object of, Throwable fault) {
    if (Faults.isFatal(fault)) {
      fatal(what, fault);
    }
    contained.add((of == null ? what : what + " " + of) + ": " + fault);
    thrown.add(fault);
  }

  @Override
  public void fatal(String what, Throwable fault) {
    throw new AssertionError("the process would end: " + what, fault);
  }

  @Override
  public synchronized long containedCount() {
    return contained.size();
  }

  @Override
  public synchronized String lastContained() {
    return contained.isEmpty() ? "" : contained.get(contained.size() - 1);
  }

  /** What was contained since this was last called. */
  public synchronized List<String> take() {
    List<String> taken = List.copyOf(contained);
    contained.clear();
    thrown.clear();
    return taken;
  }

  /** Fails if anything was contained, by what that was. */
  public void assertNone() {
    assertNoneBut(null);
  }

  /** Fails if anything was contained but exceptions of this class. */
  public synchronized void assertNoneBut(Class<? extends Throwable> expected) {
    for (Throwable fault : thrown) {
      if (expected == null || !expected.isInstance(fault)) {
        throw new AssertionError("contained: " + contained, fault);
      }
    }
  }
}
