package io.mayflymq.server.definitions;

import java.util.List;

/**
 * A document of definitions, or one of them, is invalid, and nothing of it was imported. The
 * message is one line.
 */
public final class DefinitionsException extends Exception {
  private static final long serialVersionUID = 1L;

  private final List<String> problems;

  DefinitionsException(String problem) {
    this(List.of(problem));
  }

  /** Creates the exception for one or more problems. */
  DefinitionsException(List<String> problems) {
    super(
        problems.get(0)
            + (problems.size() == 1 ? "" : " (and %d more)".formatted(problems.size() - 1)),
        null);
    this.problems = List.copyOf(problems);
  }

  /** Returns all problems, one line each. */
  public List<String> problems() {
    return problems;
  }
}
