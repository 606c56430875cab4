package io.mayflymq.server.channel;

import io.mayflymq.core.metadata.Actor;
import io.mayflymq.core.vhost.queue.QueueOwner;
import io.mayflymq.server.config.NodeName;
import java.util.function.BooleanSupplier;

/**
 * The identity of a connection, and the owner of its exclusive queues. Compared by object identity
 * where it stands for the connection itself.
 *
 * @param serial its number among all connections of this process, from 1
 * @param name such as {@code 10.0.0.7:4711 -> 10.0.0.1:5672}
 * @param givenName the name that its client has given it; empty if there is none
 * @param user the user who is logged in
 * @param vhost the name of the virtual host that it is open to
 * @param peerHost the address of the client
 * @param peerPort the port of the client
 * @param host the address that the client connected to
 * @param port the port that the client connected to
 * @param socketOpen whether its socket is open; any thread may ask
 */
public record ConnectionIdentity(
    long serial,
    String name,
    String givenName,
    String user,
    String vhost,
    String peerHost,
    int peerPort,
    String host,
    int port,
    BooleanSupplier socketOpen)
    implements Actor, QueueOwner {

  @Override
  public boolean isOpen() {
    return socketOpen.getAsBoolean();
  }

  @Override
  public String inWords() {
    return "user '%s' on connection %s (%s)".formatted(user, pid(), name);
  }

  /** Returns its name in the form of RabbitMQ's process identifiers, which commands accept. */
  @Override
  public String pid() {
    return NodeName.pid(serial, 0);
  }
}
