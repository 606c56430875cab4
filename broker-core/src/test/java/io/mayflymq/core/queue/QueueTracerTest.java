package io.mayflymq.core.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.DropTrigger;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.policy.Overflow;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.policy.QueueValues;
import io.mayflymq.core.tracing.QueueTracer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests what a queue tells of its messages for traces. */
class QueueTracerTest {
  private final Recorder told = new Recorder();

  /** Writes down what it is told, with times since the start. */
  private static final class Recorder implements QueueTracer {
    private final List<String> lines = new ArrayList<>();

    @Override
    public void delivered(
        long sequence,
        Message message,
        boolean redelivered,
        long enqueuedAtMillis,
        String consumerTag) {
      lines.add(
          "%s%s to %s as %d, enqueued at %d"
              .formatted(
                  message.routingKey(),
                  redelivered ? " again" : "",
                  consumerTag,
                  sequence,
                  enqueuedAtMillis - ManualQueue.START));
    }

    @Override
    public void settled(long sequence, Settlement settlement) {
      lines.add(sequence + " " + settlement);
    }

    @Override
    public Message died(Message message, DropTrigger trigger, long enqueuedAtMillis) {
      lines.add(
          "%s died of %s, enqueued at %d"
              .formatted(message.routingKey(), trigger, enqueuedAtMillis - ManualQueue.START));
      return message;
    }

    @Override
    public void closed() {
      lines.add("closed");
    }

    List<String> take() {
      List<String> taken = List.copyOf(lines);
      lines.clear();
      return taken;
    }
  }

  private ManualQueue queue(QueueSettings settings) {
    return new ManualQueue(settings, told);
  }

  @Test
  void tellsHowLongADeliveredMessageWasInTheQueue() {
    ManualQueue queue = queue(QueueValues.NONE.settings());
    queue.advance(5);
    queue.publishMany(1);
    queue.advance(20);
    Consumer consumer = queue.subscribe(10);
    queue.publishMany(1);
    assertThat(told.take())
        .containsExactly("0 to 1 as 0, enqueued at 5", "1 to 1 as 1, enqueued at 25");
    queue.machine.acknowledge(consumer, 0, 1, queue.now);
    assertThat(told.take()).containsExactly("0 ACKNOWLEDGED", "1 ACKNOWLEDGED");
  }

  @Test
  void tellsOfDeliveriesThatNothingSettles() {
    ManualQueue queue = queue(QueueValues.NONE.settings());
    queue.publishMany(1);
    queue.machine.subscribe(queue.consumer(false, false, 0), queue.now);
    assertThat(told.take()).containsExactly("0 to 1 as -1, enqueued at 0");
  }

  @Test
  void tellsOfMessagesThatAreReturnedAndFetched() {
    ManualQueue queue = queue(QueueValues.NONE.settings());
    queue.publishMany(1);
    queue.fetch();
    queue.machine.requeue(queue.getter, 0, 0, queue.now);
    queue.fetch();
    queue.machine.reject(queue.getter, 0, 0, DropTrigger.CONSUMER, queue.now);
    assertThat(told.take())
        .containsExactly(
            "0 to null as 0, enqueued at 0",
            "0 REQUEUED",
            "0 again to null as 0, enqueued at 0",
            "0 REJECTED",
            "0 died of CONSUMER, enqueued at 0");
  }

  @Test
  void tellsOfDeathsOfMessagesThatNoExchangeGets() {
    ManualQueue queue = queue(ManualQueue.lasting(10, -1));
    queue.advance(3);
    queue.publishMany(1);
    queue.advance(100);
    assertThat(told.take()).containsExactly("0 died of MESSAGE_TTL, enqueued at 3");
  }

  @Test
  void tellsOfMessagesThatAreDroppedByTheLimit() {
    ManualQueue queue = queue(ManualQueue.limited(1, -1, Overflow.REJECT_PUBLISH_DLX));
    queue.publishMany(2);
    assertThat(told.take()).containsExactly("1 died of MAX_LENGTH, enqueued at 0");
  }

  @Test
  void tellsThatTheQueueWasDeleted() {
    ManualQueue queue = queue(QueueValues.NONE.settings());
    queue.machine.dispose();
    assertThat(told.take()).containsExactly("closed");
  }
}
