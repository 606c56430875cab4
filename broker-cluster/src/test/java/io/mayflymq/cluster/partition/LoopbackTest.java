package io.mayflymq.cluster.partition;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.cluster.link.LinkListener;
import io.mayflymq.cluster.link.LinkPort;
import io.mayflymq.core.codec.ByteFormatException;
import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.codec.ByteWriter;
import io.mayflymq.core.runtime.Faults;
import io.mayflymq.core.runtime.ManualClock;
import io.mayflymq.core.runtime.ManualLoop;
import io.mayflymq.core.runtime.Shard;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A connection without a socket behaves as one with a socket. */
class LoopbackTest {
  private final ManualClock clock = new ManualClock();
  private final ManualLoop loop = new ManualLoop(clock);
  private final Shard shard = new Shard(0, loop, clock, Faults.logged());
  private final List<String> events = new ArrayList<>();
  private final Side near = new Side("near");
  private final Side far = new Side("far");

  /** Null while this node does not lead. */
  private LinkListener queues = far;

  private final OwnConnection own = new OwnConnection(shard, near, () -> queues);

  private final class Side implements LinkListener {
    private final String name;
    private LinkPort port;

    Side(String name) {
      this.name = name;
    }

    @Override
    public void up(LinkPort opened) {
      port = opened;
      events.add(name + " up");
    }

    @Override
    public void frame(int type, ByteReader body) {
      String text = body.text();
      events.add(name + " " + type + " " + text);
      if (text.isEmpty()) {
        throw new ByteFormatException("no text");
      }
    }

    @Override
    public void writable() {}

    @Override
    public void lost(String why) {
      events.add(name + " lost: " + why);
    }
  }

  private void run(Runnable task) {
    loop.call(() -> shard.run(task));
  }

  private void settle() {
    while (loop.step()) {
      // Each task may bring others.
    }
  }

  private void pass(long millis) {
    clock.advance(millis);
    settle();
  }

  private void open() {
    run(own::openSoon);
    assertThat(events).isEmpty();
    settle();
    assertThat(events).containsExactly("far up", "near up");
    events.clear();
  }

  @Test
  void framesArriveAtTheOtherSide() {
    open();
    run(() -> near.port.send(7, new ByteWriter().text("a")));
    run(() -> far.port.send(8, new ByteWriter().text("b")));
    assertThat(events).containsExactly("far 7 a", "near 8 b");
  }

  @Test
  void bothSidesAreToldOfTheEndAndItOpensAgain() {
    open();
    run(() -> far.port.close("no more"));
    assertThat(events).isEmpty();
    run(() -> near.port.send(7, new ByteWriter().text("a")));
    settle();
    assertThat(events).containsExactly("far lost: no more", "near lost: no more");
    pass(10);
    assertThat(events).endsWith("far up", "near up");
  }

  @Test
  void sideThatCannotReadAFrameEndsTheConnection() {
    open();
    run(() -> near.port.send(7, new ByteWriter().text("")));
    settle();
    pass(10);
    assertThat(events)
        .startsWith("far 7 ", "far lost: the frame could not be processed")
        .endsWith("far up", "near up");
  }

  @Test
  void opensWhenThisNodeLeads() {
    queues = null;
    run(own::openSoon);
    settle();
    assertThat(events).isEmpty();
    queues = far;
    open();
  }

  @Test
  void doesNotOpenAfterItsEnd() {
    open();
    run(own::end);
    settle();
    assertThat(events)
        .containsExactly("far lost: the leader has changed", "near lost: the leader has changed");
    run(own::openSoon);
    pass(10);
    assertThat(events).hasSize(2);
  }
}
