package io.mayflymq.core.fault;

/*
 * Where an exception is reported that nothing is expected to throw: one that comes from a defect, from a disk that gives no answer, or from
 * a machine that has no memory left.
 *
 * Every command of a batch, message, timer, request and thread is a boundary. It catches what is thrown within (Throwable: an assertion or a
 * stack overflow is a defect of one command too), undoes what was half done, reports it here and goes on with the next one. Who waits for an answer
 * gets a refusal. What the broker cannot do without ends the process instead: a supervisor starts it again, and what was confirmed is on the disk.
 *
 * After an OutOfMemoryError nothing is known of any thread's state, and it may have struck a library's thread as well as ours. So it ends the
 * process wherever it is found, also as the cause of another exception; and so do the other errors of the virtual machine.
 */
/** Hears of faults. Any thread may call any method. */
public interface Faults {
  /** Causes that are looked at; a chain that is longer, or a circle, is no reason to hang. */
  int MOST_CAUSES = 32;

  /** Faults of a process that only reads and ends by itself, such as a command: all are logged. */
  static Faults logged() {
    return new LoggedFaults(LoggedFaults::log);
  }

  /**
   * Reports a fault that goes no further. Does not return in the broker if the fault {@link
   * #isFatal}.
   *
   * @param what what has failed, in a few words that are always the same, such as "a command of";
   *     faults with the same words are of the same kind
   * @param of of which object; its text is asked for only if it is needed; null if of none
   * @param fault what was thrown
   */
  void contained(String what, Object of, Throwable fault);

  /** The same, of no particular object. */
  default void contained(String what, Throwable fault) {
    contained(what, null, fault);
  }

  /**
   * Ends the process, since the broker cannot do without what has failed. Does not return in the
   * broker.
   *
   * @param fault what was thrown; null if nothing was
   */
  void fatal(String what, Throwable fault);

  /** How many faults have been contained so far. */
  long containedCount();

  /** The last fault that was contained, in one line; empty if there was none. */
  String lastContained();

  /**
   * Whether it must end the process: an error of the virtual machine other than a stack overflow,
   * or an exception that has one among its causes.
   */
  static boolean isFatal(Throwable fault) {
    Throwable cause = fault;
    for (int i = 0; cause != null && i < MOST_CAUSES; i++) {
      if (cause instanceof VirtualMachineError && !(cause instanceof StackOverflowError)) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }

  /** Whether there was no memory left, which may be a cause of the exception. */
  static boolean isOutOfMemory(Throwable fault) {
    Throwable cause = fault;
    for (int i = 0; cause != null && i < MOST_CAUSES; i++) {
      if (cause instanceof OutOfMemoryError) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }
}
