package io.mayflymq.server.ctl.maintenance;

import io.mayflymq.server.ctl.client.Api;
import io.mayflymq.server.ctl.client.ApiError;
import io.mayflymq.server.ctl.client.ControlException;
import io.mayflymq.server.ctl.command.Command;
import io.mayflymq.server.ctl.command.Invocation;
import io.mayflymq.server.ctl.format.Columns;
import io.mayflymq.server.ctl.format.Result;
import java.util.List;

/** Commands of {@code rabbitmq-queues} for the replicas of quorum queues. */
public final class ReplicaCommands {
  private static final Columns STATUS =
      Columns.of().withAtom("Node Name").withAtom("Raft State").with("In Sync").with("Term");

  private ReplicaCommands() {}

  public static List<Command> all() {
    return List.of(
        Command.named("quorum_status", "Shows the nodes that keep a quorum queue")
            .inVhost()
            .takes("queue")
            .noting(
                "In sync are those that have everything that was confirmed, so each of them can"
                    + " lead the queue. The term is how often the queue was given a leader.")
            .does(ReplicaCommands::status));
  }

  private static Result status(Invocation invocation) {
    String queue = invocation.argument(0);
    invocation.banner("Status of quorum queue %s on node %s ...", queue, invocation.node());
    try {
      return STATUS.rows(
          Api.objects(
              invocation
                  .api()
                  .get(Api.path("queues", "quorum", invocation.vhost(), queue, "status"))));
    } catch (ApiError e) {
      throw e.isNotFound() ? ControlException.noSuchQueue(queue, invocation.vhost()) : e;
    }
  }
}
