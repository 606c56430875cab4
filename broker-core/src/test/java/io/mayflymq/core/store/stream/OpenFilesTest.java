package io.mayflymq.core.store.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.message.NumberedMessage;
import io.mayflymq.core.store.QueueName;
import io.mayflymq.core.store.StreamCursor;
import io.mayflymq.core.store.StreamStore;
import io.mayflymq.core.store.segment.LogDirectory;
import io.mayflymq.core.store.segment.LogFailedException;
import io.mayflymq.core.store.segment.LogFile;
import io.mayflymq.core.store.segment.LogIdentity;
import io.mayflymq.core.store.segment.LogListener;
import io.mayflymq.core.store.segment.LogOptions.Sync;
import io.mayflymq.core.store.segment.ManualExecutor;
import io.mayflymq.core.store.segment.MemoryDirectory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Streams keep few files open, however many they are, and go on when files can be opened again. */
class OpenFilesTest {
  private static final int STREAMS = 5 * StreamFlusher.MOST_OPEN / 2;

  /** An open segment has two files, and so has the one that is read. */
  private static final int MOST_FILES = 2 * StreamFlusher.MOST_OPEN + 2;

  private final Map<Long, Directory> disks = new HashMap<>();
  private final ManualExecutor flusher = new ManualExecutor();
  private final List<String> troubles = new ArrayList<>();
  private final List<StreamStore> streams = new ArrayList<>();
  private StreamLogs logs = logs();
  private int open;
  private int mostOpen;
  private int limit = Integer.MAX_VALUE;

  private StreamLogs logs() {
    return new StreamLogs(
        new StreamDisk(new Disks(), flusher, new Troubles(), Sync.ALWAYS), Runnable::run, () -> {});
  }

  private void open(int count) throws IOException {
    streams.clear();
    for (int i = 0; i < count; i++) {
      StreamStore stream = logs.open(i, new QueueName("/", "s" + i));
      stream.attach(() -> {});
      streams.add(stream);
    }
    logs.recover();
  }

  private void appendToAll() {
    streams.forEach(stream -> stream.append(NumberedMessage.of(0, true, Message.NO_TTL, 100), 0));
    logs.flush(null);
    flusher.runAll();
  }

  private void assertMessages(long each) {
    for (StreamStore stream : streams) {
      assertThat(stream.safeOffset()).isEqualTo(each);
      StreamCursor cursor = stream.read(0);
      for (int i = 0; i < each; i++) {
        assertThat(cursor.next()).isTrue();
        assertThat(cursor.offset()).isEqualTo(i);
      }
      assertThat(cursor.next()).isFalse();
      cursor.close();
    }
  }

  @Test
  void filesOfStreamsThatAreNotWrittenToAreClosed() throws IOException {
    open(STREAMS);
    mostOpen = 0;
    for (int i = 1; i <= 3; i++) {
      appendToAll();
      assertMessages(i);
    }
    assertThat(mostOpen).isLessThanOrEqualTo(MOST_FILES);
    logs.note();
    flusher.runAll();
    logs.close();
    flusher.runAll();
    assertThat(open).isZero();
    assertThat(troubles).isEmpty();

    logs = logs();
    open(STREAMS);
    assertMessages(3);
  }

  @Test
  void streamThatWasWrittenToLatelyStaysOpen() throws IOException {
    open(StreamFlusher.MOST_OPEN / 2);
    appendToAll();
    int before = open;
    assertThat(before).isEqualTo(StreamFlusher.MOST_OPEN);
    mostOpen = 0;
    appendToAll();
    assertThat(mostOpen).as("no file was opened").isZero();
  }

  @Test
  void streamsGoOnWhenThereAreNotTooManyOpenFilesAnyMore() throws IOException {
    open(10);
    appendToAll();
    // A new segment has two files, and then its directory is opened to be forced.
    for (int more = 0; more < 3; more++) {
      StreamStore late = logs.open(100 + more, new QueueName("/", "late" + more));
      late.attach(() -> {});
      late.append(NumberedMessage.of(0, true, Message.NO_TTL, 100), 0);
      limit = open + more;
      logs.flush(null);
      flusher.runAll();
      assertThat(late.safeOffset()).isZero();
      limit = Integer.MAX_VALUE;
      logs.retry();
      flusher.runAll();
      assertThat(late.safeOffset()).isOne();
    }
    assertThat(troubles).isNotEmpty().doesNotContain("failed");
    appendToAll();
    assertMessages(2);
  }

  private final class Disks implements StreamDirectories {
    @Override
    public LogDirectory open(long streamId) {
      return disks.computeIfAbsent(streamId, id -> new Directory(new MemoryDirectory()));
    }

    @Override
    public LogIdentity identity(long streamId) {
      return new LogIdentity(new UUID(1, 2), "stream-" + streamId);
    }

    @Override
    public void keep(long streamId, long logId) {}

    @Override
    public long metadataSequence() {
      return 7;
    }

    @Override
    public void delete(long streamId) {
      throw new AssertionError("no test deletes a stream");
    }
  }

  private void opened() throws IOException {
    if (open >= limit) {
      throw new FileSystemException("Too many open files");
    }
    open++;
    mostOpen = Math.max(mostOpen, open);
  }

  private final class Directory implements LogDirectory {
    private final LogDirectory directory;

    Directory(LogDirectory directory) {
      this.directory = directory;
    }

    @Override
    public List<String> list() throws IOException {
      return directory.list();
    }

    @Override
    public LogFile create(String name) throws IOException {
      opened();
      return new Opened(directory.create(name));
    }

    @Override
    public LogFile open(String name, boolean writable) throws IOException {
      opened();
      return new Opened(directory.open(name, writable));
    }

    @Override
    public void rename(String from, String to) throws IOException {
      directory.rename(from, to);
    }

    @Override
    public void delete(String name) throws IOException {
      directory.delete(name);
    }

    /** A directory is opened to be forced. */
    @Override
    public void force() throws IOException {
      opened();
      open--;
      directory.force();
    }
  }

  private final class Opened implements LogFile {
    private final LogFile file;
    private boolean closed;

    Opened(LogFile file) {
      this.file = file;
    }

    @Override
    public void write(ByteBuffer source, long position) throws IOException {
      assertThat(closed).isFalse();
      file.write(source, position);
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
      assertThat(closed).isFalse();
      return file.read(target, position);
    }

    @Override
    public long size() throws IOException {
      return file.size();
    }

    @Override
    public void truncate(long size) throws IOException {
      file.truncate(size);
    }

    @Override
    public void force() throws IOException {
      assertThat(closed).isFalse();
      file.force();
    }

    @Override
    public void close() {
      assertThat(closed).isFalse();
      closed = true;
      open--;
    }
  }

  private final class Troubles implements LogListener {
    @Override
    public void blocked(IOException cause) {
      troubles.add("blocked");
    }

    @Override
    public void unblocked(String why) {
      troubles.add("unblocked");
    }

    @Override
    public void failed(LogFailedException cause) {
      troubles.add("failed");
    }
  }
}
