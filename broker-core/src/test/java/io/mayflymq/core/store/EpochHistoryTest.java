package io.mayflymq.core.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class EpochHistoryTest {
  private static EpochHistory of(long... epochsAndNumbers) {
    EpochHistory history = EpochHistory.NONE;
    for (int i = 0; i < epochsAndNumbers.length; i += 2) {
      history = history.with(new BurstId(epochsAndNumbers[i], epochsAndNumbers[i + 1]));
    }
    return history;
  }

  @Test
  void logsAgreeUpToTheShorterOneOfTheSameEpoch() {
    assertThat(of(1, 1).agreement(7, of(1, 1), 5)).isEqualTo(5);
    assertThat(of(1, 1).agreement(5, of(1, 1), 7)).isEqualTo(5);
    assertThat(of(1, 1).agreement(5, EpochHistory.NONE, 0)).isZero();
  }

  @Test
  void whatADeposedLeaderHadAloneIsNotInCommon() {
    EpochHistory next = of(1, 1, 2, 4);
    assertThat(next.agreement(6, of(1, 1), 9)).isEqualTo(3);
    assertThat(of(1, 1).agreement(9, next, 6)).isEqualTo(3);
  }

  @Test
  void epochsThatOnlyOneLogHasAreSkipped() {
    assertThat(of(1, 1, 3, 5, 4, 8).agreement(9, of(1, 1, 2, 4), 9)).isEqualTo(3);
    assertThat(of(1, 1, 3, 5).agreement(9, of(1, 1, 3, 5, 4, 7), 8)).isEqualTo(6);
    assertThat(of(2, 1).agreement(4, of(1, 1), 4)).isZero();
  }

  @Test
  void epochsThatAreForgottenAreUnknown() {
    EpochHistory longest = EpochHistory.NONE;
    for (int epoch = 1; epoch <= 300; epoch++) {
      longest = longest.with(new BurstId(epoch, epoch * 10L));
    }
    assertThat(longest.agreement(3_005, of(1, 10), 15)).isEqualTo(EpochHistory.UNKNOWN);
    assertThat(longest.agreement(3_005, longest.cutAfter(2_999), 2_999)).isEqualTo(2_999);
  }

  @Test
  void cutLogForgetsLaterEpochs() {
    EpochHistory history = of(1, 1, 2, 4, 3, 6);
    assertThat(history.cutAfter(5)).isEqualTo(of(1, 1, 2, 4));
    assertThat(history.cutAfter(0)).isEqualTo(EpochHistory.NONE);
    List<Long> epochs = new ArrayList<>();
    for (long number = 1; number <= 6; number++) {
      epochs.add(history.epochOf(number));
    }
    assertThat(epochs).containsExactly(1L, 1L, 1L, 2L, 2L, 3L);
  }

  @Test
  void epochsDoNotGoBack() {
    assertThatThrownBy(() -> of(2, 4, 1, 5)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> of(1, 4, 2, 4)).isInstanceOf(IllegalArgumentException.class);
  }
}
