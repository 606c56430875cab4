package io.mayflymq.core.vhost;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.policy.EnumNames;
import io.mayflymq.core.policy.Pause;
import io.mayflymq.core.policy.PauseTtl;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyKey;
import io.mayflymq.core.policy.PolicyKind;
import io.mayflymq.core.policy.QueuePause;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * What operators were told of the pauses of queues: nothing is handed out by a paused queue, nor
 * expires if time stands still, and a pause is there until it is ended, whichever crash comes
 * between.
 */
final class PausePromises {
  private static final List<Pause> ALL = List.of(Pause.values());

  private VirtualHost vhost;
  private final Map<String, Known> queues = new TreeMap<>();

  /** What is known of the queues of a name. */
  private static final class Known {
    /** How many changes have no outcome yet. */
    int open;

    /** Whether several of them were open at once, so that any may be the last. */
    boolean overlap;

    /** Whether a change has failed, so that it is not known which one a crash leaves. */
    boolean uncertain;

    /** What waits; null if nothing does. */
    Pause pause;

    /** Whether time stands still, if deliveries wait. */
    boolean stops;

    boolean isCertain() {
      return open == 0 && !uncertain;
    }
  }

  PausePromises(VirtualHost vhost) {
    this.vhost = vhost;
  }

  void pause(String queue, Random random) {
    Pause pause = ALL.get(random.nextInt(ALL.size()));
    PauseTtl ttl = random.nextBoolean() ? PauseTtl.STOP : null;
    change(queue, pause, vhost.policies().set(QueuePause.of(queue, pause, ttl)));
  }

  void resume(String queue) {
    change(
        queue, null, vhost.policies().clear(PolicyKind.OPERATOR_POLICY, QueuePause.nameOf(queue)));
  }

  private void change(String queue, Pause wanted, CompletableFuture<?> done) {
    Known known = queues.computeIfAbsent(queue, first -> new Known());
    known.overlap = known.open > 0;
    known.open++;
    done.whenComplete((changed, failure) -> changed(queue, known, wanted, failure));
  }

  private void changed(String queue, Known known, Pause wanted, Throwable failure) {
    known.open--;
    known.uncertain = failure != null || (known.uncertain && known.open > 0);
    if (known.open == 0) {
      known.pause = inForce(queue);
      known.stops = stops(queue);
      if (failure == null && !known.overlap) {
        assertThat(known.pause).as("pause of %s", queue).isEqualTo(wanted);
      }
    }
  }

  private Policy policy(String queue) {
    return vhost.policies().table().policy(PolicyKind.OPERATOR_POLICY, QueuePause.nameOf(queue));
  }

  private boolean stops(String queue) {
    Policy policy = policy(queue);
    return policy != null && policy.definition().get(PolicyKey.PAUSE_TTL) != null;
  }

  private Pause inForce(String queue) {
    Policy policy = policy(queue);
    if (policy == null) {
      return null;
    }
    Object word = policy.definition().get(PolicyKey.PAUSE);
    return EnumNames.constant(Pause.class, String.valueOf(word)).orElseThrow();
  }

  /** A crash is over: what was told is so still. */
  void restarted(VirtualHost after) {
    vhost = after;
    queues.replaceAll(
        (queue, before) -> {
          Known known = new Known();
          known.pause = inForce(queue);
          known.stops = stops(queue);
          if (before.isCertain()) {
            assertThat(known.pause).as("pause of %s", queue).isEqualTo(before.pause);
          }
          return known;
        });
  }

  /** Returns whether queues of this name hand out nothing for sure. */
  boolean holdDeliveries(String queue) {
    Known known = queues.get(queue);
    return known != null && known.open == 0 && known.pause != null && known.pause.ofDeliveries();
  }

  /** Returns whether nothing expires in queues of this name for sure. */
  boolean holdTime(String queue) {
    return holdDeliveries(queue) && queues.get(queue).stops;
  }

  /** A queue has handed a message out. */
  void handedOut(String queue) {
    assertThat(holdDeliveries(queue)).as("handed out by %s, which is paused", queue).isFalse();
  }
}
