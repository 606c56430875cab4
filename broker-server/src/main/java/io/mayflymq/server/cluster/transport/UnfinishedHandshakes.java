package io.mayflymq.server.cluster.transport;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * The callers whose handshakes are not finished: they have not proven yet that they know the
 * secret. Their number is limited, for each address and for all of them. An IPv6 address counts as
 * its network of 64 bits. Any thread may call.
 *
 * <p>A node finishes a handshake within milliseconds; a caller without the secret never does. So
 * when a limit is exceeded, the oldest handshake is closed, which is most likely that of such a
 * caller, and not the new one: connections that were there first cannot keep a node out.
 */
final class UnfinishedHandshakes {
  /** The most of one address. A node opens a few for each of its event loops at once. */
  static final int MOST_OF_ADDRESS = 64;

  /** The most of all addresses. */
  static final int MOST = 256;

  private static final ByteBuffer UNKNOWN = ByteBuffer.allocate(0);

  /** All, the oldest first, with their networks. */
  private final Map<IncomingHandshake, ByteBuffer> byAge = new LinkedHashMap<>();

  /** Those of each network, the oldest first. */
  private final Map<ByteBuffer, Set<IncomingHandshake>> byNetwork = new HashMap<>();

  /** Creates an empty set. */
  public UnfinishedHandshakes() {
    // Nothing to set.
  }

  /**
   * Adds a handshake, and ends the oldest one that is beyond a limit then.
   *
   * @param from the address of the caller; null if it is not known
   */
  public void add(IncomingHandshake handshake, InetAddress from) {
    IncomingHandshake displaced = null;
    String why = null;
    synchronized (this) {
      ByteBuffer network = network(from);
      Set<IncomingHandshake> neighbours =
          byNetwork.computeIfAbsent(network, any -> new LinkedHashSet<>());
      neighbours.add(handshake);
      byAge.put(handshake, network);
      if (neighbours.size() > MOST_OF_ADDRESS) {
        displaced = oldest(neighbours);
        why = "it was the oldest of more than %d from its address".formatted(MOST_OF_ADDRESS);
      } else if (byAge.size() > MOST) {
        displaced = oldest(byAge.keySet());
        why = "it was the oldest of more than %d".formatted(MOST);
      }
      if (displaced != null) {
        remove(displaced);
      }
    }
    if (displaced != null) {
      displaced.displace("the handshake was not finished, and " + why);
    }
  }

  /** Removes a handshake that is finished, or has failed; does nothing if it was displaced. */
  public synchronized void remove(IncomingHandshake handshake) {
    ByteBuffer network = byAge.remove(handshake);
    if (network != null) {
      Set<IncomingHandshake> neighbours = byNetwork.get(network);
      neighbours.remove(handshake);
      if (neighbours.isEmpty()) {
        byNetwork.remove(network);
      }
    }
  }

  /** Returns how many there are. */
  public synchronized int size() {
    return byAge.size();
  }

  private static IncomingHandshake oldest(Iterable<IncomingHandshake> handshakes) {
    Iterator<IncomingHandshake> all = handshakes.iterator();
    return all.next();
  }

  private static ByteBuffer network(InetAddress address) {
    if (address == null) {
      return UNKNOWN;
    }
    byte[] bytes = address.getAddress();
    return ByteBuffer.wrap(address instanceof Inet6Address ? Arrays.copyOf(bytes, 8) : bytes);
  }
}
