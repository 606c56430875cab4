package io.mayflymq.core.vhost;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.store.Commit;
import io.mayflymq.core.store.ForwardingMove;
import io.mayflymq.core.store.ForwardingPartitionStore;
import io.mayflymq.core.store.ForwardingQueueStore;
import io.mayflymq.core.store.Move;
import io.mayflymq.core.store.PartitionStore;
import io.mayflymq.core.store.QueueName;
import io.mayflymq.core.store.QueueStore;
import io.mayflymq.core.store.UnsettledEntry;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;

/**
 * Stores whose queues cannot store some messages, as something throws. A move is written whatever
 * fails in it, and keeps its source then.
 */
final class FaultyStores {
  /** What is thrown. */
  static final class Injected extends RuntimeException {
    Injected(String what) {
      super(what);
    }
  }

  private final UnaryOperator<PartitionStore> watch;
  private BooleanSupplier fails = () -> false;

  /** Puts itself around what watches the stores. */
  FaultyStores(UnaryOperator<PartitionStore> watch) {
    this.watch = watch;
  }

  /** Has the commands fail from here on that the supplier says so of. */
  void failIf(BooleanSupplier says) {
    fails = says;
  }

  /** What is to be put around each store of a broker that starts. */
  PartitionStore around(PartitionStore store) {
    return new ForwardingPartitionStore(watch.apply(store)) {
      private boolean moving;
      private boolean moveFailed;

      @Override
      public Move move(UnsettledEntry source, Message message) {
        assertThat(moving).as("a move that was not written").isFalse();
        moving = true;
        moveFailed = false;
        return new ForwardingMove(super.move(source, message)) {
          @Override
          public void write(long nowMillis, boolean keepSource) {
            assertThat(moving).as("a move that was begun").isTrue();
            assertThat(keepSource).as("kept, as a queue has failed").isEqualTo(moveFailed);
            moving = false;
            super.write(nowMillis, keepSource);
          }
        };
      }

      private void mayFail(String what) {
        if (fails.getAsBoolean()) {
          moveFailed |= moving;
          throw new Injected(what);
        }
      }

      @Override
      public void commit(Commit commit) {
        assertThat(moving).as("a move that is open at the end of a burst").isFalse();
        super.commit(commit);
      }

      @Override
      public QueueStore open(long queueId, QueueName name, QueueStore.Kept kept) {
        return new ForwardingQueueStore(super.open(queueId, name, kept)) {
          @Override
          public long store(
              long sequence, Message message, long ownDeadlineMillis, long enqueuedAtMillis) {
            mayFail("store");
            return super.store(sequence, message, ownDeadlineMillis, enqueuedAtMillis);
          }

          @Override
          public void enter(Move move, long sequence, long ownDeadlineMillis) {
            mayFail("enter");
            super.enter(move, sequence, ownDeadlineMillis);
          }

          @Override
          public long page(long sequence, Message message) {
            mayFail("page");
            return super.page(sequence, message);
          }
        };
      }
    };
  }
}
