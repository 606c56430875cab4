package io.mayflymq.core.admin;

import io.mayflymq.core.naming.NearestName;
import io.mayflymq.core.security.SecurityState;
import io.mayflymq.core.security.User;

/**
 * An administrative operation that is not possible; nothing was changed. The message is one
 * sentence for users, with RabbitMQ's text if it has one.
 */
public final class AdministrationException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** What is wrong. */
  public enum Reason {
    NO_SUCH_VHOST,
    NO_SUCH_USER,
    NO_SUCH_PARAMETER,
    USER_EXISTS,
    /** A name that is empty or longer than 255 bytes. */
    INVALID_NAME,
    /** A pattern that is not a valid regular expression. */
    INVALID_PATTERN,
    /** A limit of an unknown name for this object, or with a value that is not an integer. */
    INVALID_LIMIT,
    INVALID_TAG,
    /** A password that is empty, or an invalid hash. */
    INVALID_PASSWORD,
    INVALID_QUEUE_TYPE,
    INVALID_DIALECT,
    /** There are as many virtual hosts as allowed. */
    TOO_MANY_VHOSTS,
    /** It would take more memory than allowed. */
    NO_ROOM,
    /** A virtual host that is protected from deletion. */
    PROTECTED
  }

  private final Reason reason;
  private final String subject;

  /**
   * Creates an error about one object.
   *
   * @param subject the name or text that is wrong
   */
  public AdministrationException(Reason reason, String subject, String message) {
    super(message, null, false, false);
    this.reason = reason;
    this.subject = subject;
  }

  static AdministrationException noSuchVhost(String vhost) {
    return new AdministrationException(
        Reason.NO_SUCH_VHOST, vhost, "Virtual host '" + vhost + "' does not exist");
  }

  /**
   * Returns the error for a virtual host for which there is no room.
   *
   * @param most how many there may be
   */
  public static AdministrationException tooManyVhosts(String vhost, int most) {
    return new AdministrationException(
        Reason.TOO_MANY_VHOSTS,
        vhost,
        "cannot create vhost '%s': vhost limit of %d is reached".formatted(vhost, most));
  }

  /**
   * Returns the error for something for which there is no room.
   *
   * @param format of the message, with the place for the limit
   * @param most how many bytes it allows
   */
  static AdministrationException noRoom(String format, long most) {
    String message = format.formatted(most);
    return new AdministrationException(Reason.NO_ROOM, message, message);
  }

  static AdministrationException protectedFromDeletion(String vhost) {
    return new AdministrationException(
        Reason.PROTECTED,
        vhost,
        "Refusing to delete virtual host '%s' because it is protected from deletion"
            .formatted(vhost));
  }

  /** Users are looked up by administrators, who may see the names of the others. */
  static AdministrationException noSuchUser(String user, SecurityState security) {
    String hint = NearestName.hint(user, security.users().stream().map(User::name).toList());
    return new AdministrationException(
        Reason.NO_SUCH_USER, user, "User \"%s\" does not exist%s".formatted(user, hint));
  }

  /** What is wrong. */
  public Reason reason() {
    return reason;
  }

  /** The name or text that is wrong, as it was given. */
  public String subject() {
    return subject;
  }
}
