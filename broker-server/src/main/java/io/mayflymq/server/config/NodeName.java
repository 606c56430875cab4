package io.mayflymq.server.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;

/**
 * The name of this broker, as RabbitMQ has one for each node: {@code mayfly@host}. One process is
 * one node, so the name is set once, before anything is done.
 */
public final class NodeName {
  /** The name of a node that is given none. */
  private static final String BY_HOST = "mayfly@" + host();

  private static volatile String value = BY_HOST;

  private NodeName() {}

  /** Returns the name of this node. */
  public static String value() {
    return value;
  }

  /** Sets the name of this node; without one it follows from the name of the host. */
  public static void set(Optional<String> given) {
    value = of(given);
  }

  /** Returns the name of a node that is given this one, or none. */
  static String of(Optional<String> given) {
    return given.orElse(BY_HOST);
  }

  /**
   * Returns a name in the form of RabbitMQ's process identifiers.
   *
   * @param connection the serial number of a connection; 0 for what belongs to none
   * @param part the number of what is meant in it; 0 for itself
   */
  public static String pid(long connection, long part) {
    return "<" + value + "." + connection + "." + part + ".0>";
  }

  /**
   * Returns the host name from the kernel or the environment, as the resolver could take seconds.
   */
  private static String host() {
    String name = System.getenv().getOrDefault("HOSTNAME", "");
    try {
      name = Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
    } catch (IOException e) {
      // Not Linux: the environment has to do.
    }
    int dot = name.indexOf('.');
    String label = (dot < 0 ? name : name.substring(0, dot)).toLowerCase(Locale.ROOT);
    return label.isEmpty() ? "localhost" : label;
  }
}
