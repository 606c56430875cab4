package io.mayflymq.cluster.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.metadata.LiveMetadataLog;
import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataCommand.GlobalParameterSet;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class PositionedLogTest {
  private final LiveMetadataLog disk = new LiveMetadataLog();
  private final List<Runnable> later = new ArrayList<>();
  private final PositionedLog log = new PositionedLog(disk, later::add, 0, null);

  private static MetadataCommand parameter(String name) {
    return new GlobalParameterSet(name, "1");
  }

  private CompletableFuture<Void> append(String name) {
    return log.append(List.of(parameter(name)));
  }

  @Test
  void changeIsInForceBeforeItIsWritten() {
    disk.writeAtOnce(false);
    assertThat(append("a")).isCompleted();
    assertThat(log.settled()).isNotDone();
    disk.write();
    assertThat(log.settled()).isCompleted();
  }

  @Test
  void changesWaitForADiskThatTakesNothing() {
    disk.writeAtOnce(false);
    CompletableFuture<Void> before = append("a");
    disk.fail();
    CompletableFuture<Void> behind = append("b");
    assertThat(before).isCompleted();
    assertThat(behind).isNotDone();

    later.forEach(Runnable::run);
    disk.write();
    assertThat(behind).isCompleted();
    assertThat(log.recover()).containsExactlyInAnyOrder(parameter("a"), parameter("b"));
  }
}
