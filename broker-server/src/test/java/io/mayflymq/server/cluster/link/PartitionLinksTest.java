package io.mayflymq.server.cluster.link;

import static io.mayflymq.server.cluster.link.LinkRig.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.mayflymq.cluster.link.LinkListener;
import io.mayflymq.cluster.link.LinkPort;
import io.mayflymq.cluster.metadata.ChangeVersions;
import io.mayflymq.cluster.metadata.ClusterMembers;
import io.mayflymq.cluster.replication.LocalReplicas;
import io.mayflymq.cluster.replication.ReplicaCluster.Connection;
import io.mayflymq.core.codec.ByteFormatException;
import io.mayflymq.core.codec.ByteReader;
import io.mayflymq.core.codec.ByteWriter;
import io.mayflymq.core.metadata.Assignment;
import io.mayflymq.core.metadata.ClusterMember;
import io.mayflymq.core.metadata.InMemoryMetadataLog;
import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataCommand.MemberSet;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.server.cluster.transport.Purpose;
import io.mayflymq.server.net.StartException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

/** Connections to partitions on another node over sockets. */
class PartitionLinksTest {
  private static final int PARTITION = 5;
  private static final int TYPE = 48;
  private static final int UNREADABLE = 49;

  private final String here = "here" + System.identityHashCode(this) + "@host";
  private final String there = "there" + System.identityHashCode(this) + "@host";
  private final Hosted hosted = new Hosted();
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private final Logger logger = (Logger) LoggerFactory.getLogger(UnreadableFrames.class);
  private LinkRig near;
  private LinkRig far;
  private PartitionLinks links;

  private void start(int shardsHere, int shardsThere, int version) throws StartException {
    near = new LinkRig(here, shardsHere);
    far = new LinkRig(there, shardsThere);
    List<MetadataCommand> kept =
        List.of(
            new MemberSet(member(0, here, ChangeVersions.OF_REPLICAS)),
            new MemberSet(member(1, there, version)));
    ClusterMembers members = new ClusterMembers(new InMemoryMetadataLog(), kept);
    links = new PartitionLinks(near.transport, near.loops, members);
    new PartitionLinks(far.transport, far.loops, members).serve(hosted);
    log.start();
    logger.setLevel(Level.INFO);
    logger.addAppender(log);
  }

  private static ClusterMember member(int number, String name, int version) {
    return new ClusterMember(
        number, UUID.randomUUID(), name, "127.0.0.1:1", ClusterMember.State.SERVING, version);
  }

  @AfterEach
  void close() {
    logger.detachAppender(log);
    links.close();
    near.close();
    far.close();
    assertThat(near.faults.lastContained() + far.faults.lastContained()).isEmpty();
  }

  private Connection connect(Purpose.Kind kind, Side side) {
    return links.connect(1, kind, PARTITION, side.shard, side);
  }

  private Side side() {
    return new Side(near.shards.get(PARTITION % near.shards.count()));
  }

  /** A side of a connection: remembers what it is told. */
  private static final class Side implements LinkListener {
    private final Shard shard;
    private final List<String> events = new CopyOnWriteArrayList<>();
    private final List<Integer> received = new ArrayList<>();
    private volatile int count;
    private volatile LinkPort port;

    Side(Shard shard) {
      this.shard = shard;
    }

    private void note(String event) {
      events.add(shard.isCurrent() ? event : event + " on another thread");
    }

    long count(String event) {
      return events.stream().filter(event::equals).count();
    }

    @Override
    public void up(LinkPort opened) {
      port = opened;
      note("up");
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread writes
    public void frame(int type, ByteReader body) {
      if (type == UNREADABLE) {
        throw new ByteFormatException("a frame of the test");
      }
      received.add(type == TYPE ? (int) body.number() : body.remaining());
      count++;
    }

    @Override
    public void writable() {
      note("writable");
    }

    @Override
    public void lost(String why) {
      note("lost: " + why);
    }

    void send(int type, ByteWriter body) {
      shard.execute(() -> port.send(type, body));
    }
  }

  /** Takes connections as it is told. */
  private final class Hosted implements LocalReplicas {
    private final List<Side> replicas = new CopyOnWriteArrayList<>();
    private final List<Side> queues = new CopyOnWriteArrayList<>();
    private volatile boolean keeps = true;
    private volatile boolean leads = true;

    /** How often connections are not taken yet, of either kind. */
    private final AtomicInteger early = new AtomicInteger();

    private boolean isEarly() {
      return early.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
    }

    @Override
    public Shard shard(int partition) {
      return far.shards.get(partition % far.shards.count());
    }

    private Side take(List<Side> sides, int partition) {
      Side side = new Side(shard(partition));
      sides.add(side);
      return side;
    }

    @Override
    public LinkListener acceptLeader(int partition) {
      return keeps && !isEarly() ? take(replicas, partition) : null;
    }

    @Override
    public LinkListener acceptQueues(int partition, String node) {
      return leads && node.equals(here) && !isEarly() ? take(queues, partition) : null;
    }

    @Override
    public void assigned(int partition, Assignment assignment) {}

    @Override
    public void ended(int node) {}

    @Override
    public CompletableFuture<Boolean> handOver(int partition, int to) {
      return CompletableFuture.completedFuture(false);
    }

    @Override
    public CompletableFuture<Void> release() {
      return CompletableFuture.completedFuture(null);
    }
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "2, 3", "3, 2"})
  void eachSideHasItOnTheShardOfThePartitionAndFramesKeepTheirOrder(int shardsHere, int shardsThere)
      throws Exception {
    start(shardsHere, shardsThere, ChangeVersions.OF_REPLICAS);
    Side leader = side();
    Side client = side();
    connect(Purpose.Kind.REPLICA, leader);
    connect(Purpose.Kind.PARTITION, client);
    until(() -> leader.count("up") == 1 && client.count("up") == 1);
    Side replica = hosted.replicas.get(0);
    Side queues = hosted.queues.get(0);
    for (Side sender : List.of(leader, queues)) {
      sender.shard.execute(() -> sendNumbers(sender, 5_000));
    }
    until(() -> replica.count == 5_000 && client.count == 5_000);
    assertThat(replica.received).isEqualTo(IntStream.range(0, 5_000).boxed().toList());
    assertThat(client.received).isEqualTo(replica.received);
    assertThat(leader.count + queues.count).isZero();
    for (Side side : List.of(leader, client, replica, queues)) {
      assertThat(side.events).containsExactly("up");
    }
  }

  private static void sendNumbers(Side sender, int many) {
    ByteWriter body = new ByteWriter();
    for (int i = 0; i < many; i++) {
      sender.port.send(TYPE, body.clear().number(i));
    }
  }

  @Test
  void largeFramesPassInOrder() throws Exception {
    start(2, 2, ChangeVersions.OF_REPLICAS);
    Side leader = side();
    connect(Purpose.Kind.REPLICA, leader);
    until(() -> leader.count("up") == 1);
    int[] sizes = {300 * 1024, 10, 20 * 1024 * 1024, 256 * 1024};
    for (int size : sizes) {
      ByteWriter body = new ByteWriter();
      for (int i = 0; i < size; i++) {
        body.octet(i);
      }
      leader.send(50, body);
    }
    until(() -> hosted.replicas.get(0).count == sizes.length);
    assertThat(hosted.replicas.get(0).received).isEqualTo(IntStream.of(sizes).boxed().toList());
  }

  @Test
  void senderIsToldWhenTheOtherSideKeepsUpAgain() throws Exception {
    start(1, 1, ChangeVersions.OF_REPLICAS);
    Side leader = side();
    connect(Purpose.Kind.REPLICA, leader);
    until(() -> leader.count("up") == 1);
    leader.shard.execute(
        () -> {
          ByteWriter body = new ByteWriter().bytes(new byte[64 * 1024]);
          while (leader.port.isWritable()) {
            leader.port.send(50, body);
          }
        });
    until(() -> leader.count("writable") > 0);
    until(() -> leader.port.isWritable());
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "2, 2"})
  void refusedConnectionIsOpenedAgainUntilItIsTaken(int shardsHere, int shardsThere)
      throws Exception {
    start(shardsHere, shardsThere, ChangeVersions.OF_REPLICAS);
    hosted.keeps = false;
    hosted.leads = false;
    Side leader = side();
    Side client = side();
    connect(Purpose.Kind.REPLICA, leader);
    connect(Purpose.Kind.PARTITION, client);
    String keepsNone = "lost: the other node closed it: no replica of partition 5 is here";
    String doesNotLead = "lost: the other node closed it: partition 5 is not led here";
    until(() -> leader.count(keepsNone) >= 2 && client.count(doesNotLead) >= 2);
    assertThat(leader.count("up") + client.count("up")).isZero();
    hosted.keeps = true;
    until(() -> leader.count("up") == 1);
    hosted.leads = true;
    until(() -> client.count("up") == 1);
    assertThat(hosted.replicas).hasSize(1);
    assertThat(hosted.queues).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({"REPLICA", "PARTITION"})
  void connectionThatComesTooEarlyIsHeldAndTakenLater(Purpose.Kind kind) throws Exception {
    start(2, 2, ChangeVersions.OF_REPLICAS);
    hosted.early.set(5);
    Side side = side();
    connect(kind, side);
    until(() -> side.count("up") == 1);
    assertThat(side.events).containsExactly("up");
    assertThat(hosted.early).hasValue(0);
    Side taken = (kind == Purpose.Kind.REPLICA ? hosted.replicas : hosted.queues).get(0);
    side.shard.execute(() -> sendNumbers(side, 100));
    until(() -> taken.count == 100);
    assertThat(taken.events).containsExactly("up");
  }

  @Test
  void connectionThatIsLostWhileItIsHeldIsNotTaken() throws Exception {
    start(1, 1, ChangeVersions.OF_REPLICAS);
    Shard shard = far.shards.get(0);
    Side ofLost = new Side(shard);
    Side ofOther = new Side(shard);
    AtomicBoolean leads = new AtomicBoolean();
    shard.execute(
        () -> {
          AcceptingLink lost = new AcceptingLink(shard, () -> leads.get() ? ofLost : null, "");
          AcceptingLink other = new AcceptingLink(shard, () -> leads.get() ? ofOther : null, "");
          lost.up(new SilentPort());
          other.up(new SilentPort());
          lost.lost("the node has ended");
          leads.set(true);
        });
    until(() -> ofOther.count("up") == 1);
    assertThat(ofLost.events).isEmpty();
  }

  /** Sends nothing. */
  private static final class SilentPort implements LinkPort {
    @Override
    public int version() {
      return 1;
    }

    @Override
    public void send(int type, ByteWriter body) {}

    @Override
    public boolean isWritable() {
      return true;
    }

    @Override
    public void close(String why) {}
  }

  @Test
  void connectionOnWhichSomethingUnreadableArrivesIsClosedWithALineAndOpenedAgain()
      throws Exception {
    start(2, 2, ChangeVersions.OF_REPLICAS);
    Side leader = side();
    connect(Purpose.Kind.REPLICA, leader);
    until(() -> leader.count("up") == 1);
    leader.send(UNREADABLE, new ByteWriter());
    until(() -> leader.count("up") == 2);
    assertThat(leader.events).hasSize(3);
    assertThat(leader.events.get(1)).startsWith("lost: ");
    Side first = hosted.replicas.get(0);
    assertThat(first.events).containsExactly("up", "lost: a frame of the test");
    hosted.replicas.get(1).send(UNREADABLE, new ByteWriter());
    until(() -> leader.count("up") == 3);
    leader.send(UNREADABLE, new ByteWriter());
    until(() -> leader.count("up") == 4);
    assertThat(log.list.stream().map(ILoggingEvent::getFormattedMessage))
        .containsExactlyInAnyOrder(
            "cluster: a connection for replicas (number 5) with node %s is closed, as what was received cannot be read: a frame of the test"
                .formatted(here),
            "cluster: a connection for replicas (number 5) with node %s is closed, as what was received cannot be read: a frame of the test"
                .formatted(there));
  }

  @Test
  void nothingIsReadBeforeTheConnectionIsTaken() throws Exception {
    start(1, 1, ChangeVersions.OF_REPLICAS);
    Side told = side();
    ConnectingLink asking = new ConnectingLink(told);
    asking.up(null);
    ByteReader body = new ByteReader(new byte[0], 0);
    assertThatThrownBy(() -> asking.frame(TYPE, body))
        .isInstanceOf(ByteFormatException.class)
        .hasMessage("a frame of type 48 before the connection was taken");
    assertThat(told.events).isEmpty();
  }

  @Test
  void connectionThatWasEndedIsNotOpenedAgain() throws Exception {
    start(2, 2, ChangeVersions.OF_REPLICAS);
    Side leader = side();
    Connection connection = connect(Purpose.Kind.REPLICA, leader);
    until(() -> leader.count("up") == 1);
    connection.end();
    String why = "lost: the connection is not needed any more";
    until(() -> leader.count(why) == 1);
    Side replica = hosted.replicas.get(0);
    until(() -> replica.events.size() == 2);
    assertThat(replica.events.get(1)).startsWith("lost: ");
    // A refused one, which is tried again and again, shows that time passes.
    hosted.leads = false;
    Side client = side();
    connect(Purpose.Kind.PARTITION, client);
    until(() -> client.events.size() >= 3);
    assertThat(leader.events).containsExactly("up", why);
    assertThat(hosted.replicas).hasSize(1);
  }

  @Test
  void connectionThatIsEndedWhileItIsBeingOpenedIsClosed() throws Exception {
    start(2, 2, ChangeVersions.OF_REPLICAS);
    Side leader = side();
    connect(Purpose.Kind.REPLICA, leader).end();
    Side next = side();
    connect(Purpose.Kind.REPLICA, next);
    until(() -> next.count("up") == 1);
    until(() -> hosted.replicas.stream().filter(side -> side.events.size() == 1).count() == 1);
    assertThat(leader.events).doesNotHaveDuplicates();
  }

  @Test
  void connectionIsOpenedAgainWhenTheNodeIsBack() throws Exception {
    start(2, 2, ChangeVersions.OF_REPLICAS);
    Side leader = side();
    connect(Purpose.Kind.REPLICA, leader);
    until(() -> leader.count("up") == 1);
    far.transport.close();
    until(() -> leader.events.size() > 2);
    far.listen();
    until(
        () ->
            leader.count(
                    "lost: the other node closed it: node %s does not serve replicas yet"
                        .formatted(there))
                > 0);
    new PartitionLinks(far.transport, far.loops, null).serve(hosted);
    until(() -> leader.count("up") == 2);
  }

  @Test
  void nodeOfAReleaseWithoutReplicasIsNotCalled() throws Exception {
    start(1, 1, ChangeVersions.OF_MOVES);
    Side leader = side();
    connect(Purpose.Kind.REPLICA, leader);
    String why = "lost: node %s is of a release without replicas".formatted(there);
    until(() -> leader.count(why) >= 2);
    assertThat(hosted.replicas).isEmpty();
  }

  @Test
  void nodeThatIsNotKnownIsRefused() throws Exception {
    start(1, 1, ChangeVersions.OF_REPLICAS);
    Side leader = side();
    assertThatThrownBy(() -> links.connect(7, Purpose.Kind.REPLICA, 5, leader.shard, leader))
        .hasMessage("there is no node with the number 7");
    assertThatThrownBy(() -> links.connect(1, Purpose.Kind.REPLICA, 65_536, leader.shard, leader))
        .hasMessage("number 65536 of a connection for replicas: expected 0 to 65535");
  }
}
