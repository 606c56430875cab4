package io.mayflymq.core.runtime;

/**
 * Receives unexpected exceptions. Any thread may call any method.
 *
 * <p>Receives unexpected exceptions: those that result from a defect, from a disk error, or from a
 * machine without free memory.
 *
 * <p>Every command of a batch, message, timer, request and thread is a boundary. It catches
 * exceptions from within (Throwable: an assertion or a stack overflow is a defect of one command,
 * too), undoes what was half done, reports the exception here and continues with the next one. A
 * caller that waits for an answer gets an error. An exception in a part that the broker cannot work
 * without ends the process instead: a supervisor restarts it, and everything that was confirmed is
 * on the disk.
 *
 * <p>After an OutOfMemoryError the state of all threads is unknown, and it may have occurred in a
 * library's thread as well. So it ends the process wherever it is found, also as the cause of
 * another exception; and so do the other errors of the virtual machine.
 */
public interface Faults {
  /** How many causes are examined, since a chain of causes may be circular. */
  int MOST_CAUSES = 32;

  /**
   * Returns an implementation for a process that only reads and ends by itself, such as a command:
   * all faults are logged.
   */
  static Faults logged() {
    return new LoggedFaults(LoggedFaults::log);
  }

  /**
   * Reports a fault that affects nothing else. Does not return in the broker if the fault {@link
   * #isFatal}.
   *
   * @param what the operation that failed, in a few words that are always the same, such as "a
   *     command of"; faults with the same words are of the same kind
   * @param of the object of the operation; its text is computed only if it is needed; null for none
   * @param fault what was thrown
   */
  void report(String what, Object of, Throwable fault);

  /** Reports a fault without an object. */
  default void report(String what, Throwable fault) {
    report(what, null, fault);
  }

  /**
   * Ends the process, since the broker cannot work without the part that failed. Does not return in
   * the broker.
   *
   * @param fault the exception; null if there was none
   */
  void fatal(String what, Throwable fault);

  /** Returns how many faults have been contained so far. */
  long containedCount();

  /** Returns the last contained fault, in one line; empty if there was none. */
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

  /** Whether it is an OutOfMemoryError, or has one among its causes. */
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
