package io.mayflymq.server.management.resource;

import io.mayflymq.core.queue.MessageChoice;
import io.mayflymq.core.security.Permission;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import java.util.Set;
import java.util.function.UnaryOperator;

/** Removing some of the ready messages of a queue, by what they are like. */
public final class PurgeResource extends HomeRoutes {
  public PurgeResource(ManagedBroker managed) {
    super(managed);
  }

  @Override
  void add(RequestRouter requestRouter, UnaryOperator<RequestRouter.Handler> where) {
    requestRouter
        .post("queues/{vhost}/{queue}/purge", where.apply(request -> purge(request, false)))
        .post("queues/{vhost}/{queue}/purge/dry-run", where.apply(request -> purge(request, true)));
  }

  private Response purge(Request request, boolean dryRun) {
    Queue queue = managed.usableQueue(request, Permission.READ);
    MessageChoice choice =
        MessageChoices.of(
            request.body().fields(), Set.of(), "DELETE queues/{vhost}/{queue}/contents purges all");
    long count = Futures.await(queue.requests().purge(choice, dryRun, request.principal().user()));
    return Response.ok(Json.object(dryRun ? "would_be_purged" : "purged", count));
  }
}
