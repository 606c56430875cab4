package io.mayflymq.it.management;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.RawHttp;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Wrong passwords over HTTP. */
@OwnBroker
class HttpLoginThrottleIT {
  @Test
  void wrongPasswordsAreDelayedAndLoggedAndACorrectOneIsNotDelayed() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.builder().start()) {
      String wrong = RawHttp.request("GET", "/api/whoami", RawHttp.basic("guest", "wrong"), "");
      List<RawHttp> guessing = new ArrayList<>();
      long start = System.nanoTime();
      for (int i = 0; i < 20; i++) {
        guessing.add(new RawHttp(broker.httpPort()).send(wrong));
      }
      assertThat(Http.as(broker.httpPort(), "guest", "guest").get("whoami").status())
          .isEqualTo(200);
      for (RawHttp client : guessing) {
        assertThat(client.status()).isEqualTo(401);
      }
      // The twelfth and later ones are held back for five seconds each.
      assertThat(System.nanoTime() - start).isGreaterThan(TimeUnit.SECONDS.toNanos(4));
      assertThat(broker.output())
          .filteredOn(line -> line.contains("access denied: user 'guest' - invalid credentials"))
          .hasSize(20)
          .allMatch(line -> line.contains("HTTP 127.0.0.1:"));
      for (RawHttp client : guessing) {
        client.close();
      }
      broker.stop();
      assertThat(broker.complaints()).isEmpty();
    }
  }
}
