package io.mayflymq.cluster.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.cluster.metadata.SimulatedCluster.Node;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.ConsumeOptions;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.queue.ConsumerTarget;
import io.mayflymq.core.queue.GetResult;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.core.vhost.command.PublishListener;
import io.mayflymq.core.vhost.command.ShardCommandSender;
import io.mayflymq.core.vhost.queue.Following;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.types.BasicProperties;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.ShortString;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * Clients of a queue on all nodes of a simulated cluster, and what must be true of what they see: a
 * naive model, in which a queue is what was published and not acknowledged.
 */
final class MovingClients {
  static final String VHOST = "v";
  static final String QUEUE = "q";
  static final int PRIORITIES = 3;

  private final Map<Integer, Client> clients = new HashMap<>();
  private int lastPublisher;

  /** Publisher and number of each message that was confirmed. */
  private final Map<Integer, Set<Integer>> confirmed = new TreeMap<>();

  private final Set<List<Integer>> acknowledged = new HashSet<>();
  private final Set<List<Integer>> delivered = new HashSet<>();

  /**
   * Whether no node has crashed and no connection between nodes was lost. A power loss takes the
   * last notes of what was delivered; what was sent ahead to a node that crashes is delivered
   * behind later messages; and what was sent over a connection that is lost, and not confirmed, may
   * be stored behind later messages.
   */
  private boolean isUndisturbed = true;

  MovingClients(SimulatedCluster cluster) {
    cluster.nodes.forEach(this::connect);
  }

  /** A node has crashed, and runs again: its connections are new ones. */
  void restarted(Node node) {
    disturbed();
    connect(node);
  }

  /** A connection between nodes was lost. */
  void disturbed() {
    isUndisturbed = false;
  }

  private void connect(Node node) {
    clients.put(node.number, new Client(node, ++lastPublisher));
  }

  Client on(Node node) {
    return clients.get(node.number);
  }

  /** A connection, which publishes and may consume. */
  final class Client {
    private final Node node;
    private final int publisher;
    private final ShardCommandSender commands;
    private final int loop;
    private int lastNumber;
    private Member member;

    Client(Node node, int publisher) {
      this.node = node;
      this.publisher = publisher;
      this.loop = publisher % 2;
      this.commands =
          new ShardCommandSender(
              node.broker.shards().get(loop), node.broker.partitions(), () -> {});
    }

    private void run(Runnable work) {
      node.loops.get(loop).call(() -> node.broker.shards().get(loop).run(work));
    }

    private Queue queue() {
      VirtualHost vhost = node.broker.virtualHost(VHOST);
      return vhost == null ? null : vhost.routing().queue(QUEUE);
    }

    void publish(int count) {
      publish(count, 0);
    }

    /** Publishes messages of a priority. Their order is that of a publisher of their own. */
    void publish(int count, int priority) {
      int stream = PRIORITIES * publisher + priority;
      run(
          () -> {
            for (int i = 0; i < count; i++) {
              int number = ++lastNumber;
              commands.publish(
                  queue(), message(stream, number, priority), confirming(stream), number);
            }
          });
    }

    /** Publishes a message that is to be in the queue later, in no order. */
    void schedule(long delayMillis) {
      run(
          () -> {
            int number = ++lastNumber;
            long due = node.broker.shards().get(loop).now() + delayMillis;
            commands.schedule(
                queue(), message(-publisher, number, 0), due, confirming(-publisher), number);
          });
    }

    private PublishListener confirming(int stream) {
      return (number, accepted) -> {
        if (accepted) {
          confirmed.computeIfAbsent(stream, any -> new HashSet<>()).add((int) number);
        }
      };
    }

    void consume(int prefetch) {
      if (member == null || member.cancelled) {
        member = new Member(queue(), prefetch);
        member.join();
      }
    }

    void cancel() {
      if (member != null && !member.cancelled) {
        member.cancelled = true;
        Member gone = member;
        run(() -> gone.queue.requests().cancel(gone.consumer));
      }
    }

    void acknowledge(Random random) {
      if (member != null) {
        member.settle(random);
      }
    }

    /** Takes a message by basic.get, and acknowledges it at once. */
    void get() {
      run(
          () -> {
            CompletableFuture<Void> arrival = commands.arrivalAt(queue());
            if (arrival == null) {
              getNow(queue());
            } else {
              Queue asked = queue();
              arrival.thenRun(() -> getNow(asked));
            }
          });
    }

    private void getNow(Queue asked) {
      Following.ask(asked, at -> at.requests().fetch(true).thenAccept(got -> got(at, got)));
    }

    private void got(Queue from, GetResult got) {
      if (got != null) {
        arrived(got.message(), got.redelivered());
        node.broker
            .shards()
            .get(loop)
            .execute(() -> acknowledge(from, Consumer.ofGet(), got.sequence(), got.message()));
      }
    }

    private void acknowledge(Queue from, Consumer by, long sequence, Message message) {
      acknowledged.add(nameOf(message));
      commands.acknowledge(from, by, sequence, sequence);
    }

    /** A consumer, and those that have taken its place when the queue moved. */
    final class Member implements ConsumerTarget {
      private final Queue queue;
      private final int prefetch;
      private final Consumer consumer;
      private final List<Long> sequences = new ArrayList<>();
      private final List<Message> messages = new ArrayList<>();
      private final Map<Integer, Integer> newest = new HashMap<>();
      private boolean cancelled;

      Member(Queue queue, int prefetch) {
        this.queue = queue;
        this.prefetch = prefetch;
        this.consumer =
            new Consumer(
                ShortString.of("tag"),
                new ConsumeOptions(true, false, prefetch, FieldTable.EMPTY),
                this);
      }

      void join() {
        run(
            () ->
                queue
                    .requests()
                    .subscribe(consumer, () -> {})
                    .exceptionally(
                        failure -> {
                          cancelled = true;
                          return null;
                        }));
      }

      @Override
      public boolean reserve(Consumer asking) {
        return true;
      }

      @Override
      public void deliver(Consumer to, long sequence, Message message, boolean redelivered) {
        arrived(message, redelivered);
        if (!redelivered && isUndisturbed) {
          inOrder(newest, nameOf(message));
        }
        sequences.add(sequence);
        messages.add(message);
      }

      @Override
      public void moved(Consumer gone) {
        Member successor = new Member(queue.gate().successor().join(), prefetch);
        boolean goesOn = !cancelled && member == this;
        cancelled = true;
        if (goesOn) {
          member = successor;
          node.broker
              .shards()
              .get(loop)
              .execute(
                  () ->
                      successor
                          .queue
                          .requests()
                          .subscribe(successor.consumer, () -> {})
                          .exceptionally(
                              failure -> {
                                successor.cancelled = true;
                                return null;
                              }));
        }
      }

      @Override
      public void cancelled(Consumer gone) {
        cancelled = true;
      }

      void settle(Random random) {
        if (sequences.isEmpty()) {
          return;
        }
        int which = random.nextInt(sequences.size());
        long sequence = sequences.remove(which);
        Message message = messages.remove(which);
        run(
            () -> {
              if (random.nextInt(4) == 0) {
                commands.requeue(queue, consumer, sequence, sequence);
              } else {
                acknowledge(queue, consumer, sequence, message);
              }
            });
      }
    }
  }

  private void arrived(Message message, boolean redelivered) {
    assertThat(delivered.add(nameOf(message)) || redelivered || !isUndisturbed)
        .as("message %s is delivered again, and is not flagged so", nameOf(message))
        .isTrue();
  }

  /** What must hold of what is in the queue when everything is over. */
  void check(List<Message> left) {
    Set<List<Integer>> seen = new HashSet<>();
    Map<Integer, Integer> newest = new HashMap<>();
    for (Message message : left) {
      List<Integer> name = nameOf(message);
      assertThat(seen.add(name)).as("message %s is there once", name).isTrue();
      if (isConfirmed(name)) {
        // Of what was lost with a link it is not known when it arrived.
        inOrder(newest, name);
      }
    }
    confirmed.forEach(
        (publisher, numbers) ->
            numbers.forEach(
                number -> {
                  List<Integer> name = List.of(publisher, number);
                  assertThat(seen.contains(name) || acknowledged.contains(name))
                      .as("confirmed message %s is there", name)
                      .isTrue();
                }));
  }

  /** Messages come in the order of their publisher, unless they were scheduled. */
  private static void inOrder(Map<Integer, Integer> newest, List<Integer> name) {
    Integer before = newest.put(name.get(0), name.get(1));
    assertThat(before == null || name.get(0) < 0 ? 0 : before)
        .as("order of publisher %s", name.get(0))
        .isLessThan(name.get(1));
  }

  private boolean isConfirmed(List<Integer> name) {
    return confirmed.getOrDefault(name.get(0), Set.of()).contains(name.get(1));
  }

  /** Returns how many messages were confirmed. */
  int confirmedCount() {
    return confirmed.values().stream().mapToInt(Set::size).sum();
  }

  private static Message message(int publisher, int number, int priority) {
    byte[] properties =
        BasicProperties.builder().deliveryMode(2).priority(priority).build().encode();
    ByteBuffer content = ByteBuffer.allocate(properties.length + 2 * Integer.BYTES);
    content.put(properties).putInt(publisher).putInt(number);
    return new Message(
        ShortString.of(""),
        ShortString.of(QUEUE),
        content.array(),
        properties.length,
        Message.NO_TTL,
        priority,
        true,
        List.of());
  }

  private static List<Integer> nameOf(Message message) {
    ByteBuffer body = ByteBuffer.wrap(message.content()).position(message.propertiesLength());
    return List.of(body.getInt(), body.getInt());
  }
}
