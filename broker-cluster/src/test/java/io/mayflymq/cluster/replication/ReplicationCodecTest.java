package io.mayflymq.cluster.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.cluster.replication.ReplicationMessage.Append;
import io.mayflymq.cluster.replication.ReplicationMessage.Copy;
import io.mayflymq.cluster.replication.ReplicationMessage.Follow;
import io.mayflymq.cluster.replication.ReplicationMessage.Forced;
import io.mayflymq.cluster.replication.ReplicationMessage.Lead;
import io.mayflymq.cluster.replication.ReplicationMessage.Position;
import io.mayflymq.cluster.replication.ReplicationMessage.Refused;
import io.mayflymq.cluster.replication.ReplicationMessage.Released;
import io.mayflymq.cluster.replication.ReplicationMessage.TakeOver;
import io.mayflymq.cluster.replication.ReplicationMessage.TakenOver;
import io.mayflymq.cluster.replication.ReplicationMessage.ToFollower;
import io.mayflymq.cluster.replication.ReplicationMessage.ToLeader;
import io.mayflymq.core.codec.ByteFormatException;
import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.codec.ByteWriter;
import io.mayflymq.core.store.BurstId;
import io.mayflymq.core.store.EpochHistory;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Every message arrives as it was. */
class ReplicationCodecTest {
  private static final BurstId LAST = new BurstId(1L << 33, 1L << 40);
  private static final EpochHistory HISTORY =
      EpochHistory.NONE.with(new BurstId(2, 1)).with(new BurstId(9, 300));

  private static final List<ToFollower> TO_FOLLOWER =
      List.of(
          new Lead(1),
          new Follow(2, 1L << 40),
          new Append(3, List.of(), 17, -5, 0),
          new Append(
              4,
              List.of(
                  new Burst(new BurstId(3, 200), ByteBuffer.allocate(0)),
                  new Burst(new BurstId(4, 201), ByteBuffer.wrap(new byte[] {1, 2, 3})),
                  new Burst(new BurstId(4, 202), ByteBuffer.allocateDirect(300))),
              199,
              1L << 50,
              1_800_000_000_000L),
          new TakeOver(5),
          new Released(5),
          new Copy(6, ByteBuffer.wrap(new byte[] {7, 8})),
          new TakenOver(7, LAST, HISTORY));

  private static final List<ToLeader> TO_LEADER =
      List.of(
          new Position(1, BurstId.NONE, EpochHistory.NONE),
          new Position(2, LAST, HISTORY),
          new Forced(3, 12, PartitionFollower.NEVER),
          new Forced(4, 1L << 40, 1L << 50),
          new Refused(5, 1L << 33));

  private static byte[] written(ReplicationMessage message) {
    ByteWriter out = new ByteWriter();
    int type = ReplicationCodec.write(message, out);
    byte[] frame = new byte[out.size() + 1];
    frame[0] = (byte) type;
    System.arraycopy(out.bytes(), 0, frame, 1, out.size());
    return frame;
  }

  private static ByteReader reader(byte[] frame, int length) {
    return new ByteReader(ByteBuffer.wrap(frame, 1, length - 1));
  }

  @Test
  void messagesArriveAsTheyWere() {
    for (ToFollower message : TO_FOLLOWER) {
      byte[] frame = written(message);
      ByteReader in = reader(frame, frame.length);
      assertThat(ReplicationCodec.readFromLeader(frame[0], in)).isEqualTo(message);
      assertThat(in.remaining()).isZero();
    }
    for (ToLeader message : TO_LEADER) {
      byte[] frame = written(message);
      ByteReader in = reader(frame, frame.length);
      assertThat(ReplicationCodec.readFromFollower(frame[0], in)).isEqualTo(message);
      assertThat(in.remaining()).isZero();
    }
  }

  @Test
  void contentIsNotChangedByBeingSent() {
    ByteBuffer content = ByteBuffer.wrap(new byte[] {1, 2, 3});
    written(new Append(1, List.of(new Burst(new BurstId(1, 1), content)), 0, 0, 0));
    assertThat(content.remaining()).isEqualTo(3);
  }

  @Test
  void messagesThatAreCutAreRefused() {
    for (ToFollower message : TO_FOLLOWER) {
      byte[] frame = written(message);
      int needed = message instanceof Append append ? lengthWithoutTime(append) : frame.length;
      for (int length = 1; length < needed; length++) {
        ByteReader cut = reader(frame, length);
        assertThatThrownBy(() -> ReplicationCodec.readFromLeader(frame[0], cut))
            .isInstanceOf(ByteFormatException.class);
      }
    }
  }

  private static int lengthWithoutTime(Append append) {
    return written(append).length - new ByteWriter().number(append.timeMillis()).size();
  }

  @Test
  void earlierBuildsSendNoTime() {
    byte[] frame = written(new Append(3, List.of(), 17, -5, 99));
    Append read =
        (Append) ReplicationCodec.readFromLeader(frame[0], reader(frame, frame.length - 1));
    assertThat(read).isEqualTo(new Append(3, List.of(), 17, -5, 0));
  }

  @Test
  void leasesArriveBehindWhatEarlierBuildsRead() {
    LeaseNotes leases =
        new LeaseNotes(
            true,
            List.of(
                new LeaseNote(7, -500),
                new LeaseNote(1L << 40, LeaseNote.IN_USE),
                new LeaseNote(8, LeaseNote.GONE)));
    Append message = new Append(3, List.of(), 17, -5, 99, leases);
    byte[] frame = written(message);
    assertThat(ReplicationCodec.readFromLeader(frame[0], reader(frame, frame.length)))
        .isEqualTo(message);
    byte[] earlier = written(new Append(3, List.of(), 17, -5, 99));
    assertThat(frame).startsWith(earlier);
  }

  @Test
  void whatCannotBeIsRefused() {
    ByteReader unknown = reader(new byte[] {99, 1}, 2);
    assertThatThrownBy(() -> ReplicationCodec.readFromFollower(99, unknown))
        .isInstanceOf(ByteFormatException.class)
        .hasMessage("a frame of the unknown type 99");
    byte[] position = written(new Position(1, LAST, HISTORY));
    position[position.length - 3] = 1;
    ByteReader disordered = reader(position, position.length);
    assertThatThrownBy(() -> ReplicationCodec.readFromFollower(position[0], disordered))
        .isInstanceOf(ByteFormatException.class)
        .hasMessageStartingWith("epochs are not in order");
    ByteWriter nameless = new ByteWriter();
    nameless.number(1).number(0).number(5).number(0);
    ByteReader in = new ByteReader(nameless.bytes(), nameless.size());
    assertThatThrownBy(() -> ReplicationCodec.readFromFollower(64, in))
        .isInstanceOf(ByteFormatException.class)
        .hasMessage("there is no burst 5 of epoch 0");
  }
}
