package io.mayflymq.server.auth;

import io.mayflymq.core.security.Permission;
import io.mayflymq.core.security.ResourceKind;

/**
 * What a service is asked. Equal questions have equal answers, as long as nothing changes there.
 */
public sealed interface Question {
  /** The name of the user that it is about. */
  String username();

  /**
   * May this user log in, and which tags does the user have?
   *
   * @param password null if the name was proved by other means
   */
  record Login(String username, String password) implements Question {
    /** Without the password. */
    @Override
    public String toString() {
      return "Login[" + username + "]";
    }
  }

  /**
   * May this user enter a virtual host?
   *
   * @param ip the address of the client; empty if it is not known
   */
  record Vhost(AuthenticatedUser user, String vhost, String ip) implements Question {
    @Override
    public String username() {
      return user.name();
    }
  }

  /**
   * Does this user have a permission for a queue or exchange?
   *
   * @param name as permissions know it: {@code amq.default} for the default exchange
   */
  record Resource(
      AuthenticatedUser user, String vhost, ResourceKind kind, String name, Permission permission)
      implements Question {
    @Override
    public String username() {
      return user.name();
    }
  }

  /**
   * May this user publish to a topic exchange with a routing key ({@code WRITE}), or bind to it
   * ({@code READ})?
   */
  record Topic(
      AuthenticatedUser user,
      String vhost,
      String exchange,
      Permission permission,
      String routingKey)
      implements Question {
    @Override
    public String username() {
      return user.name();
    }
  }
}
