package io.mayflymq.it.cluster.fault;

import java.util.Set;
import java.util.function.Predicate;

/**
 * Something that goes wrong with a cluster.
 *
 * @param name what it does to which nodes, for reports
 * @param inject begins it
 * @param undo ends it, so that the cluster can recover by itself
 * @param expected which lines that nodes log as errors are a consequence of it
 * @param alone the nodes that do not run meanwhile, or do not reach a majority of the nodes
 * @param setsClock whether it changes what time it is to a node
 */
public record Fault(
    String name,
    Step inject,
    Step undo,
    Predicate<String> expected,
    Set<Integer> alone,
    boolean setsClock) {
  /** A step that may fail. */
  public interface Step {
    void run() throws Exception;
  }

  /** A fault after which no node logs an error, and in which each one reaches a majority. */
  Fault(String name, Step inject, Step undo) {
    this(name, inject, undo, line -> false, Set.of(), false);
  }

  /** The same fault, in which these nodes do not. */
  Fault leavesAlone(Set<Integer> nodes) {
    return new Fault(name, inject, undo, expected, nodes, setsClock);
  }
}
