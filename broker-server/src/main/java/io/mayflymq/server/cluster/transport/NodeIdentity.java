package io.mayflymq.server.cluster.transport;

import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * Which node of which cluster a node is.
 *
 * @param name such as {@code a@host}
 * @param dataDirectory which data directory it has; a node that has lost its data has another one
 * @param clusterId of which cluster it is a member; empty if it is not a member of one yet. At most
 *     255 bytes
 */
public record NodeIdentity(String name, UUID dataDirectory, Optional<String> clusterId) {
  private static final Pattern NAME = Pattern.compile("[\\x21-\\x7e&&[^@]]+@[\\x21-\\x7e&&[^@]]+");
  private static final int LONGEST_NAME = 255;

  /** Returns whether a text can be the name of a node. */
  public static boolean isName(String text) {
    return text.length() <= LONGEST_NAME && NAME.matcher(text).matches();
  }
}
