package io.mayflymq.core.policy;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Warns of names of earlier versions, once in the life of the process for each. Thread-safe. */
final class DeprecatedNames {
  private static final Logger LOGGER = LoggerFactory.getLogger(DeprecatedNames.class);
  private static final Set<String> REPORTED = ConcurrentHashMap.newKeySet();

  private DeprecatedNames() {}

  /**
   * Logs a warning if a name is one of an earlier version.
   *
   * @param what such as {@code policy key}
   */
  public static void warn(String what, String used, String current) {
    if (!used.equals(current) && REPORTED.add(what + used)) {
      LOGGER.warn(
          "{} '{}' is now called '{}'; the former name is still accepted", what, used, current);
    }
  }
}
