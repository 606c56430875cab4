package io.mayflymq.server.net;

import io.mayflymq.server.config.ListenerSettings;
import java.nio.channels.UnresolvedAddressException;

/**
 * The broker cannot start, mostly for a reason outside of its configuration: an address in use, a
 * directory that cannot be written. The message is one line for the operator, who sees nothing
 * else.
 */
public class StartException extends Exception {
  public StartException(String message) {
    super(message);
  }

  public StartException(String message, Throwable cause) {
    super(message, cause);
  }

  /**
   * Says why a listener cannot be had: an address in use, not of this machine, or unknown.
   *
   * @param key the key of the configuration that sets its address
   */
  public static StartException cannotListen(
      String key, ListenerSettings listener, Throwable cause) {
    String message = String.valueOf(cause.getMessage());
    // Netty's native transport puts the failed call and its number before the system's own words.
    String reason =
        cause instanceof UnresolvedAddressException
            ? "unknown host"
            : message.substring(message.lastIndexOf(": ") + 1).strip();
    return new StartException(
        "cannot listen on %s (key %s): %s".formatted(listener, key, reason), cause);
  }
}
