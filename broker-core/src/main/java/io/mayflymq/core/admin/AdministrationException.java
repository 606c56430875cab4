package io.mayflymq.core.admin;

/**
 * An administrator asked for what cannot be done; nothing was changed. The message is one sentence
 * for people, in RabbitMQ's words where it has some.
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
    /** A pattern that is no regular expression. */
    INVALID_PATTERN,
    /** A limit that is not of this kind of thing, or no whole number. */
    INVALID_LIMIT,
    INVALID_TAG,
    /** A password that is empty, or a hash that is none. */
    INVALID_PASSWORD,
    INVALID_QUEUE_TYPE
  }

  private final Reason reason;
  private final String subject;

  /**
   * An error about one thing.
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
