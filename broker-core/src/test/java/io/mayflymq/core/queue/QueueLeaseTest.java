package io.mayflymq.core.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.policy.LeaseSettings;
import io.mayflymq.core.policy.LeaseUse;
import io.mayflymq.core.queue.index.Deadlines;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The lease by itself; when a queue is used so is the machine's to know. */
class QueueLeaseTest {
  private final QueueLease lease = new QueueLease(of(100, LeaseUse.DEFAULT), 1000);

  private static LeaseSettings of(long expires, Set<LeaseUse> uses) {
    return new LeaseSettings(expires, uses, false, false);
  }

  @Test
  void leaseRunsFromTheCreationOfTheQueue() {
    assertThat(lease.endMillis()).isEqualTo(1101);
  }

  @ParameterizedTest
  @EnumSource
  void leaseIsRenewedByConfiguredUsesOnly(LeaseUse use) {
    QueueLease counting = new QueueLease(of(100, EnumSet.of(use)), 1000);
    counting.used(use, 1050);
    assertThat(counting.endMillis()).isEqualTo(1151);

    QueueLease others = new QueueLease(of(100, EnumSet.complementOf(EnumSet.of(use))), 1000);
    others.used(use, 1050);
    assertThat(others.endMillis()).isEqualTo(1101);
  }

  @Test
  void leaseDoesNotRunDuringALastingUse() {
    lease.begins(LeaseUse.CONSUME);
    assertThat(lease.endMillis()).isEqualTo(Deadlines.NEVER);
    lease.used(LeaseUse.GET, 1050);
    assertThat(lease.endMillis()).isEqualTo(Deadlines.NEVER);
    lease.ends(LeaseUse.CONSUME, 2000);

    assertThat(lease.endMillis()).isEqualTo(2101);
  }

  @Test
  void leaseRunsDuringALastingUseThatIsNotConfigured() {
    lease.begins(LeaseUse.SCHEDULED);
    assertThat(lease.endMillis()).isEqualTo(1101);
    lease.ends(LeaseUse.SCHEDULED, 2000);
    assertThat(lease.endMillis()).isEqualTo(1101);
  }

  @Test
  void leaseRunsOnlyAfterBothLastingUsesEnd() {
    QueueLease both = new QueueLease(of(100, LeaseUse.SERVICE_BUS), 1000);
    both.begins(LeaseUse.CONSUME);
    both.begins(LeaseUse.SCHEDULED);
    both.ends(LeaseUse.CONSUME, 2000);
    assertThat(both.endMillis()).isEqualTo(Deadlines.NEVER);
    both.ends(LeaseUse.SCHEDULED, 3000);
    assertThat(both.endMillis()).isEqualTo(3101);
  }

  @Test
  void changedPeriodAppliesFromTheLastUse() {
    lease.used(LeaseUse.GET, 1050);

    assertThat(lease.endWith(of(10, LeaseUse.DEFAULT), 1070)).isEqualTo(1061);
    assertThat(lease.endMillis()).as("only asked").isEqualTo(1151);
    lease.change(of(10, LeaseUse.DEFAULT), 1070);

    assertThat(lease.endMillis()).isEqualTo(1061);
  }

  @Test
  void policyChangeRenewsTheLeaseIfConfigured() {
    Set<LeaseUse> uses = EnumSet.of(LeaseUse.POLICY);
    assertThat(lease.endWith(of(10, uses), 1070)).isEqualTo(1081);
    lease.change(of(10, uses), 1070);
    assertThat(lease.endMillis()).isEqualTo(1081);
  }

  @Test
  void useRemovedFromTheSettingsRenewsTheLeaseUntilThen() {
    lease.begins(LeaseUse.CONSUME);

    lease.change(of(100, EnumSet.of(LeaseUse.GET)), 5000);
    assertThat(lease.endMillis()).isEqualTo(5101);

    lease.change(of(100, LeaseUse.DEFAULT), 5050);
    assertThat(lease.endMillis()).as("it goes on").isEqualTo(Deadlines.NEVER);
  }

  @Test
  void leaseWithoutAPeriodNeverEnds() {
    lease.change(of(-1, LeaseUse.DEFAULT), 1000);
    assertThat(lease.endMillis()).isEqualTo(Deadlines.NEVER);

    lease.begins(LeaseUse.CONSUME);
    lease.ends(LeaseUse.CONSUME, 2000);
    lease.used(LeaseUse.DECLARE, 3000);

    assertThat(lease.endMillis()).isEqualTo(Deadlines.NEVER);
  }
}
