package io.mayflymq.core.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.policy.EnumNames;
import io.mayflymq.core.policy.ExpiryMode;
import io.mayflymq.core.policy.PolicyKey;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.policy.QueueType;
import io.mayflymq.core.policy.QueueValues;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.core.queue.index.QueueTotals;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** Looking at messages without taking them. */
class QueueBrowserTest {
  private record Seen(int message, boolean redelivered) {}

  private static List<BrowsedMessage> browse(ManualQueue queue, long from) {
    List<BrowsedMessage> seen = new ArrayList<>();
    MessageBrowser browser = queue.machine.browse(from);
    while (browser.step(queue.now, seen::add)) {
      // Each step is short.
    }
    browser.close();
    return seen;
  }

  private static List<Seen> seen(List<BrowsedMessage> messages) {
    return messages.stream()
        .map(browsed -> new Seen(ManualQueue.number(browsed.message()), browsed.redelivered()))
        .toList();
  }

  @Provide
  Arbitrary<QueueSettings> settings() {
    QueueValues plain = QueueValues.NONE.with(PolicyKey.MESSAGE_TTL, 40);
    return Arbitraries.of(
        plain.settings(),
        plain.withMaxPriority(3).settings(),
        quorum(plain, QueueSettings.NONE),
        plain.with(PolicyKey.EXPIRY_MODE, EnumNames.of(ExpiryMode.HEAD)).settings(),
        plain.with(PolicyKey.EXPIRY_MODE, EnumNames.of(ExpiryMode.LAZY)).settings());
  }

  private static QueueSettings quorum(QueueValues settings, long deliveryLimit) {
    return settings.of(QueueType.QUORUM).with(PolicyKey.DELIVERY_LIMIT, deliveryLimit).settings();
  }

  /** What is browsed is what basic.get would give if it were called until nothing is left. */
  @Property(tries = 500)
  void browsingShowsTheDeliveryOrderAndChangesNothing(
      @ForAll("settings") QueueSettings settings,
      @ForAll @Size(max = 60) List<@IntRange(max = 11) Integer> commands,
      @ForAll @IntRange(max = 10) int from) {
    ManualQueue queue = new ManualQueue(settings);
    ArrayDeque<Long> held = new ArrayDeque<>();
    commands.forEach(command -> apply(command, queue, held));
    QueueTotals before = queue.machine.totals();

    List<BrowsedMessage> all = browse(queue, 0);
    List<BrowsedMessage> page = browse(queue, from);

    assertThat(queue.machine.totals()).isEqualTo(before);
    List<Seen> served = new ArrayList<>();
    GetResult getResult = queue.machine.fetch(false, queue.now);
    while (getResult != null) {
      served.add(new Seen(ManualQueue.number(getResult.message()), getResult.redelivered()));
      getResult = queue.machine.fetch(false, queue.now);
    }
    // In some modes what is too old stays for a while, and is seen, but never served.
    assertThat(seen(all.stream().filter(seen -> seen.deadlineMillis() > queue.now).toList()))
        .isEqualTo(served);
    assertThat(seen(page)).isEqualTo(seen(all.subList(Math.min(from, all.size()), all.size())));
    assertThat(page).extracting(BrowsedMessage::position).isEqualTo(positions(from, page.size()));
  }

  private static List<Long> positions(int from, int count) {
    return LongStream.range(from, from + count).boxed().toList();
  }

  private static void apply(int command, ManualQueue queue, ArrayDeque<Long> held) {
    switch (command) {
      case 0, 1, 2, 3, 4, 5 -> queue.publish(10, Message.NO_TTL, true, command);
      case 6 -> queue.publish(10, 7, true, 1);
      case 7, 8 -> {
        GetResult getResult = queue.machine.fetch(true, queue.now);
        if (getResult != null) {
          held.add(getResult.sequence());
        }
      }
      case 9 -> settle(held.pollFirst(), queue);
      case 10 -> settle(held.pollLast(), queue);
      default -> queue.advance(5);
    }
  }

  private static void settle(Long sequence, ManualQueue queue) {
    if (sequence != null) {
      queue.machine.requeue(queue.getter, sequence, sequence, queue.now);
    }
  }

  @Test
  void browsingShowsDeadlineAndDeliveryCountOfAMessage() {
    ManualQueue queue =
        new ManualQueue(quorum(QueueValues.NONE.with(PolicyKey.MESSAGE_TTL, 100), 5));
    queue.publish(60);
    queue.publish(Message.NO_TTL);
    queue.fetch();
    queue.machine.fail(queue.getter, 0, 0, queue.now);
    BrowsedMessage first = browse(queue, 0).get(0);
    assertThat(first)
        .isEqualTo(
            new BrowsedMessage(
                0, 0, first.message(), 10, queue.now, ManualQueue.START + 61, true, 1));
    BrowsedMessage second = browse(queue, 1).get(0);
    assertThat(second.deadlineMillis()).isEqualTo(ManualQueue.START + 101);
    assertThat(second.deliveryCount()).isZero();
    assertThat(second.redelivered()).isFalse();
  }

  @Test
  void browsingShowsExpiredMessagesNotYetRemoved() {
    ManualQueue queue = new ManualQueue(ManualQueue.lasting(-1, -1));
    queue.publish(10);
    queue.publish(Message.NO_TTL);
    queue.now += 11;
    assertThat(browse(queue, 0))
        .extracting(BrowsedMessage::sequence, BrowsedMessage::deadlineMillis)
        .containsExactly(tuple(0L, ManualQueue.START + 11), tuple(1L, Deadlines.NEVER));
  }

  @Test
  void browsingContinuesWhileTheQueueChanges() {
    ManualQueue queue = new ManualQueue(ManualQueue.lasting(-1, -1));
    queue.publishMany(4);
    List<BrowsedMessage> seen = new ArrayList<>();
    MessageBrowser browser = queue.machine.browse(0);
    browser.step(queue.now, seen::add);
    queue.machine.fetch(false, queue.now);
    queue.machine.fetch(false, queue.now);
    queue.publishMany(1);
    while (browser.step(queue.now, seen::add)) {
      // Until the end.
    }
    assertThat(seen).extracting(BrowsedMessage::sequence).containsExactly(0L, 2L, 3L, 4L);
  }

  @Test
  void browsingStartsAtAPositionInAnyPage() {
    ManualQueue queue = new ManualQueue(ManualQueue.lasting(-1, -1));
    queue.publishMany(5000);
    assertThat(browse(queue, 4321).get(0).sequence()).isEqualTo(4321);
    queue.machine.fetch(true, queue.now);
    assertThat(browse(queue, 4320).get(0).sequence()).isEqualTo(4321);
    assertThat(browse(queue, 4999)).isEmpty();
  }

  @Test
  void extractedMessageThatReturnsIsUnchanged() {
    ManualQueue queue = new ManualQueue(ManualQueue.lasting(50, -1));
    queue.publishMany(3);
    MessageExtractor messageExtractor = queue.machine.messageExtractor();
    messageExtractor.lock(1);
    assertThat(seen(browse(queue, 0))).containsExactly(new Seen(0, false), new Seen(2, false));
    messageExtractor.unlock(1, queue.now);
    assertThat(seen(browse(queue, 0)))
        .containsExactly(new Seen(0, false), new Seen(1, false), new Seen(2, false));
    messageExtractor.lock(2);
    queue.advance(60);
    assertThat(queue.deaths).hasSize(2);
    messageExtractor.unlock(2, queue.now);
    queue.advance(0);
    assertThat(queue.deaths).as("too old by now").hasSize(3);
  }

  @Test
  void extractedMessageThatIsRemovedIsSettled() {
    ManualQueue queue = new ManualQueue(ManualQueue.lasting(-1, -1));
    queue.publishMany(3);
    MessageExtractor messageExtractor = queue.machine.messageExtractor();
    assertThat(messageExtractor.take(1).sequence()).isEqualTo(1);
    messageExtractor.lock(2);
    messageExtractor.remove(2);
    assertThat(queue.settled).containsExactly(1L, 2L);
    assertThat(queue.machine.totals().messages()).isEqualTo(1);
  }

  @Test
  void extractedMessageThatReturnsIsDeliveredToAWaitingConsumer() {
    ManualQueue queue = new ManualQueue(ManualQueue.lasting(-1, -1));
    queue.publishMany(1);
    MessageExtractor messageExtractor = queue.machine.messageExtractor();
    messageExtractor.lock(0);
    queue.subscribe(0);
    assertThat(queue.delivered()).isEmpty();
    messageExtractor.unlock(0, queue.now);
    assertThat(queue.delivered()).containsExactly(0);
  }
}
