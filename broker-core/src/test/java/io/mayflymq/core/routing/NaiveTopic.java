package io.mayflymq.core.routing;

import java.util.Arrays;
import java.util.List;

/** Topic matching straight from its definition, for comparison. */
public final class NaiveTopic {
  private NaiveTopic() {}

  public static boolean matches(String pattern, String key) {
    return matches(words(pattern), words(key));
  }

  private static List<String> words(String key) {
    return key.isEmpty() ? List.of() : Arrays.asList(key.split("\\.", -1));
  }

  private static boolean matches(List<String> pattern, List<String> key) {
    if (pattern.isEmpty()) {
      return key.isEmpty();
    }
    List<String> restOfPattern = pattern.subList(1, pattern.size());
    if (pattern.get(0).equals("#")) {
      return matches(restOfPattern, key)
          || (!key.isEmpty() && matches(pattern, key.subList(1, key.size())));
    }
    return !key.isEmpty()
        && (pattern.get(0).equals("*") || pattern.get(0).equals(key.get(0)))
        && matches(restOfPattern, key.subList(1, key.size()));
  }
}
