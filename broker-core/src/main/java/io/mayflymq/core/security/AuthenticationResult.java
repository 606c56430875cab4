package io.mayflymq.core.security;

/** What came of a login. */
public sealed interface AuthenticationResult {

  /** The user is who he says. */
  record Accepted(User user) implements AuthenticationResult {}

  /**
   * The user is not let in.
   *
   * @param username who it was said to be
   * @param reason why, for the log and never for the client
   * @param pauseMillis for how long the answer is to be held back, as there were many failures from
   *     the same address; mostly 0
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
