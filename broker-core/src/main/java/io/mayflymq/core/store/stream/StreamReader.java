package io.mayflymq.core.store.stream;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.store.StreamCursor;
import io.mayflymq.core.store.segment.EntryReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A position in a stream. Belongs to the shard's thread.
 *
 * <p>A consumer's position. While the next messages are in memory it holds no resources; else one
 * segment is open, and a window moves over it.
 */
public final class StreamReader implements StreamCursor {
  private static final Logger LOGGER = LoggerFactory.getLogger(StreamReader.class);

  private final StreamLog log;

  /** Whether it reads what is forced, in the files alone. */
  private final boolean readsFiles;

  /** The offset of the next message to read. */
  private long wanted;

  private long offset;

  /** The current message, if it was in memory; else the file is positioned at it. */
  private Message inMemory;

  private SegmentSearch open;

  StreamReader(StreamLog log, long from, boolean readsFiles) {
    this.log = log;
    this.readsFiles = readsFiles;
    this.wanted = Math.max(from, 0);
  }

  @Override
  public boolean next() {
    wanted = Math.max(wanted, log.firstOffset());
    if (wanted >= end()) {
      release();
      return false;
    }
    inMemory = readsFiles ? null : log.inMemory(wanted);
    if (inMemory != null) {
      release();
      offset = wanted++;
      return true;
    }
    try {
      return readNext();
    } catch (IOException e) {
      release();
      throw new UncheckedIOException(e);
    }
  }

  private long end() {
    return readsFiles ? log.forcedOffset() : log.safeOffset();
  }

  private boolean readNext() throws IOException {
    StreamSegment segment = log.segmentOf(wanted);
    while (segment != null && wanted < end()) {
      if (find(segment)) {
        offset = open.entries().sequence();
        wanted = offset + 1;
        return true;
      }
      wanted = Math.max(wanted, segment.lastOffset + 1);
      segment = log.segmentOf(wanted);
    }
    return false;
  }

  /** Continues in a segment, at the wanted message or the first one after it. */
  private boolean find(StreamSegment segment) throws IOException {
    boolean found;
    if (open != null && open.segment() == segment && open.entries().sequence() == wanted - 1) {
      found = open.next();
    } else {
      open(segment);
      found = open.seek(wanted);
    }
    while (!found && !open.atEnd()) {
      LOGGER.warn(
          "Messages are lost: {} of {} is damaged at {}", segment, log, open.entries().end());
      if (!open.skipDamage()) {
        return false;
      }
      found = open.next();
    }
    return found;
  }

  private void open(StreamSegment segment) throws IOException {
    release();
    EntryReader reader = log.borrowReader();
    try {
      open = log.open(segment, reader);
    } finally {
      if (open == null) {
        log.giveBack(reader);
      }
    }
  }

  @Override
  public long nextOffset() {
    return wanted;
  }

  @Override
  public long offset() {
    return offset;
  }

  /** Returns when the current message came, in ms since the epoch, if it is read from files. */
  public long enqueuedAtMillis() {
    return open.entries().enqueuedAtMillis();
  }

  @Override
  public Message message() {
    return inMemory != null ? inMemory : open.entries().message();
  }

  private void release() {
    SegmentSearch closed = open;
    open = null;
    if (closed != null) {
      log.giveBack(closed.entries());
      try {
        closed.close();
      } catch (IOException e) {
        LOGGER.warn("Closing {} of {}: {}", closed.segment(), log, e.toString());
      }
    }
  }

  @Override
  public void close() {
    release();
    log.closed();
  }
}
