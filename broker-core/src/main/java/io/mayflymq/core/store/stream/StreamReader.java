package io.mayflymq.core.store.stream;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.store.StreamCursor;
import io.mayflymq.core.store.segment.file.EntryReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * A consumer's place. While what comes next is in memory it holds nothing; else one segment is open, and a window moves along it.
 */
final class StreamReader implements StreamCursor {
  private static final Logger LOGGER = LoggerFactory.getLogger(StreamReader.class);

  private final StreamLog log;

  /** The offset that is wanted next. */
  private long wanted;

  private long offset;

  /** The message that this is at, if it was in memory; else the file is at it. */
  private Message inMemory;

  private SegmentSearch open;

  StreamReader(StreamLog log, long from) {
    this.log = log;
    this.wanted = Math.max(from, 0);
  }

  @Override
  public boolean next() {
    wanted = Math.max(wanted, log.firstOffset());
    if (wanted >= log.safeOffset()) {
      release();
      return false;
    }
    inMemory = log.inMemory(wanted);
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

  private boolean readNext() throws IOException {
    StreamSegment segment = log.segmentOf(wanted);
    while (segment != null && wanted < log.safeOffset()) {
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

  /** Goes on in a segment, to the wanted message or the first one behind it. */
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
      open = new SegmentSearch(log.files.directory(), segment, reader);
    } finally {
      if (open == null) {
        log.giveBack(reader);
      }
    }
  }

  @Override
  public long offset() {
    return offset;
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
