package io.mayflymq.server.auth;

import java.util.List;

/**
 * The answer of a backend to a {@link Question}.
 *
 * @param kind whether it allows what was asked
 * @param tags those of the user, if a login is allowed
 * @param reason why not, for the log; empty if it is not known. Never has a password.
 * @param username the name that an allowed login has from here on; null for the one that it was
 *     asked with
 * @param state what the backend keeps of an allowed login; {@link LoginState#NONE} for nothing
 */
public record Answer(
    Kind kind, List<String> tags, String reason, String username, LoginState state) {
  /** What an answer says. */
  public enum Kind {
    /** Yes. */
    ALLOWED,
    /** No. */
    REFUSED,
    /** The backend could not be asked, or did not answer as it should: which counts as a no. */
    FAILED
  }

  /** A yes to something that has no tags. */
  public static final Answer ALLOWED = allowed(List.of());

  public Answer {
    tags = List.copyOf(tags);
  }

  /** A yes. */
  public static Answer allowed(List<String> tags) {
    return new Answer(Kind.ALLOWED, tags, "", null, LoginState.NONE);
  }

  /** A yes to a login of which the backend keeps something. */
  public static Answer allowed(String username, List<String> tags, LoginState state) {
    return new Answer(Kind.ALLOWED, tags, "", username, state);
  }

  /** A no. */
  public static Answer refused(String reason) {
    return new Answer(Kind.REFUSED, List.of(), reason, null, LoginState.NONE);
  }

  /** No proper answer. */
  public static Answer failed(String reason) {
    return new Answer(Kind.FAILED, List.of(), reason, null, LoginState.NONE);
  }

  /** Returns whether it is a yes. */
  public boolean isAllowed() {
    return kind == Kind.ALLOWED;
  }
}
