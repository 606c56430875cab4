package io.mayflymq.cluster.simulation;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.message.NumberedMessage;
import io.mayflymq.core.policy.Policy;
import io.mayflymq.core.policy.PolicyKind;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.queue.GetResult;
import io.mayflymq.core.queue.MessageChoice;
import io.mayflymq.core.routing.Binding;
import io.mayflymq.core.routing.Route;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.vhost.KeptQueue;
import io.mayflymq.core.vhost.QueueDeclaration;
import io.mayflymq.core.vhost.Unconditional;
import io.mayflymq.core.vhost.command.PublishListener;
import io.mayflymq.core.vhost.command.ShardCommandSender;
import io.mayflymq.core.vhost.deadletter.MoveRequest;
import io.mayflymq.core.vhost.deadletter.Redrive;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.AmqpException;
import io.mayflymq.protocol.types.FieldTable;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BiConsumer;

/*
 * A client with one channel, on a loop of its node. It uses the core as the daemon's channels do: what it asks is done in order, and what needs an answer
 * holds up what follows.
 */
/** A client of a node. What it does is noted in the {@link Ledger}. */
final class SimulatedClient {
  private static final int LOOK_MILLIS = 50;

  /** The header that has the same value in all messages of a client. */
  static final String TENANT = "tenant";

  private static final Redrive.Conditions UNCONDITIONAL = new Unconditional();

  private final NodeProcess process;
  private final Shard home;
  private final Ledger ledger;
  private final ShardCommandSender commands;
  private final Deque<Runnable> requests = new ArrayDeque<>();
  private final List<Delivery> held = new ArrayList<>();
  private final List<SimulatedConsumer> consumers = new ArrayList<>();
  private final Consumer getter = Consumer.ofGet();
  private boolean waits;
  private String question;
  private boolean acknowledgesAtOnce;

  SimulatedClient(NodeProcess process, int loop, Ledger ledger) {
    this.process = process;
    this.home = process.shards().get(loop);
    this.ledger = ledger;
    this.commands = new ShardCommandSender(home, process.broker().partitions(), this::wake);
  }

  NodeProcess process() {
    return process;
  }

  Shard home() {
    return home;
  }

  Ledger ledger() {
    return ledger;
  }

  List<SimulatedConsumer> consumers() {
    return consumers;
  }

  // One after the other

  private void request(Runnable request) {
    requests.addLast(request);
    wake();
  }

  private void wake() {
    home.execute(this::goOn);
  }

  /** What was published to queues that let publishers wait comes back before anything follows. */
  private void goOn() {
    while (!waits && !commands.isPaced() && !requests.isEmpty()) {
      requests.removeFirst().run();
    }
  }

  private <T> void await(String what, CompletableFuture<T> answer, BiConsumer<T, Throwable> then) {
    waits = true;
    question = what;
    answer.whenComplete(
        (result, failure) ->
            home.execute(
                () -> {
                  waits = false;
                  expectKnown(failure);
                  then.accept(result, failure);
                  goOn();
                }));
  }

  /** Asks, and waits for the answer; what is refused at once is answered, too. */
  private <T> void ask(String what, Asking<T> asking, BiConsumer<T, Throwable> then) {
    commands.flush();
    try {
      await(what, asking.ask(), then);
    } catch (AmqpException e) {
      then.accept(null, e);
    }
  }

  @FunctionalInterface
  private interface Asking<T> {
    CompletableFuture<T> ask();
  }

  /** An error has to be one of those that clients are told. */
  private static void expectKnown(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    if (cause != null && !(cause instanceof AmqpException)) {
      throw new AssertionError("not to be told to a client: " + cause, cause);
    }
  }

  /** Does something when the dead letters are there that its earlier commands have caused. */
  private void after(CompletableFuture<Void> arrival, Runnable then) {
    if (arrival == null) {
      then.run();
    } else {
      await("what was caused", arrival, (arrived, failure) -> then.run());
    }
  }

  // Topology

  void declare(String queue, boolean durable, FieldTable arguments) {
    request(
        () ->
            ask(
                "declare",
                () ->
                    process
                        .vhost()
                        .declareQueue(
                            new QueueDeclaration(
                                queue, durable, false, false, arguments, this, home, false, true)),
                (declared, failure) -> {
                  if (failure == null && process.queue(queue) != null) {
                    ledger.queue(process.queue(queue), process);
                  }
                }));
  }

  void bind(String exchange, String queue, String key) {
    request(
        () ->
            ask(
                "bind",
                () -> process.vhost().bind(Binding.toQueue(exchange, queue, key), this),
                (bound, failure) -> {}));
  }

  void delete(String queue, boolean ifEmpty) {
    request(
        () -> {
          // Whichever queue has this name when the request arrives.
          ledger.deletionRequested(queue);
          ask(
              "delete",
              () -> process.vhost().deleteQueue(queue, this, false, ifEmpty),
              (count, failure) -> {});
        });
  }

  /** What consumers had of it they may get again, and the time of messages may begin anew. */
  void undelete(String queue) {
    request(
        () ->
            process.vhost().deletedQueues().stream()
                .filter(kept -> kept.name().equals(queue))
                .max(Comparator.comparingLong(KeptQueue::id))
                .ifPresent(
                    kept -> {
                      ledger.undeletionRequested(kept.id());
                      ask(
                          "undelete",
                          () -> process.vhost().undeleteQueue(kept, queue, this),
                          (undeleted, failure) -> {});
                    }));
  }

  /**
   * Moves messages to another queue, if the queue that they leave is at this node.
   *
   * @param most how many at most
   * @param olderThanMillis how long they have been in their queue at least
   */
  void move(String name, String target, long most, long olderThanMillis) {
    request(
        () -> {
          Queue queue = process.queue(name);
          if (queue != null && process.queue(target) != null && queue.nearest().isLocal()) {
            ledger.queue(queue, process).moving(target);
            MessageChoice choice =
                new MessageChoice(MessageChoice.ANY, olderThanMillis, null, Map.of(), most);
            MoveRequest request = new MoveRequest(choice, target, null, null, "ann", false);
            ask(
                "move",
                () -> process.vhost().redrives().move(queue, request, UNCONDITIONAL),
                (begun, failure) -> {});
          }
        });
  }

  void purge(String name) {
    request(
        () -> {
          Queue queue = process.queue(name);
          if (queue != null) {
            KnownQueue known = ledger.queue(queue, process);
            known.clearing();
            ask(
                "purge",
                () -> queue.requests().purge(),
                (count, failure) -> {
                  if (failure == null) {
                    known.cleared(ledger.published());
                  }
                });
          }
        });
  }

  void setPolicy(Policy policy) {
    request(
        () ->
            ask("set policy", () -> process.vhost().policies().set(policy), (set, failure) -> {}));
  }

  void clearPolicy(String name) {
    request(
        () ->
            ask(
                "clear policy",
                () -> process.vhost().policies().clear(PolicyKind.POLICY, name),
                (cleared, failure) -> {}));
  }

  // Publishing

  /** What is to be published. */
  record Content(boolean persistent, long ttlMillis, int padding, boolean confirmed) {}

  void publish(String exchange, String key, Content content) {
    request(
        () -> {
          Message probe =
              NumberedMessage.of(0, content.persistent, content.ttlMillis, content.padding);
          Route<Queue> route = process.vhost().routing().route(exchange, key, probe::properties);
          after(commands.arrivalAt(route), () -> publishWhenNotPaused(route, content));
        });
  }

  /** Nothing that follows is handled meanwhile; as the daemon does, it looks again and again. */
  private void publishWhenNotPaused(Route<Queue> route, Content content) {
    waits = isPaused(route);
    if (waits) {
      question = "publish to a paused queue";
      home.loop()
          .schedule(
              () ->
                  home.run(
                      () -> {
                        publishWhenNotPaused(route, content);
                        goOn();
                      }),
              LOOK_MILLIS);
    } else {
      publishTo(route, content);
    }
  }

  private boolean isPaused(Route<Queue> route) {
    for (int i = 0; i < route.size(); i++) {
      Queue queue = process.queue(route.get(i).name());
      if (queue != null && queue.settings().pace().pausesPublishing()) {
        return true;
      }
    }
    return false;
  }

  private void publishTo(Route<Queue> route, Content content) {
    List<KnownQueue> queues = new ArrayList<>();
    for (int i = 0; i < route.size(); i++) {
      queues.add(ledger.queue(route.get(i), process));
    }
    Publication made =
        ledger.publish(this, content.persistent, content.ttlMillis, 0, content.confirmed, queues);
    commands.publish(
        route,
        message(made.number, content),
        content.confirmed ? new Outcomes(made) : null,
        made.number);
  }

  private Message message(int number, Content content) {
    return NumberedMessage.of(
        number,
        content.persistent,
        content.ttlMillis,
        content.padding,
        FieldTable.builder().put(TENANT, process.node().number() + "." + home.index()).build());
  }

  /** Publishes a message that is to be there later. */
  void schedule(String name, long delayMillis, Content content) {
    request(
        () -> {
          Queue queue = process.queue(name);
          if (queue != null) {
            after(commands.arrivalAt(queue), () -> schedule(queue, delayMillis, content));
          }
        });
  }

  private void schedule(Queue queue, long delayMillis, Content content) {
    Publication made =
        ledger.publish(
            this,
            content.persistent,
            content.ttlMillis,
            delayMillis,
            content.confirmed,
            List.of(ledger.queue(queue, process)));
    commands.schedule(
        queue,
        message(made.number, content),
        home.now() + delayMillis,
        content.confirmed ? new Outcomes(made) : null,
        made.number);
  }

  private record Outcomes(Publication publication) implements PublishListener {
    @Override
    public void settled(long sequence, boolean accepted) {
      publication.outcome(accepted, false);
    }

    @Override
    public void failed(long sequence) {
      publication.outcome(false, true);
    }
  }

  // Consuming

  void consume(String name, boolean acknowledges, int prefetch, boolean sharesRoom) {
    request(
        () -> {
          Queue queue = process.queue(name);
          if (queue != null) {
            after(
                commands.arrivalAt(queue),
                () -> subscribe(queue, acknowledges, prefetch, sharesRoom));
          }
        });
  }

  private void subscribe(Queue queue, boolean acknowledges, int prefetch, boolean sharesRoom) {
    KnownQueue known = ledger.queue(queue, process);
    if (!acknowledges) {
      known.useWithoutAcknowledgement();
    }
    SimulatedConsumer added =
        new SimulatedConsumer(this, queue, known, acknowledges, prefetch, sharesRoom);
    ask(
        "consume",
        () -> queue.requests().subscribe(added.consumer(), added::admitted),
        (subscribed, failure) -> {
          if (failure == null) {
            added.subscribed();
            consumers.add(added);
          } else {
            added.refused();
          }
        });
  }

  void cancel(Random random) {
    request(
        () -> {
          if (!consumers.isEmpty()) {
            cancel(consumers.remove(random.nextInt(consumers.size())));
          }
        });
  }

  private void cancel(SimulatedConsumer consumer) {
    consumer.cancelling();
    ask(
        "cancel",
        () -> consumer.queue().requests().cancel(consumer.consumer()),
        (cancelled, failure) -> {});
  }

  /** Cancels all consumers. */
  void cancelAll() {
    request(
        () -> {
          for (SimulatedConsumer each : List.copyOf(consumers)) {
            request(() -> cancel(each));
          }
          consumers.clear();
        });
  }

  /** Ends its consumers, and gives back what it holds, as the end of a channel does. */
  void close() {
    request(
        () -> {
          for (SimulatedConsumer each : List.copyOf(consumers)) {
            cancel(each);
          }
          consumers.clear();
          while (!held.isEmpty()) {
            settle(held.size() - 1, Settlement.FAIL);
          }
          commands.flush();
        });
  }

  /** A consumer was told that it gets no more. */
  void cancelled(SimulatedConsumer consumer) {
    consumers.remove(consumer);
  }

  /** A message has come. */
  void received(Delivery delivery) {
    if (delivery.state() == Delivery.State.HELD) {
      held.add(delivery);
      if (acknowledgesAtOnce) {
        settle(held.size() - 1, Settlement.ACKNOWLEDGE);
      }
    }
  }

  void get(String name, boolean acknowledges) {
    request(
        () -> {
          Queue queue = process.queue(name);
          if (queue != null) {
            after(commands.arrivalAt(queue), () -> get(queue, acknowledges));
          }
        });
  }

  private void get(Queue queue, boolean acknowledges) {
    KnownQueue known = ledger.queue(queue, process);
    if (!acknowledges) {
      known.useWithoutAcknowledgement();
    }
    known.fetching();
    ask(
        "get",
        () ->
            queue
                .requests()
                .fetch(acknowledges)
                .thenApply(result -> result == null ? null : fetched(queue, known, result)),
        (delivery, failure) -> {
          if (failure == null) {
            known.fetched();
          }
          if (delivery != null) {
            received(delivery);
          }
        });
  }

  /** On the shard of the queue, so that it is known by which connection the message came. */
  private Delivery fetched(Queue queue, KnownQueue known, GetResult result) {
    Delivery delivery =
        delivery(known, queue, getter, result.sequence(), result.message(), result.redelivered());
    ledger.delivered(delivery);
    return delivery;
  }

  Delivery delivery(
      KnownQueue known,
      Queue queue,
      Consumer to,
      long sequence,
      Message message,
      boolean redelivered) {
    boolean isHere = queue.isLocal() || known.isReplicated();
    SimulatedConnection connection =
        isHere ? null : process.cluster().network().connection(process, queue.shard(), known.home);
    NodeProcess from = connection == null ? null : connection.far.process;
    return new Delivery(
        this, queue, to, sequence, message, redelivered, isHere ? process : from, connection);
  }

  // Settling

  /** What a client does with what it holds. */
  enum Settlement {
    ACKNOWLEDGE,
    REJECT,
    REQUEUE,
    FAIL
  }

  void settle(Random random) {
    request(
        () -> {
          for (int count = random.nextInt(4); count >= 0 && !held.isEmpty(); count--) {
            Settlement how =
                switch (random.nextInt(5)) {
                  case 0 -> Settlement.REJECT;
                  case 1, 2 -> Settlement.REQUEUE;
                  default -> Settlement.ACKNOWLEDGE;
                };
            settle(random.nextInt(held.size()), how);
          }
        });
  }

  private void settle(int index, Settlement how) {
    Delivery delivery = held.remove(index);
    long sequence = delivery.sequence;
    switch (how) {
      case ACKNOWLEDGE -> {
        delivery.setState(Delivery.State.ENDED);
        commands.acknowledge(delivery.queue, delivery.consumer, sequence, sequence);
      }
      case REJECT -> {
        delivery.setState(Delivery.State.REJECTED);
        commands.reject(delivery.queue, delivery.consumer, sequence, sequence);
      }
      case REQUEUE -> {
        delivery.setState(Delivery.State.RETURNED);
        commands.requeue(delivery.queue, delivery.consumer, sequence, sequence);
      }
      case FAIL -> {
        delivery.setState(Delivery.State.RETURNED);
        commands.fail(delivery.queue, delivery.consumer, sequence, sequence);
      }
    }
  }

  /** From now on all that it holds and is given is acknowledged, and its consumers have room. */
  void acknowledgeAll() {
    request(
        () -> {
          acknowledgesAtOnce = true;
          while (!held.isEmpty()) {
            settle(held.size() - 1, Settlement.ACKNOWLEDGE);
          }
          List.copyOf(consumers).forEach(consumer -> consumer.setRoom(Integer.MAX_VALUE));
        });
  }

  /** Sets how many messages one of its consumers takes before it has no more room. */
  void setRoom(Random random) {
    request(
        () -> {
          if (!consumers.isEmpty()) {
            consumers.get(random.nextInt(consumers.size())).setRoom(random.nextInt(5));
          }
        });
  }

  // Looking

  /** Returns whether nothing that it has asked is open. */
  boolean isIdle() {
    return !waits && requests.isEmpty() && commands.isSettled();
  }

  @Override
  public String toString() {
    return "client on %s of node %d%s%s%s"
        .formatted(
            home,
            process.node().number(),
            waits ? ", waiting for " + question : "",
            requests.isEmpty() ? "" : ", requests " + requests.size(),
            commands.isSettled() ? "" : ", batches under way");
  }
}
