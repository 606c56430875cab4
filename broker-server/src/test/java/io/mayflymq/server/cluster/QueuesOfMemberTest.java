package io.mayflymq.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataCommand.QueueDeclared;
import io.mayflymq.core.metadata.MetadataCommand.QueueDeleted;
import io.mayflymq.core.metadata.MetadataJournal;
import io.mayflymq.core.metadata.QueueDefinition;
import io.mayflymq.core.metadata.QueuePlace;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.LoggedFaults;
import io.mayflymq.protocol.types.FieldTable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QueuesOfMemberTest {
  @TempDir private Path directory;
  private final List<MetadataCommand> proposed = new ArrayList<>();

  private CompletableFuture<Void> propose(List<? extends MetadataCommand> commands, Object origin) {
    proposed.addAll(commands);
    return CompletableFuture.completedFuture(null);
  }

  private static QueueDeclared queue(String name, long id, QueuePlace place) {
    return new QueueDeclared(
        "v",
        new QueueDefinition(name, true, false, false, FieldTable.EMPTY, QueueSettings.DEFAULT),
        id,
        place);
  }

  @Test
  void replicatedQueuesStayWhenANodeIsForgotten() {
    try (MetadataJournal journal =
        MetadataJournal.open(
            directory,
            MetadataJournal.Expected.NOTHING,
            new BrokerThreads(new LoggedFaults((what, cause) -> {})),
            health -> {})) {
      journal.recover();
      journal
          .append(
              List.of(
                  queue("there", 1, new QueuePlace(1, 0)),
                  queue("elsewhere", 2, new QueuePlace(2, 0)),
                  queue("replicated", 3, QueuePlace.replicated(1))))
          .join();
      QueuesOfMember queues = new QueuesOfMember(journal, this::propose);
      queues.deleteAll(Set.of(1)).join();
      queues.deleteTransient(1).join();
    }
    assertThat(proposed).contains(new QueueDeleted("v", "there")).hasSize(2);
  }
}
