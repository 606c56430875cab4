package io.mayflymq.cluster.owner;

import static io.mayflymq.cluster.owner.BatchFrames.batch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.cluster.link.ErrorCodec;
import io.mayflymq.cluster.link.LinkFrame;
import io.mayflymq.cluster.link.RequestKind;
import io.mayflymq.cluster.owner.BatchFrames.Publish;
import io.mayflymq.cluster.owner.LeaderRig.Frame;
import io.mayflymq.core.codec.ByteFormatException;
import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.codec.ByteWriter;
import io.mayflymq.core.runtime.ManualLoops;
import io.mayflymq.core.runtime.Shards;
import io.mayflymq.core.store.BatchOrigin;
import io.mayflymq.core.store.InMemoryStore;
import io.mayflymq.core.store.LinkBatches;
import io.mayflymq.core.vhost.partition.Partitions;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** A batch that a node sends to a replicated partition is applied once, as a whole. */
class AppliedOnceTest {
  private static final int NODE = 4;
  private static final UUID LINK = new UUID(7, -8);

  private LeaderRig leader = new LeaderRig();
  private final List<Frame> sent = new ArrayList<>();
  private OwnerLink link = connect(LINK);

  private OwnerLink connect(UUID id) {
    sent.clear();
    OwnerLink opened = leader.open(sent, () -> {});
    send(opened, BatchFrames.origin(id, NODE));
    for (int queue = 1; queue <= 4; queue++) {
      send(opened, BatchFrames.queue(queue));
    }
    return opened;
  }

  private void send(OwnerLink to, Frame frame) {
    leader.run(() -> to.frame(frame.type(), frame.read()));
  }

  private void send(Frame frame) {
    send(link, frame);
  }

  private static List<Publish> publishes(int first, int last) {
    List<Publish> all = new ArrayList<>();
    for (int i = first; i <= last; i++) {
      all.add(new Publish(i, 1, true));
    }
    return all;
  }

  /** The last leader is lost with what was not committed, and another one is connected to. */
  private void nextLeader() {
    leader = new LeaderRig(leader.log.directory.afterKill(), leader.log.log.bursts().committed());
    link = connect(LINK);
  }

  private List<String> answers() {
    leader.commit();
    List<String> answers = new ArrayList<>();
    for (Frame frame : sent) {
      ByteReader in = frame.read();
      answers.add(
          switch (frame.type()) {
            case LinkFrame.RETURNED ->
                "%d returned, refused %s, failed %s".formatted(in.number(), list(in), list(in));
            case LinkFrame.ARRIVED -> in.number() + " arrived";
            default -> "frame " + frame.type();
          });
    }
    sent.clear();
    return answers;
  }

  private static List<Long> list(ByteReader in) {
    List<Long> numbers = new ArrayList<>();
    for (long left = in.number(); left > 0; left--) {
      numbers.add(in.number());
    }
    numbers.sort(null);
    return numbers;
  }

  @Test
  void batchThatIsSentAgainIsAnsweredOnly() {
    send(batch(1, true, publishes(1, 3)));
    assertThat(answers())
        .containsExactlyInAnyOrder("1 returned, refused [], failed []", "1 arrived");
    send(batch(1, true, publishes(1, 3)));
    send(batch(2, false, publishes(4, 4)));
    assertThat(answers())
        .containsExactly(
            "1 returned, refused [], failed []", "1 arrived", "2 returned, refused [], failed []");
    nextLeader();
    send(batch(1, true, publishes(1, 3)));
    send(batch(2, false, publishes(4, 4)));
    send(batch(3, false, publishes(5, 5)));
    assertThat(answers())
        .containsExactly(
            "1 returned, refused [], failed []",
            "1 arrived",
            "2 returned, refused [], failed []",
            "3 returned, refused [], failed []");
    assertThat(leader.messages()).containsExactly(1, 2, 3, 4, 5);
  }

  @Test
  void batchThatIsUndoneWithItsLeaderIsAppliedByTheNextOne() {
    send(batch(1, false, publishes(1, 3)));
    answers();
    send(batch(2, false, publishes(4, 6)));
    assertThat(sent).as("not committed").isEmpty();
    nextLeader();
    assertThat(leader.messages()).containsExactly(1, 2, 3);
    send(batch(2, false, publishes(4, 6)));
    assertThat(answers()).containsExactly("2 returned, refused [], failed []");
    assertThat(leader.messages()).containsExactly(1, 2, 3, 4, 5, 6);
  }

  @Test
  void outcomeIsKept() {
    int[] turn = {0};
    leader.refusing(() -> ++turn[0] % 2 == 0);
    List<Publish> mixed = new ArrayList<>(publishes(1, 4));
    mixed.add(new Publish(5, 4, true));
    mixed.add(new Publish(-6, 1, true));
    mixed.add(new Publish(7, 1, false));
    mixed.add(new Publish(8, 1, false));
    mixed.add(new Publish(9, 4, false));
    String outcome = "1 returned, refused [1, 3], failed [4, 5, 8]";
    send(batch(1, false, mixed));
    assertThat(leader.faults.take()).hasSize(1);
    assertThat(answers()).containsExactly(outcome);
    nextLeader();
    send(batch(1, false, mixed));
    assertThat(answers()).containsExactly(outcome);
    assertThat(leader.messages()).containsExactly(1, 3, 7);
  }

  @Test
  void batchThatHasBrokenOffIsNotAppliedAgain() {
    leader.breakingOff(() -> true);
    send(batch(1, false, publishes(1, 3)));
    assertThat(leader.faults.take()).hasSize(1);
    assertThat(answers()).containsExactly("1 returned, refused [], failed [0, 1, 2]");
    nextLeader();
    send(batch(1, false, publishes(1, 3)));
    assertThat(answers()).containsExactly("1 returned, refused [], failed [0, 1, 2]");
    assertThat(leader.messages()).containsExactly(1, 2, 3);
  }

  @Test
  void outcomeIsToldLaterWhileTheDiskIsBehind() {
    leader.behind(() -> true);
    send(batch(1, false, publishes(1, 1)));
    assertThat(answers()).as("the batch comes back").isEmpty();
    assertThat(answers()).containsExactly("1 returned, refused [], failed []");
    send(batch(2, false, publishes(2, 2)));
    nextLeader();
    send(batch(2, false, publishes(2, 2)));
    assertThat(answers()).containsExactly("2 returned, refused [], failed []");
    assertThat(leader.messages()).containsExactly(1, 2);
  }

  @Test
  void commandsOfABatchWhoseOutcomeIsNotKnownAnyMoreHaveNotSucceeded() {
    LinkBatches batches = leader.log.batches.of(new BatchOrigin(NODE, LINK));
    for (int i = 1; i <= 300; i++) {
      batches.applied(i, new byte[] {1, 1, 0});
    }
    send(batch(44, false, publishes(1, 3)));
    send(batch(45, false, publishes(1, 3)));
    assertThat(answers())
        .containsExactly(
            "44 returned, refused [], failed [0, 1, 2]", "45 returned, refused [1], failed []");
    assertThat(leader.messages()).isEmpty();
  }

  @Test
  void batchIsAppliedAsAWholeOnceAllItsQueuesTakeCommands() {
    List<Publish> both = List.of(new Publish(1, 1, true), new Publish(2, 2, true));
    leader.queue(2).gate().close();
    send(batch(1, false, both));
    send(batch(2, false, publishes(3, 3)));
    leader.advance(60_000);
    assertThat(answers()).isEmpty();
    assertThat(leader.messages()).isEmpty();
    assertThat(leader.log.batches.of(new BatchOrigin(NODE, LINK)).isApplied(1)).isFalse();
    leader.run(() -> leader.queue(2).gate().open());
    leader.advance(5);
    assertThat(answers())
        .containsExactly("1 returned, refused [], failed []", "2 returned, refused [], failed []");
    assertThat(leader.messages()).containsExactly(1, 3, 2);
  }

  @Test
  void batchThatWaitsIsDroppedWithItsConnection() {
    fetch();
    leader.queue(2).gate().close();
    send(batch(1, 1, 7, List.of(new Publish(2, 2, true))));
    leader.run(() -> link.lost("cut"));
    leader.run(() -> leader.queue(2).gate().open());
    leader.advance(100);
    assertThat(leader.events).containsExactly("requeue 7 to 7 of queue 1");
    assertThat(leader.messages()).isEmpty();
    link = connect(LINK);
    send(batch(1, 1, 7, List.of(new Publish(2, 2, true))));
    assertThat(answers()).containsExactly("1 returned, refused [], failed []");
    assertThat(leader.events).hasSize(1);
    assertThat(leader.messages()).containsExactly(2);
  }

  @Test
  void batchThatCannotBeReadFailsTheThirdTime() {
    fetch();
    Frame unreadable = BatchFrames.unreadable(1, true, 1, 7);
    closesTheConnection(unreadable);
    assertThat(leader.events).containsExactly("requeue 7 to 7 of queue 1");
    link = connect(LINK);
    closesTheConnection(unreadable);
    link = connect(LINK);
    send(unreadable);
    send(batch(2, false, publishes(1, 2)));
    assertThat(answers())
        .containsExactlyInAnyOrder(
            "1 returned, refused [], failed [0, 1, 2]",
            "1 arrived",
            "2 returned, refused [], failed []");
    nextLeader();
    send(unreadable);
    assertThat(answers())
        .as("the next leader knows it")
        .containsExactly("1 returned, refused [], failed [0, 1, 2]", "1 arrived");
    assertThat(leader.messages()).containsExactly(1, 2);
  }

  @Test
  void batchThatCanBeReadTheNextTimeIsApplied() {
    closesTheConnection(BatchFrames.unreadable(1, false, 1, 7));
    link = connect(LINK);
    send(batch(1, false, publishes(1, 1)));
    Frame next = BatchFrames.unreadable(2, false, 1, 7);
    closesTheConnection(next);
    link = connect(LINK);
    closesTheConnection(next);
    assertThat(leader.messages()).containsExactly(1);
  }

  private void closesTheConnection(Frame unreadable) {
    OwnerLink broken = link;
    leader.run(
        () -> {
          assertThatThrownBy(() -> broken.frame(unreadable.type(), unreadable.read()))
              .isInstanceOf(ByteFormatException.class)
              .hasMessage("unknown kind of command: 99");
          broken.lost("closed");
        });
  }

  @Test
  void requestThatCannotBeReadFails() {
    send(Frame.of(LinkFrame.REQUEST, new ByteWriter().number(1).octet(99).number(1)));
    assertThat(leader.faults.take()).hasSize(1);
    leader.commit();
    assertThat(sent).hasSize(1);
    assertThat(sent.get(0).type()).isEqualTo(LinkFrame.ERROR);
    ByteReader error = sent.get(0).read();
    assertThat(error.number()).isEqualTo(1);
    assertThat(ErrorCodec.read(error)).hasMessage("INTERNAL_ERROR - unknown kind of request: 99");
  }

  /** Takes message 7 of queue 1. */
  private void fetch() {
    leader.run(
        () ->
            link.frame(
                LinkFrame.REQUEST,
                request(new ByteWriter().number(1).octet(RequestKind.FETCH.code()).number(1))));
    answers();
  }

  private static ByteReader request(ByteWriter begun) {
    begun.bit(true).text("GET");
    return new ByteReader(begun.bytes(), begun.size());
  }

  @Test
  void batchThatWaitsIsNotAppliedOnceItHasComeByAnotherConnection() {
    leader.queue(2).gate().close();
    Frame batch = batch(1, false, List.of(new Publish(1, 1, true), new Publish(2, 2, true)));
    send(batch);
    OwnerLink old = link;
    link = connect(LINK);
    leader.run(() -> leader.queue(2).gate().open());
    send(batch);
    leader.advance(5);
    assertThat(leader.events).containsExactly("closed: node 4 has another connection");
    leader.run(() -> old.lost("closed"));
    assertThat(leader.messages()).containsExactly(1, 2);
  }

  @Test
  void linkOfAnEarlierProcessIsClosed() {
    send(batch(1, false, publishes(1, 1)));
    OwnerLink old = link;
    link = connect(new UUID(7, 9));
    send(batch(1, false, publishes(2, 2)));
    send(old, batch(2, false, publishes(3, 3)));
    assertThat(leader.events).containsExactly("closed: another link of node 4 has begun");
    connectAgainAsTheOldOne();
    assertThat(leader.events).hasSize(2);
    assertThat(leader.messages()).containsExactly(1, 2);
  }

  private void connectAgainAsTheOldOne() {
    send(connect(LINK), batch(2, false, publishes(3, 3)));
  }

  @Test
  void batchesOfAReplicatedPartitionComeBehindTheirOrigin() {
    OwnerLink bare = leader.open(sent, () -> {});
    Frame first = batch(1, false, publishes(1, 1));
    assertThatThrownBy(() -> send(bare, first))
        .isInstanceOf(ByteFormatException.class)
        .hasMessage("commands before their origin");
    assertThatThrownBy(() -> send(BatchFrames.origin(LINK, NODE)))
        .isInstanceOf(ByteFormatException.class)
        .hasMessage("unexpected origin of batches");
  }

  @Test
  void queuesOfANodeHaveNoOrigin() {
    ManualLoops loops = ManualLoops.of(1);
    Shards shards = new Shards(loops.all(), loops.clock(), leader.faults);
    Partitions partitions = new Partitions(shards, (index, shard) -> new InMemoryStore());
    OwnerLink ofNode = new OwnerLink(shards.get(0), partitions, null);
    Frame origin = BatchFrames.origin(LINK, NODE);
    assertThatThrownBy(() -> ofNode.frame(origin.type(), origin.read()))
        .isInstanceOf(ByteFormatException.class)
        .hasMessage("unexpected origin of batches");
  }
}
