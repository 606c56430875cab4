package io.mayflymq.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.server.net.StartException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BrokerStartTest {
  private final List<String> restarts = new ArrayList<>();
  private final List<String> ends = new ArrayList<>();
  private final BrokerStart start = new BrokerStart(() -> restarts.add("restart"));

  BrokerStartTest() {
    start.ended().thenAccept(ends::add);
  }

  @Test
  void startWhoseMetadataAreReplacedEndsAndBeginsAnew() {
    start.replaced();
    start.replaced();
    assertThat(ends)
        .containsExactly("the metadata of this node have been replaced by those of another node");
    assertThatThrownBy(start::requireGoingOn)
        .isInstanceOf(StartException.class)
        .hasMessage(ends.get(0));
    assertThat(start.complete()).isFalse();
    assertThat(start.beginsAnew()).isTrue();
    assertThat(restarts).as("what has not started is not started again").isEmpty();
  }

  @Test
  void startThatIsGivenUpEndsForGood() {
    start.giveUp();
    assertThat(ends).containsExactly("the broker was stopped while it started");
    assertThat(start.complete()).isFalse();
    assertThat(start.beginsAnew()).isFalse();
  }

  @Test
  void completeStartDoesNotEndButIsFollowedByAnother() {
    assertThatCode(start::requireGoingOn).doesNotThrowAnyException();
    assertThat(start.complete()).isTrue();
    start.giveUp();
    assertThat(ends).isEmpty();
    start.replaced();
    assertThat(ends).isEmpty();
    assertThat(restarts).hasSize(1);
  }
}
