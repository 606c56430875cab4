package io.mayflymq.server.net;

/**
 * The broker cannot start, as a setting of its configuration cannot be used: a file that it names
 * is missing or holds something else, or it contradicts what is found. The message names the
 * setting. The exit code is that of a wrong configuration.
 */
public final class SettingsException extends StartException {
  private static final long serialVersionUID = 1L;

  public SettingsException(String message) {
    super(message);
  }

  public SettingsException(String message, Throwable cause) {
    super(message, cause);
  }
}
