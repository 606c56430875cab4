package io.mayflymq.core.policy;

import java.util.List;
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

  static LeaseSettings of(QueueValues values) {
    long expires = values.number(PolicyKey.EXPIRES);
    return new LeaseSettings(
        expires == QueueSettings.NONE
            ? expires
            : Math.max(expires, values.defaults().leastExpiresMillis()),
        uses(values),
        values.is(PolicyKey.EXPIRES_CONDITION, "unused-and-empty"),
        values.is(PolicyKey.EXPIRES_ACTION, "dead-letter"));
  }

  private static Set<LeaseUse> uses(QueueValues values) {
    List<String> words = values.words(PolicyKey.EXPIRES_ACTIVITY);
    if (words == null) {
      return values.dialect().leaseUses(values.type());
    }
    Set<LeaseUse> chosen = EnumNames.constants(LeaseUse.class, words);
    if (words.contains("service-bus")) {
      chosen.addAll(LeaseUse.SERVICE_BUS);
    }
    if (chosen.contains(LeaseUse.DECLARE)) {
      chosen.add(LeaseUse.PASSIVE_DECLARE);
    }
    return Set.copyOf(chosen);
  }

  /** Whether there is a lease that is renewed by this use. */
  public boolean counts(LeaseUse use) {
    return expiresMillis != QueueSettings.NONE && uses.contains(use);
  }
}
