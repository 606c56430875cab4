package io.mayflymq.server.management.resource;

import io.mayflymq.core.queue.RemovalReason;
import io.mayflymq.core.queue.Restoration;
import io.mayflymq.core.security.Permission;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.server.json.JsonWriter;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Body;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** Bringing messages back that have left a queue. */
public final class RestoreResource extends HomeRoutes {
  private static final String SINCE = "since";
  private static final String REASONS = "reasons";
  private static final String EXPIRED = "expired";
  private static final SortedSet<String> FIELDS =
      Collections.unmodifiableSortedSet(new TreeSet<>(List.of(SINCE, REASONS, EXPIRED)));
  private static final String REASON_WORDS =
      Arrays.stream(RemovalReason.values())
          .map(RemovalReason::word)
          .distinct()
          .collect(Collectors.joining(", "));

  public RestoreResource(ManagedBroker managed) {
    super(managed);
  }

  @Override
  void add(RequestRouter requestRouter, UnaryOperator<RequestRouter.Handler> where) {
    requestRouter
        .post("queues/{vhost}/{queue}/restore", where.apply(request -> restore(request, false)))
        .post(
            "queues/{vhost}/{queue}/restore/dry-run",
            where.apply(request -> restore(request, true)));
  }

  private Response restore(Request request, boolean dryRun) {
    managed.usableQueue(request, Permission.CONFIGURE);
    Queue queue = managed.usableQueue(request, Permission.WRITE);
    Restoration.Choice choice = choice(request.body().fields(), dryRun);
    Restoration.Report report = Futures.await(queue.requests().restore(choice));
    if (report.isEmpty() && !queue.settings().recoverable().isOn()) {
      throw ApiException.badRequest(
          "nothing of %s can be brought back: 'recoverable' says for how long what leaves it is"
                  .formatted(queue)
              + " kept, and is not set");
    }
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put(dryRun ? "would_be_restored" : "restored", report.total());
    Map<String, Long> reasons = new LinkedHashMap<>();
    report.restored().forEach((reason, count) -> reasons.merge(reason.word(), count, Long::sum));
    answer.put(REASONS, reasons);
    answer.put("expired", report.expired());
    answer.put("unreadable", report.unreadable());
    return Response.ok(answer);
  }

  private static Restoration.Choice choice(Body.Fields fields, boolean dryRun) {
    for (Object name : fields.object().keySet()) {
      if (!FIELDS.contains(name)) {
        throw ApiException.badRequest(
            "field should be one of %s, actually was %s"
                .formatted(String.join(", ", FIELDS), name));
      }
    }
    return new Restoration.Choice(
        since(fields), reasons(fields.get(REASONS)), renews(fields), dryRun);
  }

  private static long since(Body.Fields fields) {
    if (!fields.has(SINCE)) {
      return 0;
    } else if (fields.get(SINCE) instanceof Long millis && millis >= 0) {
      return millis;
    }
    throw ApiException.badRequest(
        "since should be a time in ms since the epoch, actually was "
            + JsonWriter.text(fields.get(SINCE)));
  }

  private static Set<RemovalReason> reasons(Object given) {
    if (given == null) {
      return EnumSet.allOf(RemovalReason.class);
    }
    if (!(given instanceof List<?> words) || words.isEmpty()) {
      throw ApiException.badRequest(
          "reasons should be a list of %s, actually was %s"
              .formatted(REASON_WORDS, JsonWriter.text(given)));
    }
    Set<RemovalReason> reasons = EnumSet.noneOf(RemovalReason.class);
    for (Object word : words) {
      Set<RemovalReason> named = RemovalReason.ofWord(String.valueOf(word));
      if (named.isEmpty()) {
        throw ApiException.badRequest(
            "reason should be one of %s, actually was %s"
                .formatted(REASON_WORDS, JsonWriter.text(word)));
      }
      reasons.addAll(named);
    }
    return reasons;
  }

  private static boolean renews(Body.Fields fields) {
    String word = fields.namedText(EXPIRED, "renew");
    return switch (word) {
      case "renew" -> true;
      case "leave" -> false;
      default ->
          throw ApiException.badRequest(
              "expired should be renew or leave, actually was " + JsonWriter.text(word));
    };
  }
}
