package io.mayflymq.core.policy;

import java.util.List;

/** A policy is refused. The message is RabbitMQ's text, one line for each error. */
public final class PolicyException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  PolicyException(String reason) {
    super(reason, null, false, false);
  }

  PolicyException(List<String> reasons) {
    this(String.join("\n", reasons));
  }

  /** Returns the text as RabbitMQ's command line and HTTP API show it, with its heading. */
  public String report() {
    return "Validation failed\n\n" + getMessage() + "\n";
  }
}
