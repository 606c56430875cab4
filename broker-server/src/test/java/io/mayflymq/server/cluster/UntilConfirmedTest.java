package io.mayflymq.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.cluster.metadata.UnconfirmedChangeException;
import io.mayflymq.server.net.StartException;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

class UntilConfirmedTest {
  private static final long LONG = 1_000_000;

  private final BrokerStart start = new BrokerStart(() -> {});
  private int attempts;

  private static CompletionException unconfirmed() {
    return new CompletionException(UnconfirmedChangeException.notMade("1 of 2 are reachable"));
  }

  @Test
  void whatNoMajorityHasConfirmedIsMadeAgain() throws Exception {
    new UntilConfirmed(start, LONG, 0)
        .make(
            () -> {
              if (++attempts < 3) {
                throw unconfirmed();
              }
            });
    assertThat(attempts).isEqualTo(3);
  }

  @Test
  void startFailsWithTheReasonIfNoMajorityConfirmsItInTime() {
    assertThatThrownBy(() -> new UntilConfirmed(start, 0, 0).make(this::fail))
        .isInstanceOf(StartException.class)
        .hasMessageContaining("the cluster has not confirmed what every broker has")
        .hasMessageEndingWith("1 of 2 are reachable");
    assertThat(attempts).isEqualTo(1);
  }

  private void fail() {
    attempts++;
    throw unconfirmed();
  }

  @Test
  void anotherErrorIsNotTriedAgain() {
    CompletionException error = new CompletionException(new IllegalStateException("damaged"));
    assertThatThrownBy(
            () ->
                new UntilConfirmed(start, LONG, 0)
                    .make(
                        () -> {
                          attempts++;
                          throw error;
                        }))
        .isSameAs(error);
    assertThat(attempts).isEqualTo(1);
  }

  @Test
  void nothingIsMadeAgainWhenTheStartHasEnded() {
    assertThatThrownBy(
            () ->
                new UntilConfirmed(start, LONG, 0)
                    .make(
                        () -> {
                          start.giveUp();
                          fail();
                        }))
        .isInstanceOf(StartException.class)
        .hasMessage("the broker was stopped while it started");
    assertThat(attempts).isEqualTo(1);
  }
}
