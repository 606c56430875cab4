package io.mayflymq.server.ctl;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Ends a command with an exit code and a text for standard error. */
final class ControlException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private static final Pattern QUOTED = Pattern.compile("(['\"])(.*?)\\1");

  private final int exitCode;
  private final boolean usage;

  private ControlException(int exitCode, String text, boolean usage) {
    super(text, null, false, false);
    this.exitCode = exitCode;
    this.usage = usage;
  }

  /** Under the heading {@code Error:}, as RabbitMQ shows most. */
  public static ControlException error(int exitCode, String text) {
    return new ControlException(exitCode, "Error:\n" + text, false);
  }

  /** Returns the text as it is, which RabbitMQ does with a few. */
  public static ControlException plain(int exitCode, String text) {
    return new ControlException(exitCode, text, false);
  }

  /** Arguments that do not fit; followed by what was given and the command's usage. */
  public static ControlException usage(String problem) {
    return usage(Sysexits.USAGE, problem);
  }

  /** Arguments whose values do not fit; followed by what was given and the command's usage. */
  public static ControlException usage(int exitCode, String problem) {
    return new ControlException(exitCode, "Error (argument validation): " + problem, true);
  }

  /** Returns the error for a broker that runs and should not, or that does not run and should. */
  public static ControlException wrongState(String wanted, String advice) {
    return new ControlException(
        Sysexits.USAGE,
        "Error: this command requires the broker to be %s in its process. %s"
            .formatted(wanted, advice),
        true);
  }

  public static ControlException noSuchUser(String user) {
    return error(Sysexits.NO_USER, "User \"%s\" does not exist".formatted(user));
  }

  public static ControlException noSuchVhost(String vhost) {
    return plain(Sysexits.DATA, "Virtual host '%s' does not exist".formatted(vhost));
  }

  public static ControlException noSuchQueue(String queue, String vhost) {
    return error(Sysexits.DATA, "Queue '%s' in vhost '%s' does not exist".formatted(queue, vhost));
  }

  /**
   * Returns the same with what the broker has said of the cause: which name was probably meant, and
   * what is not there if the text does not name it.
   *
   * @param sentence of the broker; null if there is none
   */
  public ControlException explainedBy(String sentence) {
    if (sentence == null) {
      return this;
    }
    Matcher name = QUOTED.matcher(sentence);
    boolean named = name.find() && getMessage().contains(name.group(2));
    int hint = sentence.indexOf("did you mean ");
    String explanation = !named ? sentence : hint < 0 ? "" : sentence.substring(hint);
    return explanation.isEmpty()
        ? this
        : new ControlException(
            exitCode,
            getMessage()
                + "\n"
                + explanation.substring(0, 1).toUpperCase(Locale.ROOT)
                + explanation.substring(1),
            usage);
  }

  public int exitCode() {
    return exitCode;
  }

  /** Returns whether the command's usage belongs behind it. */
  public boolean showsUsage() {
    return usage;
  }
}
