package io.mayflymq.server.rate;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.security.Limit;
import io.mayflymq.core.security.Limits;
import io.mayflymq.server.rate.RatesRig.Reader;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What is kept of the rates of users and virtual hosts, and for how long. */
class ClientRatesTest {
  private static final long NOW = RatesRig.START;

  private final RatesRig rig = new RatesRig(1, new Random(1));

  private static Limits publishing(int rate, int burst) {
    return Limits.NONE.with(Limit.PUBLISH_RATE, rate).with(Limit.PUBLISH_BURST, burst);
  }

  @Test
  void connectionsOfAUserShareARateOfPublishing() {
    rig.limitUser("u", publishing(100, 1));
    ConnectionRates one = rig.rates.open("u", "v");
    ConnectionRates two = rig.rates.open("u", "w");
    ConnectionRates other = rig.rates.open("x", "v");
    assertThat(one.boundPublishing()).isTrue();
    assertThat(other.boundPublishing()).isFalse();
    assertThat(one.mostAtOnce()).isEqualTo(1);
    assertThat(one.published(1, NOW)).isEqualTo(NOW);
    assertThat(two.published(2, NOW)).isEqualTo(NOW + 20);
    assertThat(one.published(1, NOW)).isEqualTo(NOW + 30);
  }

  @Test
  void theSlowerOfTwoRatesDecides() {
    rig.limitUser("u", publishing(1000, 1000));
    rig.limitVhost("v", publishing(10, 1));
    ConnectionRates connection = rig.rates.open("u", "v");
    assertThat(connection.published(3, NOW)).isEqualTo(NOW + 200);
    assertThat(connection.areAsPublished()).isTrue();
    rig.limitVhost("v", publishing(10, 1));
    assertThat(connection.areAsPublished()).as("the same rate").isTrue();
    rig.limitVhost("v", Limits.NONE);
    assertThat(connection.areAsPublished()).isFalse();
    assertThat(connection.published(3, NOW)).isEqualTo(NOW);
  }

  @Test
  void aNegativeRateIsNone() {
    rig.limitUser("u", Limits.NONE.with(Limit.PUBLISH_RATE, -1).with(Limit.DELIVERY_RATE, -1));
    ConnectionRates connection = rig.rates.open("u", "v");
    assertThat(connection.boundPublishing()).isFalse();
    assertThat(connection.boundDeliveries()).isFalse();
  }

  /** One that connects anew does not get more than the rate by that. */
  @Test
  void whatHasPassedIsKeptAsLongAsTheRate() {
    rig.limitUser("u", publishing(10, 1));
    ConnectionRates before = rig.rates.open("u", "v");
    before.published(10, NOW);
    before.close();
    assertThat(rig.rates.open("u", "v").published(1, NOW)).isEqualTo(NOW + 1000);
  }

  @Test
  void nothingIsKeptOfThoseWhoAreGone() {
    for (int i = 0; i < 100; i++) {
      rig.limitUser("u" + i, RatesRig.deliveries(5, 1));
      Reader reader = rig.reader("u" + i, "v" + i, 0);
      reader.enqueue(3);
      rig.settle();
      reader.close();
      assertThat(rig.rates.size()).as("has a rate").isEqualTo(1);
      rig.limitUser("u" + i, Limits.NONE);
      assertThat(rig.rates.size()).isZero();
    }
  }

  @Test
  void nothingIsKeptOfAUserThatIsDeletedWhileItIsConnected() {
    rig.limitUser("u", RatesRig.deliveries(5, 1));
    rig.limitVhost("v", publishing(5, 1));
    Reader reader = rig.reader("u", "v", 0);
    rig.limitUser("u", Limits.NONE);
    rig.limitVhost("v", Limits.NONE);
    assertThat(rig.rates.size()).as("connected").isEqualTo(2);
    reader.close();
    assertThat(rig.rates.size()).isZero();
  }
}
