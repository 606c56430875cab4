package io.mayflymq.it.rights;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** What a user may do in the virtual host of the test. */
enum Access {
  /** The user has no permissions there at all. */
  FOREIGN(0),
  /** The user has permissions there, which match no name. */
  NOTHING(0),
  CONFIGURE(1),
  WRITE(2),
  READ(4),
  CONFIGURE_WRITE(3),
  CONFIGURE_READ(5),
  WRITE_READ(6),
  EVERYTHING(7);

  private final int bits;

  Access(int bits) {
    this.bits = bits;
  }

  /** Returns the name, as part of that of a user. */
  String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns the body of a request that permits it. */
  String permissions() {
    return "{\"configure\":\"%s\",\"write\":\"%s\",\"read\":\"%s\"}"
        .formatted(pattern(CONFIGURE), pattern(WRITE), pattern(READ));
  }

  private String pattern(Access one) {
    return (bits & one.bits) == 0 ? "" : ".*";
  }

  /**
   * Returns what is needed, in the words of the table, if exactly these are let in, of those who
   * have permissions.
   *
   * @throws AssertionError if more permissions would let less in
   */
  static String needed(List<Access> letIn) {
    List<String> least = new ArrayList<>();
    for (Access access : letIn) {
      if (letIn.stream().noneMatch(other -> other != access && access.includes(other))) {
        least.add(access == NOTHING ? "vhost" : access.label().replace("-", " + "));
      }
    }
    for (Access access : values()) {
      if (access != FOREIGN
          && !letIn.contains(access)
          && letIn.stream().anyMatch(access::includes)) {
        throw new AssertionError(letIn + " are let in, and " + access + " is not");
      }
    }
    return String.join(" or ", least);
  }

  private boolean includes(Access other) {
    return (bits & other.bits) == other.bits;
  }

  /** Returns all but the first and the last. */
  static List<Access> partial() {
    return Arrays.asList(values()).subList(1, values().length - 1);
  }
}
