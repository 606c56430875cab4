package io.mayflymq.core.store.disk;

import io.mayflymq.core.store.OrphanedQueue;
import io.mayflymq.core.store.QueueName;
import io.mayflymq.core.store.segment.file.LogDirectory;
import io.mayflymq.core.store.segment.file.LogFiles;
import io.mayflymq.core.store.segment.recovery.LogCheck;
import io.mayflymq.core.store.segment.recovery.LogCheck.QueueCount;
import io.mayflymq.core.store.segment.recovery.MetadataSeen;
import io.mayflymq.core.store.stream.StreamCheck;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/*
 * Finds queues of which there are messages, and which metadata should know and do not.
 *
 * A queue that metadata do not know may have been deleted: its deletion is safe first, and its messages leave the log later. These are let go
 * without a word. Or the metadata are lost, or older than the messages, as from a backup. The difference is told by the number that each
 * change of metadata has. A log notes with the name of a queue which change was the last one at that time, so the queue had been declared by then.
 * Metadata that reach that far know the declaration; if they do not know the queue, they know its deletion. Metadata that do not reach
 * that far may just not have got to the declaration: then the queue is an orphan, and its messages must stay.
 *
 * Records are read only where a log has seen newer metadata than there are, so an ordinary start pays next to nothing.
 */
/** Finds messages of queues that metadata have lost. Nothing is changed. */
public final class OrphanSearch {
  /** In place of the number of the last change: metadata are lost, so that no queue is deleted. */
  public static final long NO_METADATA = -1;

  private static final Pattern LOG = Pattern.compile("shard-(\\d{1,9})");
  private static final Pattern STREAM = Pattern.compile("stream-(\\d{1,18})");

  private final long metadata;
  private final Set<Long> known;
  private final Map<Long, OrphanedQueue> orphans = new TreeMap<>();

  private OrphanSearch(long metadata, Set<Long> known) {
    this.metadata = metadata;
    this.known = known;
  }

  /**
   * Looks for them.
   *
   * @param directory where the logs have their directories
   * @param metadataSequence the number of the last change that metadata have, or {@link
   *     #NO_METADATA}
   * @param known the ids of the queues that they know
   * @return the orphans, by their ids
   * @throws IOException if a file cannot be read, or was written by a newer version
   */
  public static List<OrphanedQueue> of(Path directory, long metadataSequence, Set<Long> known)
      throws IOException {
    return of(new LocalStorageEnvironment(directory), metadataSequence, known);
  }

  static List<OrphanedQueue> of(StorageEnvironment host, long metadataSequence, Set<Long> known)
      throws IOException {
    OrphanSearch search = new OrphanSearch(metadataSequence, known);
    for (String name : host.list().stream().sorted().toList()) {
      Matcher log = LOG.matcher(name);
      if (log.matches()) {
        search.log(Integer.parseInt(log.group(1)), host.open(name));
      }
      Matcher stream = STREAM.matcher(name);
      if (stream.matches()) {
        search.stream(Long.parseLong(stream.group(1)), host.open(name));
      }
    }
    return List.copyOf(search.orphans.values());
  }

  private void log(int shard, LogDirectory directory) throws IOException {
    long seen = MetadataSeen.by(directory);
    if (seen != MetadataSeen.UNKNOWN && seen <= metadata) {
      return;
    }
    for (QueueCount queue : LogCheck.of(directory).queues()) {
      // What is not named was written by an older version, or its note is damaged.
      long knownSince = queue.name() == null ? Math.max(seen, 0) : queue.knownSince();
      if (!known.contains(queue.id()) && knownSince > metadata) {
        add(new OrphanedQueue(queue.id(), shard, false, queue.name(), queue.live()));
      }
    }
  }

  private void stream(long id, LogDirectory directory) throws IOException {
    LogFiles.Found found = LogFiles.check(directory, null);
    if (known.contains(id) || found.metadataSeen() <= metadata) {
      return;
    }
    long messages =
        StreamCheck.of(directory).segments().stream()
            .mapToLong(StreamCheck.SegmentFile::messages)
            .sum();
    if (messages > 0) {
      add(new OrphanedQueue(id, 0, true, QueueName.split(found.about()), messages));
    }
  }

  /** A queue on its way to another shard may be in two logs: the more is the whole. */
  private void add(OrphanedQueue orphan) {
    orphans.merge(
        orphan.id(), orphan, (one, other) -> other.messages() > one.messages() ? other : one);
  }
}
