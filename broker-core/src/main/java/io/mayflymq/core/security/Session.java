package io.mayflymq.core.security;

/** A connection that is logged in and open to a virtual host. */
public interface Session {
  /** The name of its user. */
  String user();

  /** The virtual host that it is open to. */
  String vhost();

  /**
   * Closes it with 320 CONNECTION_FORCED. Any thread may call; returns at once.
   *
   * @param reason what the client is told
   */
  void forceClose(String reason);
}
