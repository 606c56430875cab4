package io.mayflymq.server.management.resource;

import io.mayflymq.core.policy.EnumNames;
import io.mayflymq.core.policy.Pause;
import io.mayflymq.core.policy.PauseTtl;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyException;
import io.mayflymq.core.policy.PolicyKind;
import io.mayflymq.core.policy.QueuePause;
import io.mayflymq.core.security.Permission;
import io.mayflymq.core.security.ResourceKind;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.core.vhost.queue.AutoDeadLetterQueue;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.server.json.JsonWriter;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Body;
import io.mayflymq.server.management.api.Missing;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;

/** Pauses single queues, and resumes them. */
public final class PauseResource {
  private static final String WHAT = "what";
  private static final String TTL = "ttl";
  private static final String ADD = "add";

  private final ManagedBroker managed;

  public PauseResource(ManagedBroker managed) {
    this.managed = managed;
  }

  public void addTo(RequestRouter requestRouter) {
    requestRouter
        .put("queues/{vhost}/{queue}/pause", inForce(managed.atHome(this::pause)))
        .delete("queues/{vhost}/{queue}/pause", inForce(managed.atHome(this::resume)));
  }

  /** Adds what other nodes ask. */
  public void addQuestionsTo(RequestRouter questions) {
    questions
        .put("queues/{vhost}/{queue}/pause", this::pause)
        .delete("queues/{vhost}/{queue}/pause", this::resume);
  }

  /**
   * Answers when the change is in force for publishers of this node; it is for the queue when its
   * node has answered.
   */
  private RequestRouter.Handler inForce(RequestRouter.Handler change) {
    return request -> {
      Response changed = change.handle(request);
      Futures.await(managed.usableVhost(request).policies().applyNow());
      return changed;
    };
  }

  private Response pause(Request request) {
    Body.Fields fields = request.body().fields();
    requireKnown(fields);
    Pause asked = word(fields, WHAT, Pause.class, Pause.BOTH);
    PauseTtl askedTtl = word(fields, TTL, PauseTtl.class, null);
    boolean adds = fields.namedBool(ADD);
    if (!adds) {
      requireUse(asked, askedTtl);
    }
    Queue queue = managed.usableQueue(request, Permission.CONFIGURE);
    if (queue.isStream()) {
      throw ApiException.badRequest(queue + " is a stream, and streams cannot be paused");
    }
    if (AutoDeadLetterQueue.is(queue.definition())) {
      throw ApiException.badRequest(
          queue + " is the dead letter queue of another one, and cannot be paused");
    }
    VirtualHost vhost = managed.usableVhost(request);
    Policy before = before(vhost, queue.name());
    Pause pause = asked;
    PauseTtl ttl = askedTtl;
    if (adds && before != null) {
      pause = QueuePause.pauseOf(before).with(asked);
      ttl = askedTtl == null ? QueuePause.ttlOf(before) : askedTtl;
    }
    requireUse(pause, ttl);
    Response set = PolicyResource.set(vhost, policy(queue.name(), pause, ttl));
    awaitSafe(queue);
    return set;
  }

  private static void requireUse(Pause pause, PauseTtl ttl) {
    if (ttl == PauseTtl.STOP && !pause.ofDeliveries()) {
      throw ApiException.badRequest(
          "ttl should be run where what is publishing, actually was \"stop\": TTL can stand still"
              + " while deliveries are paused");
    }
  }

  /**
   * Returns the pause of a queue that there is; null if there is none.
   *
   * @throws ApiException 400 if the policy of that name is none
   */
  private static Policy before(VirtualHost vhost, String queue) {
    Policy policy =
        vhost.policies().table().policy(PolicyKind.OPERATOR_POLICY, QueuePause.nameOf(queue));
    if (policy != null && !QueuePause.is(policy, queue)) {
      throw ApiException.badRequest(
          ("operator policy '%s' in vhost '%s' is not a pause of queue '%s', and a pause needs that"
                  + " name: set the policy under another one, and clear this one")
              .formatted(policy.name(), vhost.name(), queue));
    }
    return policy;
  }

  private static Policy policy(String queue, Pause pause, PauseTtl ttl) {
    try {
      return QueuePause.of(queue, pause, ttl);
    } catch (PolicyException e) {
      throw ApiException.badRequest(
          "the name of the queue is too long for one that is paused: expected at most %d bytes"
              .formatted(QueuePause.MOST_NAME_BYTES));
    }
  }

  private static void requireKnown(Body.Fields fields) {
    for (Object name : fields.object().keySet()) {
      if (!WHAT.equals(name) && !TTL.equals(name) && !ADD.equals(name)) {
        throw ApiException.badRequest(
            "field should be %s, %s or %s, actually was %s".formatted(WHAT, TTL, ADD, name));
      }
    }
  }

  private static <E extends Enum<E>> E word(
      Body.Fields fields, String field, Class<E> type, E absent) {
    if (!fields.has(field)) {
      return absent;
    }
    Object word = fields.get(field);
    return EnumNames.constant(type, String.valueOf(word))
        .orElseThrow(
            () ->
                ApiException.badRequest(
                    "%s should be one of %s, actually was %s"
                        .formatted(
                            field, String.join(", ", EnumNames.all(type)), JsonWriter.text(word))));
  }

  /** The queue may be deleted: its pause waits for the next one of its name. */
  private Response resume(Request request) {
    VirtualHost vhost = managed.usableVhost(request);
    String name = request.parameter("queue");
    managed
        .access(request.principal(), vhost)
        .check(ResourceKind.QUEUE, name, Permission.CONFIGURE);
    before(vhost, name);
    if (!Futures.await(
        vhost.policies().clear(PolicyKind.OPERATOR_POLICY, QueuePause.nameOf(name)))) {
      throw ApiException.notFound(notPaused(vhost, name));
    }
    Queue queue = vhost.routing().queue(name);
    if (queue != null) {
      awaitSafe(queue);
    }
    return Response.noContent();
  }

  /** The queue notes when its time stood still. */
  private static void awaitSafe(Queue queue) {
    queue.here().ifPresent(here -> Futures.await(here.partition().safe()));
  }

  private static String notPaused(VirtualHost vhost, String name) {
    Queue queue = vhost.routing().queue(name);
    if (queue == null) {
      return Missing.queue(vhost, name);
    }
    return queue.settings().pace().pause() == null
        ? queue + " is not paused"
        : queue + " is paused by policies: explain_policy shows which";
  }
}
