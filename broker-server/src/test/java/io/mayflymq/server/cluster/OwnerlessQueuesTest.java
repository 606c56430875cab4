package io.mayflymq.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.metadata.InMemoryMetadataLog;
import io.mayflymq.core.metadata.MetadataCommand;
import io.mayflymq.core.metadata.MetadataCommand.QueueDeleted;
import io.mayflymq.core.metadata.VhostDefinition;
import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.LoggedFaults;
import io.mayflymq.core.runtime.Shards;
import io.mayflymq.core.store.InMemoryStore;
import io.mayflymq.core.vhost.Broker;
import io.mayflymq.core.vhost.QueueDeclaration;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.core.vhost.partition.Partitions;
import io.mayflymq.core.vhost.queue.QueueOwner;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.server.net.EventLoops;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OwnerlessQueuesTest {
  private final LoggedFaults faults = new LoggedFaults((what, cause) -> {});
  private final EventLoops loops = new EventLoops(1, new BrokerThreads(faults));
  private final Shards shards = new Shards(loops.all(), InstantSource.system(), faults);
  private final Broker broker =
      new Broker(
          new Partitions(shards, (partition, on) -> new InMemoryStore()),
          new InMemoryMetadataLog(),
          InstantSource.system(),
          "/");
  private final VirtualHost vhost = broker.createVirtualHost(VhostDefinition.of("/"));
  private final List<MetadataCommand> proposed = new ArrayList<>();
  private final OwnerlessQueues ownerless =
      new OwnerlessQueues(broker, new QueuesOfMember(null, this::propose));

  /** A connection that may be closed. */
  private static final class Connection implements QueueOwner {
    private boolean open = true;

    @Override
    public boolean isOpen() {
      return open;
    }
  }

  private CompletableFuture<Void> propose(List<? extends MetadataCommand> commands, Object origin) {
    proposed.addAll(commands);
    return CompletableFuture.completedFuture(null);
  }

  @AfterEach
  void close() {
    loops.close();
  }

  private void declare(String queue, boolean exclusive, Object connection) {
    vhost
        .declareQueue(
            new QueueDeclaration(
                queue,
                false,
                exclusive,
                false,
                FieldTable.EMPTY,
                connection,
                shards.get(0),
                false,
                false))
        .join();
  }

  @Test
  void exclusiveQueueOfAConnectionThatIsGoneIsDeletedAtTheSecondLook() {
    Connection connection = new Connection();
    declare("q", true, connection);
    declare("other", true, new Connection());
    declare("shared", false, connection);
    ownerless.look();
    ownerless.look();
    assertThat(proposed).isEmpty();

    connection.open = false;
    ownerless.look();
    assertThat(proposed).isEmpty();
    ownerless.look();
    assertThat(proposed).contains(new QueueDeleted("/", "q")).hasSize(2);

    // It may have been refused, so it is requested as long as the queue is there.
    ownerless.look();
    assertThat(proposed).hasSize(4);
  }

  @Test
  void exclusiveQueueThatWasNeverAConnectionsIsDeleted() {
    declare("late", true, new Object());
    ownerless.look();
    ownerless.look();
    assertThat(proposed).contains(new QueueDeleted("/", "late"));
  }
}
