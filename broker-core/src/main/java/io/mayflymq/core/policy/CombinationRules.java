package io.mayflymq.core.policy;

import java.util.List;
import java.util.Map;

/** Rules about keys of a definition that depend on each other, with RabbitMQ's texts. */
final class CombinationRules {
  private CombinationRules() {}

  public static void check(Map<PolicyKey, Object> values) {
    checkDelayedRetry(values);
    checkMirroring(values);
  }

  private static void checkDelayedRetry(Map<PolicyKey, Object> values) {
    Object type = values.get(PolicyKey.DELAYED_RETRY_TYPE);
    Long min = (Long) values.get(PolicyKey.DELAYED_RETRY_MIN);
    Long max = (Long) values.get(PolicyKey.DELAYED_RETRY_MAX);
    boolean hasDelays = values.containsKey(PolicyKey.DELAYED_RETRY_DELAYS);
    if (type != null && !type.equals("disabled") && min == null && !hasDelays) {
      throw new PolicyException("delayed-retry-min is required when delayed-retry-type is " + type);
    }
    if (min != null && max != null && max < min) {
      throw new PolicyException(
          "delayed-retry-max (%d) must not be smaller than delayed-retry-min (%d)"
              .formatted(max, min));
    }
  }

  private static void checkMirroring(Map<PolicyKey, Object> values) {
    Object mode = values.get(PolicyKey.HA_MODE);
    Object params = values.get(PolicyKey.HA_PARAMS);
    if (mode == null) {
      boolean mirrors =
          values.containsKey(PolicyKey.HA_SYNC_MODE)
              || values.containsKey(PolicyKey.HA_PROMOTE_ON_SHUTDOWN);
      if (params != null || mirrors) {
        throw new PolicyException(
            "ha-mode must be specified to specify ha-params, ha-sync-mode or"
                + " ha-promote-on-shutdown");
      }
    } else if (mode.equals("all") && params != null) {
      throw new PolicyException("ha-mode=\"all\" does not take parameters");
    } else if (mode.equals("exactly") && !(params instanceof Long)) {
      throw new PolicyException(
          "ha-mode=\"exactly\" takes an integer, %s given".formatted(orNone(params)));
    } else if (mode.equals("nodes") && !(params instanceof List<?>)) {
      throw new PolicyException(
          "ha-mode=\"nodes\" takes a list of strings, %s given".formatted(orNone(params)));
    }
  }

  private static String orNone(Object value) {
    return value == null ? "none" : ErlangTerm.of(value);
  }
}
