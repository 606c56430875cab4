package io.mayflymq.server.auth;

import io.mayflymq.core.security.VhostAccess;
import java.net.InetAddress;
import java.util.concurrent.CompletableFuture;

/**
 * A backend of the chain: where users are known. Any thread may call. The futures never fail, and
 * are done on any thread.
 */
public interface AuthBackend {
  /** Returns its name in the configuration. */
  String name();

  /** Checks the name and the password of a user; the answer has the tags of the user. */
  CompletableFuture<Answer> authenticate(LoginAttempt attempt);

  /**
   * Checks that a user whose password another backend has checked is known here as well; the answer
   * has the tags that the user has here.
   */
  CompletableFuture<Answer> recognize(LoginAttempt attempt);

  /**
   * Decides whether a user may enter a virtual host, which exists.
   *
   * @param address of the client; null if it is not known
   */
  CompletableFuture<Answer> enter(AuthenticatedUser user, String vhost, InetAddress address);

  /**
   * Returns what a user may do in a virtual host that the user may enter; for one thread.
   *
   * @throws io.mayflymq.protocol.types.ConnectionException 530 NOT_ALLOWED if the user may not
   *     enter it any more
   */
  VhostAccess access(AuthenticatedUser user, String vhost);

  /** Logs why something was refused, and returns what clients are told of that; mostly nothing. */
  String refused(String refusal, Answer answer);

  /**
   * Returns whether a password here is a token, which has an end and can be replaced by a newer one
   * while the connection is open.
   */
  default boolean takesTokens() {
    return false;
  }
}
