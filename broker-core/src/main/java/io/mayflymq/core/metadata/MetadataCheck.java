package io.mayflymq.core.metadata;

import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.MVStoreException;

/**
 * What a file of {@link StoredMetadataLog} holds, as found by reading every entry and changing
 * nothing.
 *
 * @param vhosts the virtual hosts that anything belongs to
 * @param entries how many entries there are, by what they are: exchanges, queues, bindings
 */
public record MetadataCheck(Set<String> vhosts, Map<String, Integer> entries) {
  private static final Map<String, Function<byte[], MetadataCommand>> DECODERS =
      Map.of(
          "exchanges", MetadataEntry::decodeExchange,
          "queues", MetadataEntry::decodeQueue,
          "bindings", MetadataEntry::decodeBinding);

  /**
   * Reads a file.
   *
   * @throws MetadataException if it, or an entry of it, cannot be read, or a broker has it open
   */
  public static MetadataCheck of(Path file) {
    Set<String> vhosts = new TreeSet<>();
    Map<String, Integer> entries = new TreeMap<>();
    try (MVStore store = new MVStore.Builder().fileName(file.toString()).readOnly().open()) {
      for (String name : store.getMapNames()) {
        MVMap<Object, Object> map = store.openMap(name);
        for (Object value : map.values()) {
          if (DECODERS.containsKey(name)) {
            vhosts.add(DECODERS.get(name).apply((byte[]) value).vhost());
          }
        }
        entries.put(name, map.size());
      }
    } catch (MVStoreException e) {
      throw new MetadataException("cannot open metadata in " + file + ": " + e.getMessage(), e);
    } catch (RuntimeException e) {
      throw new MetadataException("cannot read metadata in " + file + ": " + e.getMessage(), e);
    }
    return new MetadataCheck(vhosts, entries);
  }
}
