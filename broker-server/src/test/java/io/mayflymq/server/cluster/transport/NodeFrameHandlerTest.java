package io.mayflymq.server.cluster.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class NodeFrameHandlerTest {
  private static final TransportTimes TIMES =
      new TransportTimes(5_000, 10_000, 60_000, 6_000, 100, 2_000);

  private final List<String> closed = new ArrayList<>();
  private final NodeFrameHandler handler = new Recording();
  private final EmbeddedChannel channel =
      new EmbeddedChannel(new ConnectionSetup(TIMES, null, false).idleHandler());

  private final class Recording extends NodeFrameHandler {
    Recording() {
      super(TIMES);
    }

    @Override
    protected void frame(int type, ByteBuf body) {}

    @Override
    protected void closed(String why) {
      closed.add(why);
    }
  }

  @BeforeEach
  void add() {
    channel.pipeline().addLast(handler);
  }

  private void advance(int seconds) {
    channel.advanceTimeBy(seconds, TimeUnit.SECONDS);
    channel.runScheduledPendingTasks();
    channel.runPendingTasks();
  }

  private void hear() {
    channel.writeInbound(Unpooled.buffer().writeByte(NodeFrameType.HEARTBEAT));
  }

  @Test
  void nodeThatSaysNothingIsLost() {
    channel.freezeTime();
    hear();
    advance(3);
    advance(2);
    assertThat(closed).isEmpty();
    advance(1);
    assertThat(closed).containsExactly("nothing was heard for 6000 ms");
  }

  @Test
  void connectionIsClosedByAnotherThread() {
    handler.closeSoon("the node leaves");
    channel.runPendingTasks();
    assertThat(closed).containsExactly("the node leaves");
  }

  @Test
  void connectionThatIsNotSetUpYetIsClosedThen() {
    EmbeddedChannel later = new EmbeddedChannel();
    NodeFrameHandler early = new Recording();
    early.closeSoon("the node leaves");
    later.pipeline().addLast(early);
    later.runPendingTasks();
    assertThat(closed).containsExactly("the node leaves");
  }

  @Test
  void whatHasArrivedWhileTheLoopStoodStillIsReadFirst() {
    channel.freezeTime();
    hear();
    advance(60);
    assertThat(closed).isEmpty();
    hear();
    advance(5);
    assertThat(closed).isEmpty();
    advance(3);
    assertThat(closed).containsExactly("nothing was heard for 6000 ms");
  }
}
