package io.mayflymq.core.store.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.LoggedFaults;
import io.mayflymq.core.store.segment.FileGate;
import io.mayflymq.core.store.segment.SegmentLog;
import io.mayflymq.core.store.stream.StreamDisk;
import java.nio.file.Path;
import java.util.concurrent.ThreadPoolExecutor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What writes streams expects one thread, and a log of messages uses two. */
class FlusherThreadsTest {
  @TempDir Path directory;

  private int threads(int wanted) throws Exception {
    StorageEnvironment host =
        new LocalStorageEnvironment(
            directory, new BrokerThreads(new LoggedFaults((what, cause) -> {})), new FileGate());
    ThreadPoolExecutor pool = (ThreadPoolExecutor) host.flusher("a name", wanted);
    pool.shutdown();
    return pool.getMaximumPoolSize();
  }

  @Test
  void poolsHaveAsManyThreadsAsAskedFor() throws Exception {
    assertThat(threads(StreamDisk.THREADS)).isEqualTo(1);
    assertThat(threads(SegmentLog.THREADS)).isEqualTo(2);
  }
}
