package io.mayflymq.server.management.resource;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.policy.LeaseUse;
import io.mayflymq.core.policy.QueueType;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.queue.GetResult;
import io.mayflymq.core.routing.Route;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.security.AnswerAwaitedException;
import io.mayflymq.core.security.Permission;
import io.mayflymq.core.security.ResourceKind;
import io.mayflymq.core.security.VhostAccess;
import io.mayflymq.core.vhost.ReplySender;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.core.vhost.command.PublishListener;
import io.mayflymq.core.vhost.command.ShardCommandSender;
import io.mayflymq.core.vhost.partition.Partitions;
import io.mayflymq.core.vhost.queue.Preconditions;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.AmqpException;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.ReplyCode;
import io.mayflymq.protocol.types.ShortString;
import io.mayflymq.server.channel.Publisher;
import io.mayflymq.server.channel.PublishingPauses;
import io.mayflymq.server.http.BodyLimit;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.management.api.Body;
import io.mayflymq.server.management.api.Listing;
import io.mayflymq.server.management.api.MessageMemory;
import io.mayflymq.server.management.api.Missing;
import io.mayflymq.server.management.api.Request;
import io.mayflymq.server.management.api.RequestRouter;
import io.mayflymq.server.management.api.Response;
import io.mayflymq.server.management.json.MessageJson;
import io.mayflymq.server.management.json.MessagePropertiesJson;
import io.mayflymq.server.management.json.PathNames;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Publishes and gets messages by HTTP: for inspection and experiments, not for production traffic.
 * A publish is answered when the message is as safe as a confirmed one.
 */
public final class MessageResource {
  private static final int LARGEST_COUNT = 10_000;

  private final ManagedBroker managed;
  private final int maxMessageSize;
  private final BodyLimit bodyLimit;
  private final MessageMemory memory;

  /**
   * @param bodyLimit what a request to publish may take
   * @param memory for messages that are got
   */
  public MessageResource(
      ManagedBroker managed, int maxMessageSize, BodyLimit bodyLimit, MessageMemory memory) {
    this.memory = memory;
    this.managed = managed;
    this.maxMessageSize = maxMessageSize;
    this.bodyLimit = bodyLimit;
  }

  public void addTo(RequestRouter requestRouter) {
    requestRouter
        .post("exchanges/{vhost}/{exchange}/publish", bodyLimit, this::publish)
        .post("queues/{vhost}/{queue}/get", this::get);
  }

  // Publishing

  private Response publish(Request request) {
    managed.requireServing();
    VirtualHost vhost = managed.usableVhostToPutInto(request);
    Body.Fields fields =
        request.body().fields().require("routing_key", "properties", "payload", "payload_encoding");
    byte[] payload = payload(fields.get("payload"), fields.text("payload_encoding", "string"));
    if (payload.length > maxMessageSize) {
      throw ApiException.badRequest(
          "message size %d is larger than configured max size %d"
              .formatted(payload.length, maxMessageSize));
    }
    byte[] properties = MessagePropertiesJson.parse(fields.get("properties")).encode();
    byte[] content = Arrays.copyOf(properties, properties.length + payload.length);
    System.arraycopy(payload, 0, content, properties.length, payload.length);
    String exchange = request.exchange();
    String routingKey = fields.text("routing_key", "");
    PathNames.check("exchange", exchange);
    PathNames.check("routing key", routingKey);
    if (vhost.routing().exchange(exchange) == null) {
      throw ApiException.missing("exchange_not_found", Missing.exchange(vhost, exchange));
    }
    VhostAccess access = managed.accessOnShard(request.principal(), vhost);
    Function<Publisher, Publisher.Accepted> message =
        publisher ->
            publisher.accept(
                ShortString.of(exchange),
                ShortString.of(routingKey),
                false,
                content,
                properties.length);
    while (true) {
      try {
        return Response.ok(Map.of("routed", awaitPublish(publish(vhost, access, message))));
      } catch (AnswerAwaitedException e) {
        Futures.await(e.answer());
      }
    }
  }

  private CompletableFuture<Boolean> publish(
      VirtualHost vhost, VhostAccess access, Function<Publisher, Publisher.Accepted> message) {
    Partitions partitions = managed.broker().partitions();
    CompletableFuture<Boolean> routed = new CompletableFuture<>();
    Shard home = partitions.get(0).shard();
    home.execute(
        () -> {
          try {
            Publisher.Accepted accepted =
                message.apply(
                    new Publisher(vhost, () -> access, home.index(), () -> null, bytes -> {}));
            Queue paused = PublishingPauses.in(accepted.route());
            if (paused != null) {
              throw Preconditions.precondition(paused, "is paused, and its publishers wait");
            }
            Message published = accepted.takeMessage();
            ReplySender replies = new ReplySender(home, vhost.replies());
            accepted.replyNames().forEach(name -> replies.send(name, published));
            ShardCommandSender commands = new ShardCommandSender(home, partitions, () -> {});
            commands.refuseAtOnce();
            send(published, accepted.route(), commands, routed);
          } catch (RuntimeException e) {
            routed.completeExceptionally(e);
          }
        });
    return routed;
  }

  /** Decodes it as RabbitMQ does: with its padding; white space is skipped. */
  private static byte[] base64(String text) {
    String digits = text.replaceAll("\\s", "");
    if (digits.length() % 4 != 0) {
      throw new IllegalArgumentException("no padding");
    }
    return Base64.getDecoder().decode(digits);
  }

  private static byte[] payload(Object given, String encoding) {
    if (!(given instanceof String payload)) {
      throw ApiException.badRequest("payload_not_string");
    }
    return switch (encoding) {
      case "string" -> payload.getBytes(StandardCharsets.UTF_8);
      case "base64" -> {
        try {
          yield base64(payload);
        } catch (IllegalArgumentException e) {
          throw ApiException.badRequest(List.of("not_base64", payload));
        }
      }
      default -> throw ApiException.badRequest(List.of("unsupported_encoding", encoding));
    };
  }

  private static void send(
      Message message,
      Route<Queue> route,
      ShardCommandSender commands,
      CompletableFuture<Boolean> routed) {
    if (route.isEmpty()) {
      routed.complete(false);
      return;
    }
    PublishListener listener =
        new PublishListener() {
          private int waitingFor = route.size();
          private boolean taken = true;

          @Override
          public void settled(long publishSequence, boolean accepted) {
            taken &= accepted;
            if (--waitingFor == 0) {
              routed.complete(taken);
            }
          }
        };
    commands.publish(route, message, listener, 0);
  }

  /**
   * Waits for a publish. An error that would close a channel is reported as text with its code, as
   * in RabbitMQ.
   */
  private static boolean awaitPublish(CompletableFuture<Boolean> routed) {
    return Futures.await(
        routed.exceptionallyCompose(
            e ->
                CompletableFuture.failedFuture(
                    e instanceof AmqpException refused ? asText(refused) : e)));
  }

  private static ApiException asText(AmqpException refused) {
    return ApiException.badRequest(refused.code().code() + " " + refused.replyText());
  }

  // Getting

  private enum AckMode {
    ACK_REQUEUE_TRUE(true, true),
    ACK_REQUEUE_FALSE(false, false),
    REJECT_REQUEUE_TRUE(true, true),
    REJECT_REQUEUE_FALSE(true, false);

    /** Whether the messages stay unacknowledged until all have been taken. */
    final boolean acknowledges;

    final boolean requeues;

    AckMode(boolean acknowledges, boolean requeues) {
      this.acknowledges = acknowledges;
      this.requeues = requeues;
    }

    static AckMode of(String name) {
      for (AckMode mode : values()) {
        if (mode.name().equalsIgnoreCase(name)) {
          return mode;
        }
      }
      throw ApiException.badRequest(
          "Invalid ackmode value: %s. Valid values are: ack_requeue_true, ack_requeue_false,"
                  .formatted(name)
              + " reject_requeue_true, reject_requeue_false");
    }
  }

  private Response get(Request request) {
    managed.requireServing();
    VirtualHost vhost = managed.usableVhostToPutInto(request);
    Body.Fields fields = request.body().fields().require("ackmode", "count", "encoding");
    AckMode mode = AckMode.of(fields.text("ackmode", ""));
    MessageJson.Encoding encoding = MessageJson.Encoding.of(fields.text("encoding", "auto"));
    long count = Math.min(LARGEST_COUNT, fields.number("count", 1));
    long truncate = fields.number("truncate", Integer.MAX_VALUE);
    String name = request.parameter("queue");
    if (vhost.routing().queue(name) == null) {
      throw ApiException.missing("queue_not_found", Missing.queue(vhost, name));
    }
    Queue queue = readable(request, vhost, name);
    MessageMemory.Share share = memory.share();
    try {
      List<Taken> taken = take(queue, mode, count, truncate, share);
      return new Response(
          200, Listing.lazy(taken, each -> each.object(vhost, encoding)), Map.of(), share);
    } catch (RuntimeException | Error e) {
      share.release();
      throw e;
    }
  }

  /** As RabbitMQ does, this operation alone names the error that would close a channel. */
  private Queue readable(Request request, VirtualHost vhost, String name) {
    try {
      managed.access(request.principal(), vhost).check(ResourceKind.QUEUE, name, Permission.READ);
      Queue queue = vhost.queue(name, request.principal());
      if (queue.settings().type() == QueueType.STREAM) {
        AmqpException lack = queue.streamsLack("basic.get");
        throw ApiException.badRequest(lack.code().code() + " " + lack.detail());
      }
      return queue;
    } catch (ChannelException e) {
      throw e.code() == ReplyCode.ACCESS_REFUSED
          ? ApiException.notAuthorised(e.replyText())
          : asText(e);
    }
  }

  /** A message that was got, as far as it will be shown. */
  private record Taken(MessageJson.Shown shown, GetResult fetched) {
    static Taken of(GetResult fetched, long truncate) {
      MessageJson.Shown shown = MessageJson.cut(fetched.message(), truncate);
      return new Taken(
          shown,
          new GetResult(
              fetched.sequence(), shown.message(), fetched.redelivered(), fetched.remaining()));
    }

    Map<String, Object> object(VirtualHost vhost, MessageJson.Encoding encoding) {
      Message sent = vhost.asSent(shown.message());
      Map<String, Object> object =
          MessageJson.of(new MessageJson.Shown(sent, shown.bodyLength()), encoding);
      object.put("redelivered", fetched.redelivered());
      object.put("message_count", fetched.remaining());
      return object;
    }
  }

  /**
   * Returns as many messages as are there and wanted, or fewer if they would take too much memory.
   */
  private List<Taken> take(
      Queue queue, AckMode mode, long count, long truncate, MessageMemory.Share share) {
    List<Taken> taken = new ArrayList<>();
    try {
      while (taken.size() < count && share.hasRoom()) {
        GetResult fetched = fetch(queue, mode);
        if (fetched == null) {
          break;
        }
        Taken one = Taken.of(fetched, truncate);
        taken.add(one);
        share.set(share.bytes() + one.shown.bytes());
      }
    } finally {
      Futures.await(settle(queue, taken.stream().map(Taken::fetched).toList(), mode));
    }
    return taken;
  }

  /** Returns the next message, or null. One that comes too late goes back to the queue. */
  private GetResult fetch(Queue queue, AckMode mode) {
    CompletableFuture<GetResult> next =
        queue.requests().fetch(mode.acknowledges, mode.requeues ? LeaseUse.PEEK : LeaseUse.GET);
    try {
      return Futures.await(next);
    } catch (RuntimeException e) {
      next.thenAccept(
          late -> {
            if (late != null) {
              settle(queue, List.of(late), AckMode.ACK_REQUEUE_TRUE);
            }
          });
      throw e;
    }
  }

  private CompletableFuture<Void> settle(Queue queue, List<GetResult> taken, AckMode mode) {
    CompletableFuture<Void> settled = new CompletableFuture<>();
    if (!mode.acknowledges || taken.isEmpty()) {
      settled.complete(null);
      return settled;
    }
    Shard shard = queue.shard();
    shard.execute(
        () -> {
          ShardCommandSender commands =
              new ShardCommandSender(
                  shard, managed.broker().partitions(), () -> settled.complete(null));
          Consumer noConsumer = Consumer.ofGet();
          for (GetResult fetched : taken) {
            long sequence = fetched.sequence();
            if (mode.requeues) {
              commands.requeue(queue, noConsumer, sequence, sequence);
            } else {
              commands.reject(queue, noConsumer, sequence, sequence);
            }
          }
        });
    return settled;
  }
}
