package io.mayflymq.server.config;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name of a node that is a pod of a StatefulSet of Kubernetes, such as {@code
 * rabbit@mq-server-2.mq-nodes.shop}. The pods of a StatefulSet differ in their ordinals only, so
 * one that knows its own name knows all names.
 *
 * @param before what the ordinal follows, such as {@code rabbit@mq-server-}
 * @param ordinal 0 or more
 * @param after what follows the ordinal, such as {@code .mq-nodes.shop}; may be empty
 */
record PodName(String before, int ordinal, String after) {
  private static final Pattern NAME = Pattern.compile("([^@]+@[^.]*-)([0-9]{1,9})(\\..*)?");

  /** Returns the parts of a node's name; empty if its host does not end with an ordinal. */
  static Optional<PodName> of(String nodeName) {
    Matcher matcher = NAME.matcher(nodeName);
    return matcher.matches()
        ? Optional.of(
            new PodName(
                matcher.group(1),
                Integer.parseInt(matcher.group(2)),
                Optional.ofNullable(matcher.group(3)).orElse("")))
        : Optional.empty();
  }

  /** Returns the name of the node with another ordinal. */
  String withOrdinal(int other) {
    return before + other + after;
  }
}
