package io.mayflymq.server.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** The name of this broker, used where RabbitMQ has the name of a node: {@code mayfly@host}. */
public final class NodeName {
  /** The name of this node. */
  public static final String VALUE = "mayfly@" + host();

  private NodeName() {}

  /**
   * Returns a name in the form of RabbitMQ's process identifiers.
   *
   * @param connection the serial number of a connection; 0 for what belongs to none
   * @param part the number of what is meant in it; 0 for itself
   */
  public static String pid(long connection, long part) {
    return "<" + VALUE + "." + connection + "." + part + ".0>";
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
