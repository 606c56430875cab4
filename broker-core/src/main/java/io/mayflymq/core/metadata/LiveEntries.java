package io.mayflymq.core.metadata;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The live entries of the journal. They are read at the start and for each compaction, and not kept
 * in between.
 */
final class LiveEntries {
  private static final int CHUNK_BYTES = 64 * 1024;

  /** By scope and kind. */
  private final Map<String, Map<EntryKind, Map<String, JournalEntry>>> scopes =
      new LinkedHashMap<>();

  /** Applies the entries of a frame. */
  void apply(ByteBuffer entries) {
    while (entries.hasRemaining()) {
      apply(JournalEntry.decode(entries));
    }
  }

  void apply(JournalEntry journalEntry) {
    if (journalEntry.value() != null) {
      scopes
          .computeIfAbsent(journalEntry.scope(), absent -> new EnumMap<>(EntryKind.class))
          .computeIfAbsent(journalEntry.kind(), absent -> new LinkedHashMap<>())
          .put(journalEntry.key(), journalEntry);
    } else if (journalEntry.kind() == EntryKind.VHOST) {
      scopes.remove(journalEntry.scope());
    } else {
      of(journalEntry.scope(), journalEntry.kind()).remove(journalEntry.key());
      if (journalEntry.kind() == EntryKind.USER) {
        removePermissionsOf(journalEntry.key());
      }
    }
  }

  private Map<String, JournalEntry> of(String scope, EntryKind kind) {
    return scopes.getOrDefault(scope, Map.of()).getOrDefault(kind, new LinkedHashMap<>());
  }

  private void removePermissionsOf(String user) {
    String begin = MetadataEntry.part(user);
    for (String scope : scopes.keySet()) {
      of(scope, EntryKind.PERMISSIONS).remove(begin);
      of(scope, EntryKind.TOPIC_PERMISSIONS).keySet().removeIf(key -> key.startsWith(begin));
    }
  }

  /** Returns commands that restore this state when they are applied in order. */
  List<MetadataCommand> commands() {
    List<MetadataCommand> commands = new ArrayList<>();
    for (EntryKind kind : EntryKind.values()) {
      for (String scope : scopes.keySet()) {
        for (JournalEntry journalEntry : of(scope, kind).values()) {
          commands.add(kind.decode(journalEntry.value()));
        }
      }
    }
    return commands;
  }

  /** Returns the entries that lead from this state to another one. */
  List<JournalEntry> changesTo(LiveEntries target) {
    List<JournalEntry> changes = new ArrayList<>();
    List<EntryKind> kinds = new ArrayList<>(List.of(EntryKind.values()));
    Collections.reverse(kinds);
    for (EntryKind kind : kinds) {
      for (String scope : scopes.keySet()) {
        Map<String, JournalEntry> kept = target.of(scope, kind);
        of(scope, kind).keySet().stream()
            .filter(key -> !kept.containsKey(key))
            .forEach(key -> changes.add(new JournalEntry(kind, scope, key, null)));
      }
    }
    for (EntryKind kind : EntryKind.values()) {
      for (String scope : target.scopes.keySet()) {
        Map<String, JournalEntry> present = of(scope, kind);
        target.of(scope, kind).values().stream()
            .filter(entry -> !entry.equals(present.get(entry.key())))
            .forEach(changes::add);
      }
    }
    return changes;
  }

  /**
   * The ids of the queues, of the copies of those that are being moved, and of deleted ones that
   * can be brought back.
   */
  Set<Long> queues() {
    Set<Long> ids = new HashSet<>();
    for (String scope : scopes.keySet()) {
      of(scope, EntryKind.QUEUE_MOVE)
          .values()
          .forEach(move -> ids.add(MetadataEntry.decodeMove(move.value()).copyId()));
      of(scope, EntryKind.KEPT_QUEUE)
          .values()
          .forEach(kept -> ids.add(MetadataEntry.decodeKept(kept.value()).queue().id()));
      for (JournalEntry journalEntry : of(scope, EntryKind.QUEUE).values()) {
        if (EntryKind.QUEUE.decode(journalEntry.value())
            instanceof MetadataCommand.QueueDeclared queue) {
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
        for (JournalEntry journalEntry : of(scope, kind).values()) {
          byte[] encoded = journalEntry.encode();
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

  /** Returns how many there are. */
  int size() {
    return counts().values().stream().mapToInt(Integer::intValue).sum();
  }

  /** Returns the virtual hosts that have entries. */
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
