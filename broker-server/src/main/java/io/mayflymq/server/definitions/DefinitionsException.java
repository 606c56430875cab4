package io.mayflymq.server.definitions;

import java.util.List;

/** A document of definitions is wrong, and nothing of it was imported. The message is a line. */
public final class DefinitionsException extends Exception {
  private static final long serialVersionUID = 1L;

  private final List<String> problems;

  DefinitionsException(String problem) {
    this(List.of(problem));
  }

  /** At least one problem. */
  DefinitionsException(List<String> problems) {
    super(
        problems.get(0)
            + (problems.size() == 1 ? "" : " (and %d more)".formatted(problems.size() - 1)),
        null);
    this.problems = List.copyOf(problems);
  }

  /** Returns all that is wrong, a line each. */
  public List<String> problems() {
    return problems;
  }
}
