package io.mayflymq.server.cluster.consensus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.server.cluster.consensus.ConsensusSettings.StartMode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
class DamagedLogTest {
  @TempDir Path directory;

  private TestCluster started() throws Exception {
    TestCluster cluster = new TestCluster(directory, new SimulatedNetwork(1)).start(1);
    TestCluster.Node node = cluster.leader();
    for (int i = 0; i < 50; i++) {
      cluster.propose(node, "entry " + i);
    }
    return cluster;
  }

  private Path file(String start) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files
          .filter(file -> file.getFileName().toString().startsWith(start))
          .findFirst()
          .orElseThrow();
    }
  }

  @Test
  void entriesThatTheStateContainsMayBeMissingInTheLog() throws Exception {
    try (TestCluster cluster = started()) {
      Member member = cluster.stop("a@test");
      Path log = file("log_inprogress");
      // In the middle of an entry.
      try (FileChannel channel = FileChannel.open(log, StandardOpenOption.WRITE)) {
        channel.truncate(channel.size() - 100);
      }
      cluster.start(member, StartMode.RESTART);
      cluster.propose(cluster.leader(), "after");

      assertThat(cluster.agreed(51)).hasSize(51).doesNotHaveDuplicates().contains("after");
      cluster.restart("a@test");
      cluster.propose(cluster.leader(), "last");
      assertThat(cluster.agreed(52)).hasSize(52).doesNotHaveDuplicates();
      assertThat(cluster.fatal()).isEmpty();
    }
  }

  @Test
  void aChangedEntryIsReportedInOneLine() throws Exception {
    try (TestCluster cluster = started()) {
      Member member = cluster.stop("a@test");
      try (FileChannel channel =
          FileChannel.open(file("log_inprogress"), StandardOpenOption.WRITE)) {
        channel.write(ByteBuffer.wrap(new byte[] {77, 78, 79}), channel.size() / 2);
      }

      assertThatThrownBy(() -> cluster.start(member, StartMode.RESTART))
          .isInstanceOf(ConsensusException.class)
          .hasMessageMatching("the log of the cluster in [^\n]* cannot be opened: [^\n]*");
    }
  }

  @Test
  void aLogIsUsedByOneProcessAtATime() throws Exception {
    try (TestCluster cluster = started()) {
      Member member = cluster.leader().member();

      assertThatThrownBy(() -> cluster.start(member, StartMode.RESTART))
          .isInstanceOf(ConsensusException.class)
          .hasMessageContaining("already locked");
      cluster.propose(cluster.leader(), "after");
    }
  }
}
