package io.mayflymq.it.cluster.fault;

import java.util.function.Predicate;

/**
 * Something that goes wrong with a cluster.
 *
 * @param name what it does to which nodes, for reports
 * @param inject begins it
 * @param undo ends it, so that the cluster can recover by itself
 * @param expected which lines that nodes log as errors are a consequence of it
 */
record Fault(String name, Step inject, Step undo, Predicate<String> expected) {
  /** A step that may fail. */
  interface Step {
    void run() throws Exception;
  }

  /** A fault after which no node logs an error. */
  Fault(String name, Step inject, Step undo) {
    this(name, inject, undo, line -> false);
  }
}
