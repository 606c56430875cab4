package io.mayflymq.server.connection;

import io.mayflymq.core.runtime.Shard;
import io.mayflymq.protocol.method.Method;
import io.mayflymq.protocol.types.AmqpException;
import io.mayflymq.server.channel.ConnectionContext;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;

/**
 * The declarations of a connection that are under way together. On the connection's loop.
 *
 * <p>Declarations of queues that a client makes one after the other without waiting for answers
 * (nowait).
 *
 * <p>A declaration is safe only after a force, and in a cluster after a round trip and several
 * forces. If the next one waited for that, a client would make a few hundred a second, however many
 * it sends at once. So those that follow directly, of the same channel, are requested while the
 * first ones are under way, and share forces and round trips. Everything else that the connection
 * sends waits until all of them are in force: a publish behind a declaration finds the queue.
 *
 * <p>They end in the order in which they came, so the first one that fails closes the channel, with
 * its own error. Only what cannot depend on another declaration of the run joins it; see
 * QueueOperations.
 */
final class DeclareRun {
  /** More than fit into one entry of a cluster's log. */
  private static final int MOST = 2_000;

  /**
   * A declaration.
   *
   * @param future done when it is in force or has failed
   * @param ended run first when that is so, and it is its turn
   * @param then what follows; throws its error
   */
  record Member(
      int channel, Method method, CompletableFuture<?> future, Runnable ended, Runnable then) {}

  private final ConnectionContext connection;
  private final Shard home;
  private final Runnable goOn;
  private final Deque<Member> members = new ArrayDeque<>(0);

  /** Whether a member has failed: nothing follows for those behind it. */
  private boolean failed;

  /**
   * Creates a run without members.
   *
   * @param connection told of errors
   * @param goOn called when members have ended
   */
  DeclareRun(ConnectionContext connection, Shard home, Runnable goOn) {
    this.connection = connection;
    this.home = home;
    this.goOn = goOn;
  }

  /** Returns whether any is under way. */
  boolean isUnderWay() {
    return !members.isEmpty();
  }

  /** Returns the channel of which more can join; 0 if none can. */
  int channel() {
    return members.isEmpty() || members.size() >= MOST ? 0 : members.peekFirst().channel;
  }

  void add(Member member) {
    members.addLast(member);
    if (members.size() == 1) {
      awaitFirst();
    }
  }

  private void awaitFirst() {
    members.peekFirst().future.whenComplete((value, error) -> home.execute(this::end));
  }

  private void end() {
    while (!members.isEmpty() && members.peekFirst().future.isDone()) {
      end(members.removeFirst());
    }
    if (members.isEmpty()) {
      failed = false;
    } else {
      awaitFirst();
    }
    goOn.run();
  }

  private void end(Member member) {
    member.ended.run();
    if (failed) {
      return;
    }
    try {
      member.then.run();
    } catch (AmqpException e) {
      failed = true;
      connection.fail(
          member.channel, e.withMethod(member.method.classId(), member.method.methodId()));
    } catch (Throwable e) {
      failed = true;
      connection.failInternally(e);
    }
  }
}
