package io.mayflymq.shovel.federation;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.shovel.client.BrokerConnections;
import io.mayflymq.shovel.transfer.Declarations;
import io.mayflymq.shovel.transfer.Declarations.QueueForm;
import io.mayflymq.shovel.transfer.Route;
import io.mayflymq.shovel.transfer.Transfer;
import io.mayflymq.shovel.transfer.TransferException;
import java.io.IOException;
import java.util.Map;

/**
 * Gets messages of a queue of an upstream while consumers here have nothing to do: while the queue
 * here has consumers, and no message is ready. The upstream's own consumers go first.
 */
final class QueueLink extends Link {
  private static final String END = "upstream";

  /** How often it looks whether consumers here have nothing to do. */
  private static final long LOOK_MILLIS = 50;

  /** Below that of the upstream's own consumers. */
  private static final int PRIORITY = -1;

  private final LocalObjects objects;

  /**
   * @param objects knows whether the queue wants messages
   */
  QueueLink(
      Federated federated,
      Upstream upstream,
      LocalObjects objects,
      BrokerConnections connections,
      BrokerThreads threads) {
    super(federated, upstream, connections, threads);
    this.objects = objects;
  }

  @Override
  void link(Ends ends) throws IOException, TransferException, InterruptedException {
    Connection connection = ends.upstream().connection();
    declareQueue(connection);
    ReceivedForm form =
        new ReceivedForm(federated().kind(), place(ends.upstream()), upstream().trustUserId());
    running(ends.upstream().uri());
    while (!isStopped()) {
      if (wantsMessages()) {
        declareQueue(connection);
        Channel taken = connection.createChannel();
        Transfer moving =
            new Transfer(route(), ends.upstream(), taken, ends.here(), form, progress());
        try {
          move(moving, transfer -> transfer.runWhile(this::wantsMessages));
        } finally {
          moving.close();
        }
      } else if (!connection.isOpen()) {
        throw new TransferException(END + ": the connection was lost", true);
      } else {
        pause(LOOK_MILLIS);
      }
    }
  }

  private boolean wantsMessages() {
    return objects.wantsMessages(federated().vhost(), federated().name());
  }

  /** As it is here, if it is missing. */
  private void declareQueue(Connection connection) throws IOException, TransferException {
    try {
      Declarations.queue(
              connection,
              upstreamObject(),
              new QueueForm(
                  federated().durable(), federated().autoDelete(), federated().arguments()))
          .channel()
          .abort();
    } catch (IOException e) {
      throw Declarations.failed(END, e);
    }
  }

  private Route route() {
    return new Route(
        upstreamObject(),
        upstream().prefetch(),
        upstream().consumerTag(),
        Route.keepingTtl(Map.of("x-priority", PRIORITY)),
        Route.NO_LIMIT,
        false,
        "",
        federated().name(),
        false,
        upstream().ackMode());
  }
}
