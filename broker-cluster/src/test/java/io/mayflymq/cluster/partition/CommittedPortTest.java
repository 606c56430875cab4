package io.mayflymq.cluster.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.cluster.link.LinkPort;
import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.codec.ByteWriter;
import io.mayflymq.core.store.Commit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What waits before it is told, and for what. */
class CommittedPortTest implements LinkPort {
  private final ArrayDeque<Commit> commits = new ArrayDeque<>();
  private final List<String> told = new ArrayList<>();
  private final ByteWriter body = new ByteWriter();
  private boolean mayTell = true;
  private String closed;
  private final CommittedPort port = new CommittedPort(this, commits::add, () -> mayTell);

  @Override
  public int version() {
    return 2;
  }

  @Override
  public void send(int type, ByteWriter frame) {
    told.add(type + " " + new ByteReader(frame.bytes(), frame.size()).text());
  }

  @Override
  public boolean isWritable() {
    return true;
  }

  @Override
  public void close(String why) {
    closed = why;
  }

  private void tell(int type, String text) {
    port.send(type, body.clear().text(text));
  }

  @Test
  void frameWaitsForWhatWasWrittenBefore() {
    tell(1, "a");
    tell(2, "b");
    assertThat(told).isEmpty();
    commits.poll().safe();
    assertThat(told).containsExactly("1 a");
    commits.poll().safe();
    assertThat(told).containsExactly("1 a", "2 b");
  }

  @Test
  void nothingIsToldWhileThisNodeMayNotDeliver() {
    mayTell = false;
    tell(1, "a");
    commits.poll().safe();
    port.release();
    assertThat(told).isEmpty();
    tell(2, "b");
    mayTell = true;
    commits.poll().safe();
    assertThat(told).containsExactly("1 a", "2 b");
  }

  @Test
  void whatIsNotCommittedIsNeverTold() {
    mayTell = false;
    tell(1, "a");
    tell(2, "b");
    commits.poll().safe();
    commits.poll().failed();
    mayTell = true;
    port.release();
    tell(3, "c");
    assertThat(told).isEmpty();
    assertThat(commits).isEmpty();
  }

  @Test
  void nothingIsToldOverAClosedConnection() {
    tell(1, "a");
    port.close("gone");
    commits.poll().safe();
    assertThat(told).isEmpty();
    assertThat(closed).isEqualTo("gone");
  }
}
