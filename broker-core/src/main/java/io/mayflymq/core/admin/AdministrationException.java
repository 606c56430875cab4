package io.mayflymq.core.admin;

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
    INVALID_QUEUE_TYPE
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

  static AdministrationException noSuchUser(String user) {
    return new AdministrationException(
        Reason.NO_SUCH_USER, user, "User \"" + user + "\" does not exist");
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
