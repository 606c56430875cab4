package io.mayflymq.cluster.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.runtime.Faults;
import io.mayflymq.core.runtime.ManualClock;
import io.mayflymq.core.runtime.ManualLoop;
import io.mayflymq.core.runtime.PartitionTime;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.store.disk.DiskStores;
import io.mayflymq.core.store.disk.MemoryHost;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The time of a partition goes on when its node is started again. */
class KeptTimeTest {
  private static final int PARTITION = 3;

  private final ManualClock clock = new ManualClock();
  private final Shard shard = new Shard(0, new ManualLoop(clock), clock, Faults.logged());
  private MemoryHost host = new MemoryHost();
  private PartitionTime time;
  private DiskReplica replica;

  KeptTimeTest() {
    open();
  }

  private void open() {
    host.runAtOnce(true);
    DiskStores stores = host.diskStores(1, Integer.MAX_VALUE);
    stores.create(0, shard);
    time = new PartitionTime(shard);
    replica = new DiskReplicas(stores).open(PARTITION, time, new NoStreams());
  }

  private void crash() {
    host = host.afterPowerLoss(new Random(1), 0);
    open();
  }

  private void keep(long ahead) {
    time.setAhead(ahead);
    replica.keepTime();
  }

  @Test
  void timeOfANewReplicaIsTheClock() {
    assertThat(time.aheadMillis()).isZero();
  }

  @Test
  void differenceIsThereAfterALossOfPower() {
    keep(-4_000);
    crash();
    assertThat(time.aheadMillis()).isEqualTo(-4_000);
    keep(7);
    crash();
    assertThat(time.aheadMillis()).isEqualTo(7);
  }

  @Test
  void smallChangesAreNotWritten() {
    keep(50);
    crash();
    assertThat(time.aheadMillis()).isZero();
    keep(51);
    keep(100);
    crash();
    assertThat(time.aheadMillis()).isEqualTo(51);
  }
}
