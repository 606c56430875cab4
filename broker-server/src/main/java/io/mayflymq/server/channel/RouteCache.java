package io.mayflymq.server.channel;

import io.mayflymq.core.routing.ExchangeDefinition;
import io.mayflymq.core.routing.Route;
import io.mayflymq.core.routing.RoutingTable;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.ShortString;
import java.util.function.LongConsumer;

/**
 * Caches a channel's last routes by exchange and routing key; valid as long as the routing table is
 * the same object. Names come from the decoder's cache, so equal names are mostly the same object.
 *
 * <p>A library's cache would need an object for each look-up, as the key has two parts.
 */
final class RouteCache {
  private static final int SLOTS = 64;

  /** An exchange, and the route of a key from there. */
  record Entry(
      RoutingTable<Queue> table,
      ShortString exchange,
      ShortString routingKey,
      ExchangeDefinition definition,
      Route<Queue> route) {}

  /** About how many bytes an entry takes without its names. */
  private static final int ENTRY_BYTES = 150;

  private final LongConsumer kept;
  private final Entry[] entries = new Entry[SLOTS];

  /**
   * @param kept is told how many bytes more the entries take, or fewer
   */
  RouteCache(LongConsumer kept) {
    this.kept = kept;
  }

  /** Returns the entry for this table and these names, or null. */
  Entry get(RoutingTable<Queue> table, ShortString exchange, ShortString routingKey) {
    Entry entry = entries[slot(exchange, routingKey)];
    return entry != null
            && entry.table == table
            && entry.exchange.equals(exchange)
            && entry.routingKey.equals(routingKey)
        ? entry
        : null;
  }

  void put(Entry entry) {
    int slot = slot(entry.exchange, entry.routingKey);
    kept.accept(bytes(entry) - bytes(entries[slot]));
    entries[slot] = entry;
  }

  /** The names are there as bytes and as texts. */
  private static long bytes(Entry entry) {
    return entry == null
        ? 0
        : ENTRY_BYTES + 2L * (entry.exchange.encoded().length + entry.routingKey.encoded().length);
  }

  private static int slot(ShortString exchange, ShortString routingKey) {
    return (exchange.hashCode() * 31 + routingKey.hashCode()) & (SLOTS - 1);
  }
}
