package io.mayflymq.it.cluster.quorum;

import io.mayflymq.it.harness.OwnBroker;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/** The setup of tests of quorum queues: three nodes for all tests of a class. */
@OwnBroker
@TestInstance(Lifecycle.PER_CLASS)
abstract class QuorumFixture {
  /** Of this class alone: other classes run at the same time. */
  QuorumNodes nodes;

  /** A name that no other test uses. */
  String queue;

  @BeforeAll
  void start(@TempDir Path directory) {
    nodes = QuorumNodes.start(directory, processes());
  }

  /** Returns the nodes that are processes all the time, as many tests kill them. */
  int[] processes() {
    return new int[0];
  }

  @AfterAll
  void end() {
    if (nodes != null) {
      nodes.close();
    }
  }

  @BeforeEach
  void name(TestInfo test) {
    queue = test.getTestMethod().orElseThrow().getName();
  }

  @AfterEach
  void heal() {
    nodes.heal();
  }
}
