package io.mayflymq.it.differential;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Target;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/*
 * The same random program for MayflyMQ and for a RabbitMQ that runs already, step by step:
 *
 *     mvn -B verify -pl src/it -Dit.test=DifferentialIT -Ddifferential.port=5688 -Ddifferential.http.port=15688 \
 *         [-Ddifferential.programs=10] [-Ddifferential.steps=300] [-Ddifferential.seed=N]
 *
 * After each step, what clients have learned at once must be the same, and soon also what has come to consumers and what queues hold;
 * in the end, all that is left in the queues. The seed makes a program again.
 */
/** What clients can observe is the same as with RabbitMQ. */
@OwnBroker
class DifferentialIT {
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(3);
  private static final int SHOWN = 40;

  @Test
  @Timeout(value = 1, unit = TimeUnit.HOURS)
  void mayflyAndRabbitmqBehaveTheSame() throws Exception {
    Integer port = Integer.getInteger("differential.port");
    assumeTrue(port != null, "needs a RabbitMQ beside: -Ddifferential.port=N");
    Http http = Http.as(Integer.getInteger("differential.http.port", 15672), "guest", "guest");
    int programs = Integer.getInteger("differential.programs", 5);
    long seed = Long.getLong("differential.seed", System.nanoTime());
    // On several shards it is up to them which of a message and its dead letter is first in a
    // queue.
    try (EmbeddedBroker ours = EmbeddedBroker.builder().set("shards", 1).start()) {
      for (int i = 0; i < programs; i++) {
        String vhost = "differential-" + seed;
        try (World reference = new World(Target.factory(port), http, vhost);
            World here =
                new World(ours.factory(), Http.as(ours.httpPort(), "guest", "guest"), vhost)) {
          run(reference, here, seed);
        }
        seed++;
      }
    }
  }

  private static void run(World reference, World here, long seed) throws Exception {
    Generator generator = new Generator(seed);
    ArrayDeque<String> trail = new ArrayDeque<>();
    int steps = Integer.getInteger("differential.steps", 300);
    for (int i = 0; i < steps; i++) {
      Step step = generator.next();
      trail.addLast(i + ". " + step);
      String expected = reference.run(step);
      assertThat(here.run(step)).as(() -> tell(seed, trail)).isEqualTo(expected);
      trail.addLast("    " + expected);
      assertSameState(reference, here, seed, trail);
    }
    assertThat(here.remains()).as(() -> tell(seed, trail)).isEqualTo(reference.remains());
  }

  private static void assertSameState(
      World reference, World here, long seed, ArrayDeque<String> trail) throws Exception {
    List<String> expected = reference.state();
    List<String> found = here.state();
    long end = System.nanoTime() + PATIENCE_NANOS;
    while (!found.equals(expected) && System.nanoTime() < end) {
      expected = reference.state();
      found = here.state();
    }
    assertThat(found).as(() -> tell(seed, trail)).isEqualTo(expected);
  }

  private static String tell(long seed, ArrayDeque<String> trail) {
    while (trail.size() > SHOWN) {
      trail.removeFirst();
    }
    return "program %d, at the end of%n%s%n".formatted(seed, String.join("\n", trail));
  }
}
