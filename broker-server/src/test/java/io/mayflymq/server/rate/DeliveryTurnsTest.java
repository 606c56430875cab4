package io.mayflymq.server.rate;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.security.Limits;
import io.mayflymq.server.rate.RatesRig.Reader;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Consumers of several shards that keep to the rates of their users and virtual hosts. */
class DeliveryTurnsTest {
  private static final int SECOND = 1000;

  private final RatesRig rig = new RatesRig(2, new Random(7));

  private static List<Long> times(Reader... readers) {
    List<Long> all = new ArrayList<>();
    for (Reader reader : readers) {
      all.addAll(reader.delivered);
    }
    all.sort(null);
    return all;
  }

  @Test
  void aConsumerGetsAsMuchAsTheRateSays() {
    rig.limitUser("u", RatesRig.deliveries(100, 1));
    Reader reader = rig.reader("u", "v", 0);
    reader.enqueue(1000);
    rig.settle();
    assertThat(reader.delivered).containsExactly(RatesRig.START);
    rig.run(SECOND - 1);
    assertThat(reader.delivered).hasSize(100);
    rig.step();
    assertThat(reader.delivered).hasSize(101);
    assertThat(reader.delivered.get(100)).isEqualTo(RatesRig.START + SECOND);
  }

  @Test
  void allOfASecondMayBeDeliveredAtOnce() {
    rig.limitVhost("v", RatesRig.deliveries(100, 100));
    Reader reader = rig.reader("u", "v", 0);
    reader.enqueue(1000);
    rig.settle();
    assertThat(reader.delivered).hasSize(100);
    rig.run(SECOND - 1);
    assertThat(reader.delivered).hasSize(100);
    rig.step();
    assertThat(reader.delivered).hasSize(200);
  }

  @Test
  void consumersOfAllShardsShareARateEqually() {
    rig.limitUser("u", RatesRig.deliveries(90, 9));
    Reader[] all = {rig.reader("u", "v", 0), rig.reader("u", "w", 1), rig.reader("u", "v", 1)};
    for (Reader reader : all) {
      reader.enqueue(10_000);
    }
    rig.run(10 * SECOND);
    assertThat(times(all)).hasSizeBetween(890, 910);
    for (Reader reader : all) {
      assertThat(reader.delivered.size()).isBetween(290, 310);
    }
  }

  @Test
  void otherUsersDoNotWait() {
    rig.limitUser("u", RatesRig.deliveries(1, 1));
    Reader bound = rig.reader("u", "v", 0);
    Reader other = rig.reader("w", "v", 0);
    bound.enqueue(10);
    other.enqueue(10);
    rig.settle();
    assertThat(bound.delivered).hasSize(1);
    assertThat(other.delivered).hasSize(10);
  }

  @Test
  void oneThatIsCancelledWhileItWaitsTakesNoTurn() {
    rig.limitUser("u", RatesRig.deliveries(2, 1));
    List<Reader> gone = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      Reader reader = rig.reader("u", "v", i % 2);
      reader.enqueue(5);
      gone.add(reader);
    }
    Reader stays = rig.reader("u", "v", 0);
    stays.enqueue(5);
    rig.settle();
    gone.forEach(Reader::close);
    rig.run(4 * SECOND);
    assertThat(stays.delivered).hasSizeGreaterThanOrEqualTo(5);
  }

  @Test
  void thoseWhoWaitGoOnWhenTheRateIsCleared() {
    rig.limitUser("u", RatesRig.deliveries(1, 1));
    Reader one = rig.reader("u", "v", 0);
    Reader two = rig.reader("u", "v", 1);
    one.enqueue(100);
    two.enqueue(100);
    rig.settle();
    assertThat(times(one, two)).hasSize(1);
    rig.limitUser("u", Limits.NONE);
    rig.settle();
    assertThat(times(one, two)).hasSize(200);
  }

  @Test
  void anotherRateHoldsAtOnce() {
    rig.limitUser("u", RatesRig.deliveries(1, 1));
    Reader one = rig.reader("u", "v", 0);
    one.enqueue(100_000);
    rig.settle();
    rig.limitUser("u", RatesRig.deliveries(1000, 1));
    rig.run(SECOND);
    assertThat(one.within(SECOND)).isEqualTo(1000);
    rig.limitVhost("v", RatesRig.deliveries(10, 1));
    rig.run(SECOND);
    rig.run(SECOND);
    assertThat(one.within(SECOND)).isEqualTo(10);
    rig.limitVhost("v", Limits.NONE);
    rig.run(2 * SECOND);
    assertThat(one.within(SECOND)).isEqualTo(1000);
  }

  /** One that waits for both must come to its turn though others take each as soon as it may be. */
  @Test
  void oneThatWaitsForTwoRatesIsNotPassedByForEver() {
    rig.limitUser("u", RatesRig.deliveries(10, 1));
    rig.limitVhost("v", RatesRig.deliveries(7, 1));
    Reader both = rig.reader("u", "v", 0);
    Reader ofUser = rig.reader("u", "w", 1);
    Reader ofVhost = rig.reader("x", "v", 0);
    ofUser.enqueue(10_000);
    ofVhost.enqueue(10_000);
    rig.run(53);
    both.enqueue(10_000);
    rig.run(20 * SECOND);
    assertThat(times(both, ofUser).size()).isBetween(190, 202);
    assertThat(times(both, ofVhost).size()).isBetween(130, 142);
    assertThat(both.delivered.size()).isBetween(50, 80);
  }

  @Test
  void aSlowRateDoesNotHoldUpThoseOfAFasterOne() {
    rig.limitUser("u", RatesRig.deliveries(1000, 1));
    rig.limitVhost("v", RatesRig.deliveries(1, 1));
    for (int i = 0; i < 50; i++) {
      rig.reader("u", "v", i % 2).enqueue(100);
    }
    Reader elsewhere = rig.reader("u", "w", 1);
    elsewhere.enqueue(100_000);
    rig.run(5 * SECOND);
    assertThat(elsewhere.delivered.size()).isBetween(4980, 5001);
    assertThat(times(rig.readers.subList(0, 50).toArray(new Reader[0])).size()).isBetween(5, 6);
  }

  @Test
  void whatIsGotCounts() {
    rig.limitUser("u", RatesRig.deliveries(3, 3));
    Reader reader = rig.reader("u", "v", 0);
    List<String> results = new ArrayList<>();
    rig.shards
        .get(0)
        .execute(
            () -> {
              results.add(get(reader, true));
              results.add(get(reader, false));
              results.add(get(reader, true));
              results.add(get(reader, true));
              results.add(get(reader, true));
            });
    reader.enqueue(2);
    rig.settle();
    assertThat(results).containsExactly("got", "none", "got", "got", "refused");
    assertThat(reader.delivered).isEmpty();
    rig.run(SECOND);
    assertThat(reader.delivered).hasSize(2);
  }

  private static String get(Reader reader, boolean isMessage) {
    ConnectionRates.Get get = reader.connection.get(reader.shard);
    if (get == null) {
      return "refused";
    }
    if (!isMessage) {
      get.giveBack();
    }
    return isMessage ? "got" : "none";
  }

  /** A bucket that keeps all that it let pass. */
  private static final class Bucket {
    final int rate;
    final int burst;
    private final ArrayDeque<Long> passed = new ArrayDeque<>();
    private long creditThousandths;
    private long at;

    Bucket(int rate, int burst, long now) {
      this.rate = rate;
      this.burst = burst;
      this.creditThousandths = burst * 1000L;
      this.at = now;
    }

    void advance(long now) {
      creditThousandths = Math.min(burst * 1000L, creditThousandths + (now - at) * rate);
      at = now;
      while (!passed.isEmpty() && passed.peek() <= now - SECOND) {
        passed.remove();
      }
    }

    int room() {
      return (int) Math.min(creditThousandths / 1000, rate - passed.size());
    }

    void pass() {
      assertThat(room()).as("room in a rate of %d, burst %d", rate, burst).isPositive();
      passed.add(at);
      creditThousandths -= 1000;
    }
  }

  /**
   * Random consumers, messages, rates and endings: never more than naive buckets let pass, and as
   * much as they do.
   */
  @Test
  void randomConsumersKeepToNaiveBuckets() {
    for (long seed = 0; seed < 60; seed++) {
      new RandomRun(seed).run(1500);
    }
  }

  private static final class RandomRun {
    private static final int NAMES = 3;

    private final long seed;
    private final Random random;
    private final RatesRig rig;
    private final Map<String, Bucket> buckets = new HashMap<>();
    private final Map<Reader, Integer> seen = new HashMap<>();

    RandomRun(long seed) {
      this.seed = seed;
      this.random = new Random(seed);
      this.rig = new RatesRig(1 + random.nextInt(3), random);
    }

    void run(int millis) {
      for (int i = 0; i < 3; i++) {
        limit();
        connect();
      }
      for (int i = 0; i < millis; i++) {
        rig.now++;
        buckets.values().forEach(bucket -> bucket.advance(rig.now));
        for (int events = random.nextInt(3); events > 0; events--) {
          event();
        }
        rig.settle();
        check();
      }
    }

    private void event() {
      int kind = random.nextInt(200);
      if (kind == 0) {
        limit();
      } else if (kind < 4) {
        connect();
      } else if (kind < 6 && !rig.readers.isEmpty()) {
        rig.readers.get(random.nextInt(rig.readers.size())).close();
      } else if (kind < 90 && !rig.readers.isEmpty()) {
        Reader reader = rig.readers.get(random.nextInt(rig.readers.size()));
        reader.enqueue(random.nextInt(10) == 0 ? 1 + random.nextInt(500) : 1);
      }
    }

    private void limit() {
      // What is under way is counted by the rates of before.
      rig.settle();
      check();
      boolean ofUser = random.nextBoolean();
      String name = (ofUser ? "u" : "v") + random.nextInt(NAMES);
      int rate = new int[] {1, 3, 10, 50, 120, 999, 1000, 3000, 20_000}[random.nextInt(9)];
      int burst = random.nextBoolean() ? rate : 1 + random.nextInt(Math.min(rate, 5));
      boolean isNone = random.nextInt(4) == 0;
      Limits limits = isNone ? Limits.NONE : RatesRig.deliveries(rate, burst);
      Bucket before = buckets.get(name);
      if (isNone) {
        buckets.remove(name);
      } else if (before == null || before.rate != rate || before.burst != burst) {
        buckets.put(name, new Bucket(rate, burst, rig.now));
      }
      if (ofUser) {
        rig.limitUser(name, limits);
      } else {
        rig.limitVhost(name, limits);
      }
    }

    private void connect() {
      rig.reader(
          "u" + random.nextInt(NAMES),
          "v" + random.nextInt(NAMES),
          random.nextInt(rig.shards.size()));
    }

    private void check() {
      for (Reader reader : rig.readers) {
        int before = seen.getOrDefault(reader, 0);
        for (int i = before; i < reader.delivered.size(); i++) {
          assertThat(reader.delivered.get(i)).as("seed %d", seed).isEqualTo(rig.now);
          pass(reader.user);
          pass(reader.vhost);
        }
        seen.put(reader, reader.delivered.size());
      }
      for (Reader reader : rig.readers) {
        if (reader.wants()) {
          int room = Math.min(room(reader, reader.user), room(reader, reader.vhost));
          assertThat(room)
              .as("seed %d: a consumer of %s, %s waits", seed, reader.user, reader.vhost)
              .isZero();
        }
      }
    }

    private void pass(String name) {
      Bucket bucket = buckets.get(name);
      if (bucket != null) {
        bucket.pass();
      }
    }

    /** One message may be kept for a consumer that waits for another rate, too, or did. */
    private int room(Reader asking, String name) {
      Bucket bucket = buckets.get(name);
      if (bucket == null) {
        return Integer.MAX_VALUE;
      }
      boolean isKept =
          rig.readers.stream()
              .anyMatch(
                  other ->
                      other.waits()
                          && buckets.containsKey(other.user)
                          && buckets.containsKey(other.vhost)
                          && (other.user.equals(name) != other.vhost.equals(name))
                          && !(other.user.equals(asking.user) && other.vhost.equals(asking.vhost)));
      return bucket.room() == 1 && isKept ? 0 : bucket.room();
    }
  }
}
