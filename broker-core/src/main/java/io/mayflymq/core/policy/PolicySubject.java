package io.mayflymq.core.policy;

/**
 * What a policy may apply to.
 *
 * @param type the type of a queue, or null for an exchange
 * @param name its name in the virtual host
 */
public record PolicySubject(QueueType type, String name) {
  /** A queue. */
  public static PolicySubject queue(QueueType type, String name) {
    return new PolicySubject(type, name);
  }

  /** An exchange. */
  public static PolicySubject exchange(String name) {
    return new PolicySubject(null, name);
  }

  /** Whether it is an exchange. */
  public boolean isExchange() {
    return type == null;
  }

  /** Whether it is a quorum queue. */
  public boolean isQuorumQueue() {
    return type == QueueType.QUORUM;
  }

  /** What it is, in words: {@code classic queue}. */
  public String kind() {
    return isExchange() ? "exchange" : type.wireName() + " queue";
  }
}
