package io.mayflymq.core.retention;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The lease by itself; what is use of a queue is the machine's to know. */
class QueueLeaseTest {
  @Test
  void runsFromItsCreation() {
    assertThat(new QueueLease(100, 1000).endMillis()).isEqualTo(1101);
  }

  @Test
  void runsAnewFromEachUse() {
    QueueLease lease = new QueueLease(100, 1000);

    lease.renew(1050);

    assertThat(lease.endMillis()).isEqualTo(1151);
  }

  @Test
  void doesNotRunWhileSuspended() {
    QueueLease lease = new QueueLease(100, 1000);

    lease.suspend();
    assertThat(lease.endMillis()).isEqualTo(Deadlines.NEVER);
    lease.renew(1050);
    assertThat(lease.endMillis()).isEqualTo(Deadlines.NEVER);
    lease.resume(2000);

    assertThat(lease.endMillis()).isEqualTo(2101);
  }

  @Test
  void withoutAPeriodNeverEnds() {
    QueueLease lease = new QueueLease(-1, 1000);
    assertThat(lease.endMillis()).isEqualTo(Deadlines.NEVER);

    lease.suspend();
    lease.resume(2000);
    lease.renew(3000);

    assertThat(lease.endMillis()).isEqualTo(Deadlines.NEVER);
  }
}
