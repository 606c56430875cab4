package io.mayflymq.server.cluster.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.server.cluster.transport.FrameException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;

class PartialBodyTest {
  private final BodyMemory memory = BodyMemory.ofHeap(400);
  private final PartialBody body = new PartialBody(memory);

  private static ByteBuf part(int... bytes) {
    ByteBuf part = Unpooled.buffer();
    for (int each : bytes) {
      part.writeByte(each);
    }
    return part;
  }

  private static ByteBuf zeros(int count) {
    return Unpooled.wrappedBuffer(new byte[count]);
  }

  @Test
  void partsBecomeTheWhole() throws Exception {
    assertThat(body.isEmpty()).isTrue();
    body.add(part(1, 2));
    body.add(part());
    body.add(part(3));
    assertThat(body.isEmpty()).isFalse();
    assertThat(body.whole().rest()).containsExactly(1, 2, 3);
    assertThat(memory.used()).isEqualTo(3);
    body.clear();
    assertThat(memory.used()).isZero();
    assertThat(body.isEmpty()).isTrue();
    body.add(part(4));
    assertThat(body.whole().rest()).containsExactly(4);
  }

  @Test
  void bodyTakesAQuarterOfTheHeapAtMost() throws Exception {
    body.add(zeros(100));
    assertThatThrownBy(() -> body.add(zeros(1)))
        .isInstanceOf(FrameException.class)
        .hasMessage(
            "a body of 101 bytes or more in several frames; this node takes at most 100, by the"
                + " size of its heap");
    assertThat(memory.used()).isEqualTo(100);
    body.clear();
    body.add(zeros(100));
  }

  @Test
  void bodiesOfAllConnectionsShareIt() throws Exception {
    PartialBody other = new PartialBody(memory);
    body.add(zeros(60));
    assertThatThrownBy(() -> other.add(zeros(41)))
        .isInstanceOf(FrameException.class)
        .hasMessage(
            "a body of 41 bytes or more in several frames, while others take 60; this node takes at"
                + " most 100 of all connections, by the size of its heap");
    other.add(zeros(40));
    body.clear();
    other.add(zeros(60));
    assertThat(memory.used()).isEqualTo(100);
  }

  @Test
  void largestBodyIsBoundedWhateverTheHeap() throws Exception {
    BodyMemory large = BodyMemory.ofHeap(1L << 40);
    large.take(1, 640L * 1024 * 1024 - 1);
    assertThatThrownBy(() -> large.take(1, 640L * 1024 * 1024)).isInstanceOf(FrameException.class);
  }
}
