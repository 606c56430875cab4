package io.mayflymq.server.management.resource;

import io.mayflymq.core.metrics.ShardQuery;
import io.mayflymq.core.queue.QueueSizes;
import io.mayflymq.core.queue.Restoration;
import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.security.Permission;
import io.mayflymq.core.security.ResourceKind;
import io.mayflymq.core.security.VhostAccess;
import io.mayflymq.core.vhost.KeptQueue;
import io.mayflymq.core.vhost.Undeleted;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueSnapshot;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.server.channel.DeclareChecks;
import io.mayflymq.server.config.NodeName;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.json.JsonWriter;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Body;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import io.mayflymq.server.management.cluster.ListKind;
import io.mayflymq.server.management.cluster.SpreadList;
import io.mayflymq.server.management.json.PathNames;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SortedSet;
import java.util.TreeSet;

/** Deleted queues that can be brought back. */
public final class DeletedQueueResource {
  private static final String ID = "id";
  private static final String NAME = "name";
  private static final SortedSet<String> FIELDS =
      Collections.unmodifiableSortedSet(new TreeSet<>(List.of(ID, NAME)));

  private final ManagedBroker managed;
  private final SpreadList<Row> list;

  /**
   * A deleted queue whose messages are on this node.
   *
   * @param sizes what it has
   */
  private record Row(KeptQueue queue, QueueSizes sizes) {}

  public DeletedQueueResource(ManagedBroker managed) {
    this.managed = managed;
    this.list =
        new SpreadList<>(
            new ListKind<>(
                "deleted-queues",
                this::listHere,
                row -> Long.toString(row.queue.id()),
                row -> "%019d.%019d".formatted(row.queue.deletedAtMillis(), row.queue.id()),
                row -> row.queue.name(),
                this::object),
            managed.nodes());
  }

  /** Adds the routes of the API. */
  public void addTo(RequestRouter requestRouter) {
    requestRouter
        .get("deleted-queues", list::answer)
        .get("deleted-queues/{vhost}", list::answer)
        .post(
            "deleted-queues/{vhost}/{queue}/undelete",
            managed.atHome(request -> undelete(request, false), DeletedQueueResource::home))
        .post(
            "deleted-queues/{vhost}/{queue}/undelete/dry-run",
            managed.atHome(request -> undelete(request, true), DeletedQueueResource::home));
  }

  /** Adds what other nodes ask. */
  public void addQuestionsTo(RequestRouter questions) {
    list.addTo(questions);
    questions
        .post("deleted-queues/{vhost}/{queue}/undelete", request -> undelete(request, false))
        .post(
            "deleted-queues/{vhost}/{queue}/undelete/dry-run", request -> undelete(request, true));
  }

  private List<Row> listHere(Request request) {
    List<VirtualHost> vhosts =
        request.parameter("vhost") == null
            ? managed.vhosts(request.principal())
            : List.of(managed.visibleVhost(request));
    List<KeptQueue> here =
        vhosts.stream()
            .flatMap(vhost -> vhost.deletedQueues().stream())
            .filter(kept -> kept.queue().isHere())
            .toList();
    return Futures.await(
        ShardQuery.collect(here, kept -> kept.queue().shard(), DeletedQueueResource::row));
  }

  private static Row row(KeptQueue kept) {
    QueueSizes sizes = QueueSnapshot.sizes(kept.queue());
    return sizes == null ? null : new Row(kept, sizes);
  }

  private Map<String, Object> object(Row row) {
    KeptQueue kept = row.queue;
    return Json.object(
        NAME,
        kept.name(),
        "vhost",
        kept.command().vhost(),
        ID,
        kept.id(),
        "type",
        kept.queue().definition().settings().type().wireName(),
        "deleted_at",
        kept.deletedAtMillis(),
        "recoverable_until",
        kept.untilMillis(),
        "deleted_by",
        kept.command().deletedBy(),
        "messages",
        row.sizes.recoverable().messages() + row.sizes.waiting().messages(),
        "message_bytes",
        row.sizes.recoverable().bytes() + row.sizes.waiting().bytes(),
        "messages_scheduled",
        row.sizes.scheduled().ready(),
        "bindings",
        kept.command().bindings().size(),
        "node",
        NodeName.value());
  }

  /** Returns what has the messages of the queue that a request names; null if that is not known. */
  private static Queue home(VirtualHost vhost, Request request) {
    try {
      return vhost.deletedQueue(request.parameter("queue"), id(request.body().fields())).queue();
    } catch (ChannelException | ApiException e) {
      return null; // It is told when it is known who asks.
    }
  }

  private Response undelete(Request request, boolean dryRun) {
    VirtualHost vhost = managed.usableVhost(request);
    Body.Fields fields = request.body().fields();
    check(fields);
    String before = request.parameter("queue");
    String name = fields.namedText(NAME, before);
    if (name.isEmpty()) {
      throw ApiException.badRequest("name should be the name of a queue, actually was \"\"");
    }
    if (!name.equals(before) && (name.indexOf('\n') >= 0 || name.indexOf('\r') >= 0)) {
      throw ApiException.badRequest(
          "name should be the name of a queue, in which clients can have no line breaks, actually was "
              + JsonWriter.text(name));
    }
    PathNames.check("queue", name);
    VhostAccess access = managed.access(request.principal(), vhost);
    for (String each : new TreeSet<>(List.of(before, name))) {
      for (Permission permission : List.of(Permission.CONFIGURE, Permission.WRITE)) {
        access.check(ResourceKind.QUEUE, each, permission);
      }
    }
    if (!name.equals(before)) {
      access.check(ResourceKind.QUEUE, before, Permission.READ);
    }
    KeptQueue kept = vhost.deletedQueue(before, id(fields));
    if (!name.equals(before)) {
      // By another name the user may read what these exchanges bring, as from a queue bound anew.
      for (Binding binding : kept.command().bindings()) {
        DeclareChecks.newBinding(access, vhost, binding.to(name));
      }
    }
    if (dryRun) {
      Futures.await(vhost.requireUndeletable(kept, name));
      return forecast(kept);
    }
    Undeleted undeleted = Futures.await(vhost.undeleteQueue(kept, name, request.principal()));
    Restoration.Report report =
        Futures.await(vhost.queue(name, request.principal()).requests().broughtBack());
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put(NAME, undeleted.name());
    answer.put("restored", report.total());
    answer.put("expired", report.expired());
    answer.put("unreadable", report.unreadable());
    answer.put("bindings", undeleted.bindings());
    answer.put(
        "missing_bindings",
        undeleted.missing().stream()
            .map(
                binding ->
                    Json.object("source", binding.source(), "routing_key", binding.routingKey()))
            .toList());
    answer.put("lost_bindings", undeleted.lost());
    return Response.ok(answer);
  }

  private static Response forecast(KeptQueue kept) {
    Restoration.Report report =
        Futures.await(kept.queue().requests().restore(Restoration.Choice.ofDeleted(true)));
    return Response.ok(
        Json.object(
            "would_be_restored", report.total(),
            "expired", report.expired(),
            "unreadable", report.unreadable()));
  }

  private static void check(Body.Fields fields) {
    for (Object name : fields.object().keySet()) {
      if (!FIELDS.contains(name)) {
        throw ApiException.badRequest(
            "field should be one of %s, actually was %s"
                .formatted(String.join(", ", FIELDS), name));
      }
    }
  }

  private static OptionalLong id(Body.Fields fields) {
    if (!fields.has(ID)) {
      return OptionalLong.empty();
    } else if (fields.get(ID) instanceof Long id && id > 0) {
      return OptionalLong.of(id);
    }
    throw ApiException.badRequest(
        "id should be the id of a deleted queue, actually was " + JsonWriter.text(fields.get(ID)));
  }
}
