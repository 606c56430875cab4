package io.mayflymq.core.store.disk;

import io.mayflymq.core.store.OrphanedQueue;
import io.mayflymq.core.store.QueueName;
import io.mayflymq.core.store.segment.LogCheck;
import io.mayflymq.core.store.segment.LogCheck.QueueCount;
import io.mayflymq.core.store.segment.LogDirectory;
import io.mayflymq.core.store.segment.LogFiles;
import io.mayflymq.core.store.segment.MetadataSeen;
import io.mayflymq.core.store.stream.StreamCheck;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds messages of queues that metadata have lost. Changes nothing.
 *
 * <p>A queue that metadata do not know may have been deleted: its deletion is safe first, and its
 * messages leave the log later. These are dropped silently. Or the metadata are lost, or older than
 * the messages, as from a backup. The two cases are distinguished by the sequence number of each
 * change of metadata. With the name of a queue a log notes the number of the latest change at that
 * time, when the queue had been declared. Metadata that are at least as new include the
 * declaration; if they do not know the queue, they include its deletion. Older metadata may lack
 * the declaration: then the queue is an orphan, and its messages must stay.
 *
 * <p>Records are read only if a log has seen newer metadata than the present ones, so an ordinary
 * start is hardly slowed down.
 */
public final class OrphanSearch {
  /**
   * Used as the number of the last change if metadata are lost: then no queue counts as deleted.
   */
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
   * Searches for them.
   *
   * @param directory the parent of the logs' directories
   * @param metadataSequence the number of the last change that metadata have, or {@link
   *     #NO_METADATA}
   * @param known the ids of the queues that metadata know
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
      // A queue without a name was written by an older version, or its note is damaged.
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

  /**
   * A queue that was being moved to another shard may be in two logs: the larger number is the
   * complete one.
   */
  private void add(OrphanedQueue orphan) {
    orphans.merge(
        orphan.id(), orphan, (one, other) -> other.messages() > one.messages() ? other : one);
  }
}
