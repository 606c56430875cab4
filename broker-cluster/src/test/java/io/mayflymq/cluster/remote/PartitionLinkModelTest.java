package io.mayflymq.cluster.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.ConsumeOptions;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.queue.ConsumerTarget;
import io.mayflymq.core.queue.GetResult;
import io.mayflymq.core.runtime.ManualLoop;
import io.mayflymq.core.vhost.TestBroker;
import io.mayflymq.core.vhost.TestBroker.Settlement;
import io.mayflymq.core.vhost.command.PublishListener;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.ShortString;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * Clients publish to queues of a replicated partition and take from them, while its leader is lost
 * and changes at any moment. Each message is confirmed once and is in its queue once, behind those
 * that were published before; what was removed for sure is never delivered again, and what is
 * delivered again says so.
 */
class PartitionLinkModelTest {
  private static final int STEPS = 250;
  private static final int QUEUES = 2;

  private Random random;
  private PartitionRig rig;
  private final List<Line> lines = new ArrayList<>();
  private final List<CompletableFuture<?>> answers = new ArrayList<>();
  private int lastNumber;
  private int leaders;

  /** How often what is under way may have been lost. */
  private int losses;

  /** How often it may have been lost before everything rested the last time, with a leader. */
  private int lossesBeforeRest = -1;

  private boolean hasLeader;
  private boolean reachable = true;

  /**
   * A message that a channel has and that is not settled.
   *
   * @param losses how many losses there were before; -1 if there may have been one just then
   */
  private record Unsettled(Consumer consumer, long sequence, int number, int losses) {}

  /** What is known of a queue. */
  private final class Line implements PublishListener {
    private final Queue queue;
    private final List<Integer> published = new ArrayList<>();
    private final Map<Integer, Integer> confirmed = new TreeMap<>();
    private final Map<Long, Integer> bySequence = new HashMap<>();
    private final Set<Integer> delivered = new HashSet<>();
    private final List<Unsettled> unsettled = new ArrayList<>();
    private final List<Channel> channels = new ArrayList<>();
    private final List<Unsettled> removals = new ArrayList<>();
    private final Set<Integer> perhapsRemoved = new HashSet<>();
    private final Set<Integer> removed = new HashSet<>();

    Line(Queue queue) {
      this.queue = queue;
    }

    void publish() {
      int[] numbers = new int[1 + random.nextInt(3)];
      for (int i = 0; i < numbers.length; i++) {
        numbers[i] = ++lastNumber;
        published.add(numbers[i]);
      }
      // One loop, so that there is one order.
      rig.publishing(0, queue, this, numbers);
    }

    @Override
    public void settled(long number, boolean accepted) {
      assertThat(accepted).isTrue();
      confirmed.merge((int) number, 1, Integer::sum);
    }

    void consume() {
      Channel channel = new Channel(this);
      channels.add(channel);
      answers.add(queue.requests().subscribe(channel.consumer, () -> channel.admitted++));
    }

    void cancel() {
      if (!channels.isEmpty()) {
        Channel gone = channels.remove(random.nextInt(channels.size()));
        answers.add(queue.requests().cancel(gone.consumer));
      }
    }

    void get() {
      answers.add(queue.requests().fetch(true).thenAccept(this::got));
    }

    private void got(GetResult got) {
      if (got != null) {
        received(Consumer.ofGet(), got.sequence(), got.message(), got.redelivered());
      }
    }

    void received(Consumer consumer, long sequence, Message message, boolean redelivered) {
      int number = TestBroker.numberOf(message);
      assertThat(removed).doesNotContain(number);
      if (!delivered.add(number)) {
        assertThat(redelivered).as("%d is delivered again", number).isTrue();
      }
      assertThat(bySequence.merge(sequence, number, (before, now) -> before))
          .as("the message with the number %d", sequence)
          .isEqualTo(number);
      int since = losses == lossesBeforeRest ? losses : -1;
      unsettled.add(new Unsettled(consumer, sequence, number, since));
    }

    void settle() {
      if (unsettled.isEmpty()) {
        return;
      }
      Unsettled one = unsettled.remove(random.nextInt(unsettled.size()));
      Settlement how = Settlement.ACKNOWLEDGE;
      if (random.nextInt(4) == 0) {
        how = random.nextBoolean() ? Settlement.REJECT : Settlement.REQUEUE;
      }
      if (how != Settlement.REQUEUE) {
        perhapsRemoved.add(one.number());
        removals.add(one);
      }
      Settlement settlement = how;
      int loop = random.nextInt(2);
      rig.here.on(
          loop,
          () ->
              settlement.settle(
                  rig.here.commands(loop), queue, one.consumer(), one.sequence(), one.sequence()));
    }

    /** Everything rests: what was removed is, unless it was lost on its way. */
    void rests() {
      for (Unsettled removal : removals) {
        if (removal.losses() == losses) {
          removed.add(removal.number());
        }
      }
      removals.clear();
    }

    void check() {
      assertThat(rig.consumersAtHome(queue)).isEqualTo(channels.size());
      assertThat(channels).allMatch(channel -> channel.admitted == 1);
      assertThat(confirmed.keySet()).containsExactlyElementsOf(published);
      assertThat(confirmed.values()).containsOnly(1);
      while (!channels.isEmpty()) {
        cancel();
      }
    }

    void checkRest() {
      List<Integer> rest = rig.home.drain(queue.name());
      assertThat(rest).isSorted().doesNotHaveDuplicates().noneMatch(removed::contains);
      Set<Integer> gone = new TreeSet<>(published);
      rest.forEach(gone::remove);
      assertThat(perhapsRemoved).containsAll(gone);
    }
  }

  /** The channel of a consumer. */
  private final class Channel implements ConsumerTarget {
    private final Line line;
    private final Consumer consumer;
    private int admitted;
    private boolean full;
    private boolean shares;

    Channel(Line line) {
      this.line = line;
      ConsumeOptions options = new ConsumeOptions(true, false, random.nextInt(4), FieldTable.EMPTY);
      this.consumer = new Consumer(ShortString.of("tag"), options, this);
    }

    @Override
    public boolean reserve(Consumer asking) {
      return !full;
    }

    @Override
    public boolean sharesRoom() {
      return shares;
    }

    @Override
    public void deliver(Consumer to, long sequence, Message message, boolean redelivered) {
      assertThat(admitted).isEqualTo(1);
      line.received(to, sequence, message, redelivered);
    }

    @Override
    public void cancelled(Consumer gone) {
      throw new AssertionError("a consumer is cancelled");
    }

    void change() {
      full = random.nextBoolean();
      shares = random.nextInt(4) == 0;
      rig.here.on(rig.shard(), () -> line.queue.onShard().resume(consumer));
    }
  }

  @Property(tries = 100)
  void nothingIsLostOrDoubled(@ForAll long seed) {
    random = new Random(seed);
    rig = new PartitionRig(1 + random.nextInt(2));
    lines.clear();
    answers.clear();
    losses = 0;
    lossesBeforeRest = -1;
    hasLeader = false;
    reachable = true;
    for (int i = 0; i < QUEUES; i++) {
      lines.add(new Line(rig.queue("q" + i, FieldTable.EMPTY)));
    }
    for (int step = 0; step < STEPS; step++) {
      act(lines.get(random.nextInt(QUEUES)));
      for (int i = random.nextInt(12); i > 0; i--) {
        List<ManualLoop> loops = (random.nextBoolean() ? rig.here : rig.home).loops.all();
        loops.get(random.nextInt(loops.size())).step();
      }
    }
    finish();
  }

  private void act(Line line) {
    switch (random.nextInt(16)) {
      case 0, 1, 2 -> line.publish();
      case 3 -> line.consume();
      case 4 -> line.cancel();
      case 5, 6, 7, 8 -> line.settle();
      case 9 -> line.get();
      case 10 -> line.channels.forEach(Channel::change);
      case 11 -> answers.add(line.queue.lifecycle().status(false));
      case 12, 13 -> rig.home.host.flush();
      case 14 -> {
        if (random.nextInt(2) == 0) {
          rest();
        }
      }
      default -> {
        if (random.nextInt(3) == 0 || !hasLeader || !reachable) {
          changeLeader(random.nextInt(4));
        }
      }
    }
  }

  private void changeLeader(int how) {
    losses++;
    switch (how) {
      case 0 -> {
        rig.links.cut();
        reachable = false;
      }
      case 1 -> leader(null);
      default -> {
        rig.links.mend();
        reachable = true;
        leader("node" + ++leaders);
      }
    }
  }

  private void leader(String node) {
    rig.leader(node);
    hasLeader = node != null;
  }

  private void rest() {
    rig.rest();
    if (hasLeader && reachable) {
      lines.forEach(Line::rests);
      lossesBeforeRest = losses;
    }
  }

  private void finish() {
    changeLeader(2);
    rest();
    assertThat(answers).allMatch(answer -> answer.isDone() && !answer.isCompletedExceptionally());
    assertThat(rig.links.applied).hasSizeLessThanOrEqualTo(1);
    lines.forEach(Line::check);
    rest();
    // What is not settled goes back.
    changeLeader(2);
    rest();
    lines.forEach(Line::checkRest);
  }
}
