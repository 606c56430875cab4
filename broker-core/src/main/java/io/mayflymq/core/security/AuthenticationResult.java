package io.mayflymq.core.security;

/** The result of a login. */
public sealed interface AuthenticationResult {

  /** The login succeeded. */
  record Accepted(User user) implements AuthenticationResult {}

  /**
   * The login failed.
   *
   * @param username the name that was given
   * @param reason why, for the log and never for the client
   * @param pauseMillis how long the answer is to be delayed, because of many failures from the same
   *     address; mostly 0
   */
  record Refused(String username, String reason, long pauseMillis) implements AuthenticationResult {
    /** Refused at once. */
    public Refused(String username, String reason) {
      this(username, reason, 0);
    }

    /** RabbitMQ's line for the log: {@code PLAIN login refused: user 'u' - invalid credentials}. */
    public String logText(String mechanism) {
      return mechanism + " login refused: " + reason;
    }

    /** RabbitMQ's detail of the 403 ACCESS_REFUSED with which the connection is closed. */
    public static String clientText(String mechanism) {
      return "Login was refused using authentication mechanism "
          + mechanism
          + ". For details see the broker logfile.";
    }
  }
}
