package io.mayflymq.core.policy;

import java.util.Set;

/**
 * How long a queue may stay unused, and what happens then.
 *
 * @param expiresMillis how long, 1 or more, or {@link QueueSettings#NONE}
 * @param uses what counts as use
 * @param onlyIfEmpty whether the lease of a queue that holds messages is renewed instead
 * @param deadLetters whether its messages are dead-lettered before it is deleted
 */
public record LeaseSettings(
    long expiresMillis, Set<LeaseUse> uses, boolean onlyIfEmpty, boolean deadLetters) {

  /** Whether there is a lease that is renewed by this use. */
  public boolean counts(LeaseUse use) {
    return expiresMillis != QueueSettings.NONE && uses.contains(use);
  }
}
