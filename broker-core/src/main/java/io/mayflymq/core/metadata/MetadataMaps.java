package io.mayflymq.core.metadata;

import io.mayflymq.core.policy.Policy;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.ReplyCode;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;

/** The maps of an open store: one for each kind of thing. */
final class MetadataMaps {
  /**
   * The largest entry, in bytes. Arguments, policies and passwords that make sense are far below.
   */
  private static final int MOST_BYTES = 1 << 20;

  private final MVMap<String, byte[]> policies;
  private final MVMap<String, byte[]> exchanges;
  private final MVMap<String, byte[]> queues;
  private final MVMap<String, byte[]> bindings;
  private final AdministrativeMaps administration;

  MetadataMaps(MVStore store) {
    this.policies = store.openMap("policies");
    this.exchanges = store.openMap("exchanges");
    this.queues = store.openMap("queues");
    this.bindings = store.openMap("bindings");
    this.administration = new AdministrativeMaps(store);
  }

  List<MetadataCommand> recover() {
    List<MetadataCommand> commands = new ArrayList<>(administration.recover());
    policies.values().forEach(value -> commands.add(PolicyEntry.decode(value)));
    exchanges.values().forEach(value -> commands.add(MetadataEntry.decodeExchange(value)));
    queues.values().forEach(value -> commands.add(MetadataEntry.decodeQueue(value)));
    bindings.values().forEach(value -> commands.add(MetadataEntry.decodeBinding(value)));
    return commands;
  }

  /**
   * What is to be done for a command, on the maps that are open then; it is encoded when this
   * returns, so what cannot be encoded fails for its caller only.
   *
   * @throws ChannelException 406 if it is too large
   */
  static Consumer<MetadataMaps> prepare(MetadataCommand command) {
    String vhost = command.vhost();
    if (command instanceof MetadataCommand.ExchangeDeclared declared) {
      String key = MetadataEntry.key(vhost, declared.exchange().name());
      return put(maps -> maps.exchanges, key, MetadataEntry.encode(declared));
    } else if (command instanceof MetadataCommand.ExchangeDeleted deleted) {
      return maps -> maps.exchanges.remove(MetadataEntry.key(vhost, deleted.exchange()));
    } else if (command instanceof MetadataCommand.QueueDeclared declared) {
      String key = MetadataEntry.key(vhost, declared.queue().name());
      return put(maps -> maps.queues, key, MetadataEntry.encode(declared));
    } else if (command instanceof MetadataCommand.QueueDeleted deleted) {
      return maps -> maps.queues.remove(MetadataEntry.key(vhost, deleted.queue()));
    } else if (command instanceof MetadataCommand.Bound bound) {
      String key = MetadataEntry.key(vhost, bound.binding());
      return put(maps -> maps.bindings, key, MetadataEntry.encode(bound));
    } else if (command instanceof MetadataCommand.Unbound unbound) {
      return maps -> maps.bindings.remove(MetadataEntry.key(vhost, unbound.binding()));
    } else if (command instanceof MetadataCommand.PolicySet set) {
      Policy policy = set.policy();
      String key = PolicyEntry.key(vhost, policy.kind(), policy.name());
      return put(maps -> maps.policies, key, PolicyEntry.encode(set));
    } else if (command instanceof MetadataCommand.PolicyCleared cleared) {
      return maps -> maps.policies.remove(PolicyEntry.key(vhost, cleared.kind(), cleared.name()));
    }
    Consumer<AdministrativeMaps> administrative =
        AdministrativeMaps.prepare((MetadataCommand.Administrative) command);
    return maps -> {
      administrative.accept(maps.administration);
      if (command instanceof MetadataCommand.VhostDeleted) {
        maps.removeAllOf(vhost);
      }
    };
  }

  private static Consumer<MetadataMaps> put(
      Function<MetadataMaps, MVMap<String, byte[]>> map, String key, byte[] value) {
    byte[] checked = modest(value);
    return maps -> map.apply(maps).put(key, checked);
  }

  /** A value that is not too large. */
  static byte[] modest(byte[] value) {
    if (value.length > MOST_BYTES) {
      throw new ChannelException(
          ReplyCode.PRECONDITION_FAILED,
          "definition of %d bytes is too large: expected at most %d"
              .formatted(value.length, MOST_BYTES));
    }
    return value;
  }

  private void removeAllOf(String vhost) {
    for (MVMap<String, byte[]> map : List.of(policies, exchanges, queues, bindings)) {
      removeOf(vhost, map);
    }
  }

  private static void removeOf(String vhost, MVMap<String, byte[]> map) {
    String prefix = MetadataEntry.keysOf(vhost);
    List<String> keys = new ArrayList<>();
    Iterator<String> from = map.keyIterator(prefix);
    while (from.hasNext()) {
      String key = from.next();
      if (!key.startsWith(prefix)) {
        break;
      }
      keys.add(key);
    }
    keys.forEach(map::remove);
  }
}
