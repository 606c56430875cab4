package io.mayflymq.server.management.resource;

import io.mayflymq.core.queue.MessageChoice;
import io.mayflymq.core.security.Permission;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.json.JsonWriter;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Body;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;

/** Removing some of the ready messages of a queue, by what they are like. */
public final class PurgeResource extends HomeRoutes {
  private static final String COUNT = "count";
  private static final String OLDER_THAN = "older_than";
  private static final String MESSAGE_ID = "message_id";
  private static final String SEQUENCE = "sequence";
  private static final String HEADERS = "headers";
  private static final SortedSet<String> FIELDS =
      Collections.unmodifiableSortedSet(
          new TreeSet<>(List.of(COUNT, OLDER_THAN, MESSAGE_ID, SEQUENCE, HEADERS)));

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
    MessageChoice choice = choice(request.body().fields());
    long count = Futures.await(queue.requests().purge(choice, dryRun));
    return Response.ok(Json.object(dryRun ? "would_be_purged" : "purged", count));
  }

  private static MessageChoice choice(Body.Fields fields) {
    for (Object name : fields.object().keySet()) {
      if (!FIELDS.contains(name)) {
        throw ApiException.badRequest(
            "field should be one of %s, actually was %s"
                .formatted(String.join(", ", FIELDS), name));
      }
    }
    if (fields.object().isEmpty()) {
      throw ApiException.badRequest(
          "expected at least one of %s: DELETE queues/{vhost}/{queue}/contents purges all"
              .formatted(String.join(", ", FIELDS)));
    }
    return new MessageChoice(
        atLeast(fields, SEQUENCE, 0, MessageChoice.ANY),
        atLeast(fields, OLDER_THAN, 0, 0),
        fields.text(MESSAGE_ID, null),
        headers(fields.get(HEADERS)),
        atLeast(fields, COUNT, 1, Long.MAX_VALUE));
  }

  private static long atLeast(Body.Fields fields, String name, long least, long otherwise) {
    if (!fields.has(name)) {
      return otherwise;
    } else if (fields.get(name) instanceof Long number && number >= least) {
      return number;
    }
    throw ApiException.badRequest(
        "%s should be a number, %d or more, actually was %s"
            .formatted(name, least, JsonWriter.text(fields.get(name))));
  }

  private static Map<String, String> headers(Object given) {
    if (given == null) {
      return Map.of();
    }
    if (!(given instanceof Map<?, ?> object)) {
      throw ApiException.badRequest(
          "headers should be an object, actually was " + JsonWriter.text(given));
    }
    Map<String, String> headers = new TreeMap<>();
    object.forEach((name, value) -> headers.put((String) name, String.valueOf(value)));
    return headers;
  }
}
