package io.mayflymq.server.auth;

import io.mayflymq.core.security.Permission;
import io.mayflymq.core.security.ResourceKind;
import java.util.List;

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
   * @param tags those of the login
   */
  record Vhost(String username, String vhost, String ip, List<String> tags) implements Question {
    public Vhost {
      tags = List.copyOf(tags);
    }
  }

  /**
   * Does this user have a permission for a queue or exchange?
   *
   * @param name as permissions know it: {@code amq.default} for the default exchange
   * @param tags those of the login
   */
  record Resource(
      String username,
      String vhost,
      ResourceKind kind,
      String name,
      Permission permission,
      List<String> tags)
      implements Question {
    public Resource {
      tags = List.copyOf(tags);
    }
  }

  /**
   * May this user publish to a topic exchange with a routing key ({@code WRITE}), or bind to it
   * ({@code READ})?
   *
   * @param tags those of the login
   */
  record Topic(
      String username,
      String vhost,
      String exchange,
      Permission permission,
      String routingKey,
      List<String> tags)
      implements Question {
    public Topic {
      tags = List.copyOf(tags);
    }
  }
}
