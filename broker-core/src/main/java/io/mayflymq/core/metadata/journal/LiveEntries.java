package io.mayflymq.core.metadata.journal;

import io.mayflymq.core.metadata.MetadataCommand;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The entries that are in force, as reading the journal gives them. They are read at the start and
 * for each compaction, and not kept meanwhile.
 */
final class LiveEntries {
  private static final int CHUNK_BYTES = 64 * 1024;

  /** By scope and kind. */
  private final Map<String, Map<EntryKind, Map<String, Entry>>> scopes = new LinkedHashMap<>();

  /** Applies the entries of a frame. */
  void apply(ByteBuffer entries) {
    while (entries.hasRemaining()) {
      apply(Entry.decode(entries));
    }
  }

  void apply(Entry entry) {
    if (entry.value() != null) {
      scopes
          .computeIfAbsent(entry.scope(), absent -> new EnumMap<>(EntryKind.class))
          .computeIfAbsent(entry.kind(), absent -> new LinkedHashMap<>())
          .put(entry.key(), entry);
    } else if (entry.kind() == EntryKind.VHOST) {
      scopes.remove(entry.scope());
    } else {
      of(entry.scope(), entry.kind()).remove(entry.key());
      if (entry.kind() == EntryKind.USER) {
        removePermissionsOf(entry.key());
      }
    }
  }

  private Map<String, Entry> of(String scope, EntryKind kind) {
    return scopes.getOrDefault(scope, Map.of()).getOrDefault(kind, new LinkedHashMap<>());
  }

  private void removePermissionsOf(String user) {
    String begin = MetadataEntry.part(user);
    for (String scope : scopes.keySet()) {
      of(scope, EntryKind.PERMISSIONS).remove(begin);
      of(scope, EntryKind.TOPIC_PERMISSIONS).keySet().removeIf(key -> key.startsWith(begin));
    }
  }

  /** Commands that give this state when they are applied in order. */
  List<MetadataCommand> commands() {
    List<MetadataCommand> commands = new ArrayList<>();
    for (EntryKind kind : EntryKind.values()) {
      for (String scope : scopes.keySet()) {
        for (Entry entry : of(scope, kind).values()) {
          commands.add(kind.decode(entry.value()));
        }
      }
    }
    return commands;
  }

  /** The ids of the queues. */
  Set<Long> queues() {
    Set<Long> ids = new HashSet<>();
    for (String scope : scopes.keySet()) {
      for (Entry entry : of(scope, EntryKind.QUEUE).values()) {
        if (EntryKind.QUEUE.decode(entry.value()) instanceof MetadataCommand.QueueDeclared queue) {
          ids.add(queue.id());
        }
      }
    }
    return ids;
  }

  /** All entries as bytes, in chunks of a moderate size. */
  List<byte[]> chunks() {
    List<byte[]> chunks = new ArrayList<>();
    List<byte[]> some = new ArrayList<>();
    int bytes = 0;
    for (EntryKind kind : EntryKind.values()) {
      for (String scope : scopes.keySet()) {
        for (Entry entry : of(scope, kind).values()) {
          byte[] encoded = entry.encode();
          some.add(encoded);
          bytes += encoded.length;
          if (bytes >= CHUNK_BYTES) {
            chunks.add(joined(some));
            some.clear();
            bytes = 0;
          }
        }
      }
    }
    if (!some.isEmpty() || chunks.isEmpty()) {
      chunks.add(joined(some));
    }
    return chunks;
  }

  static byte[] joined(List<byte[]> parts) {
    ByteBuffer joined = ByteBuffer.allocate(parts.stream().mapToInt(part -> part.length).sum());
    parts.forEach(joined::put);
    return joined.array();
  }

  /** How many there are. */
  int size() {
    return counts().values().stream().mapToInt(Integer::intValue).sum();
  }

  /** The virtual hosts that anything belongs to. */
  Set<String> vhosts() {
    Set<String> vhosts = new TreeSet<>(scopes.keySet());
    vhosts.remove("");
    return vhosts;
  }

  /** How many entries there are of each kind. */
  Map<String, Integer> counts() {
    Map<String, Integer> counts = new TreeMap<>();
    for (EntryKind kind : EntryKind.values()) {
      int count = 0;
      for (String scope : scopes.keySet()) {
        count += of(scope, kind).size();
      }
      counts.put(kind.plural(), count);
    }
    return counts;
  }
}
