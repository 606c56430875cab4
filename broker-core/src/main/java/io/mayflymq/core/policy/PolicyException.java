package io.mayflymq.core.policy;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A policy is refused. The message is RabbitMQ's text, one line for each error; what that does not
 * tell is in the explanations.
 */
public final class PolicyException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** A message with it tells the words that were expected. */
  static final String ONE_OF = "is not one of: ";

  private final transient List<String> explanations;

  PolicyException(String reason) {
    this(reason, List.of());
  }

  /**
   * @param explanations which key it is, what was expected, which key was probably meant; each a
   *     sentence
   */
  PolicyException(String reason, List<String> explanations) {
    super(reason, null, false, false);
    this.explanations = List.copyOf(explanations);
  }

  /** Returns which key it is, what was expected, which key was probably meant. */
  List<String> explanations() {
    return explanations;
  }

  /** Returns the message with the explanations behind it, in one line; none that repeats it. */
  public String withExplanations() {
    return getMessage().contains(ONE_OF)
        ? getMessage()
        : Stream.concat(Stream.of(getMessage()), explanations.stream())
            .collect(Collectors.joining(": "));
  }

  /**
   * Returns the text as RabbitMQ's command line and HTTP API show it, with its heading, and behind
   * it the explanations.
   */
  public String report() {
    return Stream.concat(Stream.of("Validation failed\n\n" + getMessage()), explanations.stream())
        .collect(Collectors.joining("\n", "", "\n"));
  }
}
