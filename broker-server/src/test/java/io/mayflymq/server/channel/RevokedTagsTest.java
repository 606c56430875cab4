package io.mayflymq.server.channel;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A client's settlement of deliveries that were taken back is ignored, once. */
class RevokedTagsTest {
  private final RevokedTags lost = new RevokedTags();

  @Test
  void settlementOfARevokedTagIsIgnoredOnce() {
    lost.add(3);

    assertThat(lost.settle(2)).isFalse();
    assertThat(lost.settle(3)).isTrue();
    assertThat(lost.settle(3)).isFalse();
  }

  @Test
  void multipleSettlementForgetsRevokedTagsUpToIt() {
    lost.add(1);
    lost.add(2);
    lost.add(5);
    lost.settleThrough(3);

    assertThat(lost.settle(1)).isFalse();
    assertThat(lost.settle(2)).isFalse();
    assertThat(lost.settle(5)).isTrue();
  }

  @Test
  void oldRevokedTagsAboveTheLimitAreStoredAsARange() {
    for (long tag = 1; tag <= 2 * RevokedTags.MOST_REMEMBERED; tag += 2) {
      lost.add(tag);
    }
    lost.add(2 * RevokedTags.MOST_REMEMBERED + 1);

    assertThat(lost.settle(1)).isTrue();
    assertThat(lost.settle(0)).isFalse();
    assertThat(lost.settle(2 * RevokedTags.MOST_REMEMBERED)).isFalse();
  }
}
