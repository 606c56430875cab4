package io.mayflymq.server.channel;

import io.mayflymq.core.deprecation.DeprecatedFeature;
import io.mayflymq.core.deprecation.DeprecatedFeatures;
import io.mayflymq.core.message.Message;
import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.metrics.Counters;
import io.mayflymq.core.policy.Dialect;
import io.mayflymq.core.policy.ExpirySettings;
import io.mayflymq.core.policy.QueueSettings;
import io.mayflymq.core.policy.QueueType;
import io.mayflymq.core.policy.TimeoutAction;
import io.mayflymq.core.queue.ConsumeOptions;
import io.mayflymq.core.queue.Consumer;
import io.mayflymq.core.queue.GetResult;
import io.mayflymq.core.routing.MetadataSize;
import io.mayflymq.core.runtime.Causes;
import io.mayflymq.core.security.AnswerAwaitedException;
import io.mayflymq.core.security.Permission;
import io.mayflymq.core.security.ResourceKind;
import io.mayflymq.core.vhost.Firehose;
import io.mayflymq.core.vhost.ReplyConsumers;
import io.mayflymq.core.vhost.queue.ConsumerExit;
import io.mayflymq.core.vhost.queue.Following;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.core.vhost.queue.QueueGate;
import io.mayflymq.protocol.method.BasicMethod;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.ConnectionException;
import io.mayflymq.protocol.types.RawProperties;
import io.mayflymq.protocol.types.ReplyCode;
import io.mayflymq.protocol.types.ShortString;
import io.mayflymq.server.channel.ChannelEvent.ConsumerCreated;
import io.mayflymq.server.channel.ChannelEvent.ConsumerDeleted;
import io.mayflymq.server.rate.ConnectionRates;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The consumers of a channel, {@code basic.get}, and the deliveries to both. */
final class ConsumerOperations {
  /** For how many queues what a channel takes is counted. */
  private static final int MOST_QUEUES = 1000;

  private final int number;
  private final ChannelContext channel;
  private final ConnectionContext connection;
  private final CommandOrder order;
  private final QueueOperations queues;
  private final ChannelIdentity identity;
  private final Counters counters;

  /** By the names of queues, as long as there are not too many. */
  private final Map<String, Counters> queueCounters = new HashMap<>();

  private static final Logger LOGGER = LoggerFactory.getLogger(ConsumerOperations.class);

  private final Map<String, DeliverySource> consumers = new LinkedHashMap<>();
  private final UnackedDeliveries unacked;
  private ReplyReceiver replies;
  private final ConsumerTimeout timeout;
  private final DeliveryTimeouts locks;
  private final TimesRenewed timesRenewed;
  private final RenewalCounts renewals;
  private final RevokedTags lost = new RevokedTags();
  private DeliverySource lastFetched;
  private int prefetch;
  private volatile ChannelPrefetch credit;

  ConsumerOperations(
      ChannelContext channel,
      ConnectionContext connection,
      CommandOrder order,
      QueueOperations queues,
      Counters counters) {
    this.number = channel.number();
    this.unacked = new UnackedDeliveries(channel::keep);
    this.channel = channel;
    this.connection = connection;
    this.order = order;
    this.queues = queues;
    this.identity = new ChannelIdentity(connection.identity(), number);
    this.counters = counters;
    this.timeout =
        new ConsumerTimeout(
            number,
            unacked,
            connection.home(),
            connection.settings().consumerTimeoutMillis(),
            this::timedOut);
    this.locks =
        new DeliveryTimeouts(
            unacked,
            connection.home(),
            connection.settings().consumerTimeoutMillis(),
            this::lockEnded);
    this.timesRenewed = new TimesRenewed(unacked);
    this.renewals = new RenewalCounts(connection.home());
  }

  /** The oldest delivery has been unacknowledged for too long. */
  private void timedOut(ChannelException error) {
    Queue queue = unacked.source(unacked.firstTag()).queue();
    if (queue.definition().settings().type() != QueueType.QUORUM) {
      deprecated().use(DeprecatedFeature.CLASSIC_QUEUE_CONSUMER_TIMEOUT);
    }
    connection.fail(number, error);
  }

  /** Returns the identity of the channel. Any thread may call. */
  ChannelIdentity identity() {
    return identity;
  }

  /** Returns what the channel has taken from each queue, as long as there are not too many. */
  Map<String, Counters> queues() {
    return Map.copyOf(queueCounters);
  }

  /** Returns where deliveries of a source are counted by their queue. */
  Counters countersOf(DeliverySource source) {
    if (source.counters() == null) {
      source.countIn(countersOf(source.queue().name()));
    }
    return source.counters();
  }

  private Counters countersOf(String queue) {
    Counters known = queueCounters.get(queue);
    if (known != null) {
      return known;
    }
    Counters added = new Counters();
    if (queueCounters.size() < MOST_QUEUES) {
      queueCounters.put(queue, added);
      channel.keep(MetadataSize.ofCounters(queue));
    }
    return added;
  }

  int consumerCount() {
    return consumers.size();
  }

  /** Returns the prefetch limit of the next consumer; 0 for no limit. */
  int prefetch() {
    return prefetch;
  }

  /** Returns the prefetch limit of all consumers together; 0 for no limit. */
  int globalPrefetch() {
    ChannelPrefetch shared = credit;
    return shared == null ? 0 : shared.limit();
  }

  UnackedDeliveries unacked() {
    return unacked;
  }

  /** Returns the dialect of the virtual host. */
  Dialect dialect() {
    return connection.vhost().dialect();
  }

  private DeprecatedFeatures deprecated() {
    return connection.vhost().deprecatedFeatures();
  }

  /** Returns the tags of deliveries that were taken back before they were settled. */
  RevokedTags lost() {
    return lost;
  }

  /** Returns the limit that the channel's consumers share, or null. Any thread may call. */
  ChannelPrefetch credit() {
    return credit;
  }

  void qos(BasicMethod.Qos qos) {
    if (qos.prefetchSize() != 0) {
      throw new ConnectionException(
          ReplyCode.NOT_IMPLEMENTED, "prefetch_size!=0 (%d)".formatted(qos.prefetchSize()));
    }
    boolean shared = connection.client().hasPrefetchForChannel();
    if (qos.global()) {
      // As in RabbitMQ 4.3, a limit that may not be shared is that of each consumer.
      shared |= deprecated().use(DeprecatedFeature.GLOBAL_QOS);
    }
    if (shared) {
      if (credit == null) {
        credit = new ChannelPrefetch(unacked.countOfConsumers());
      }
      credit.setLimit(qos.prefetchCount());
      // Queues of other nodes should not send ahead of a limit that consumers share.
      consumers.values().forEach(DeliverySource::resume);
    } else {
      prefetch = qos.prefetchCount();
    }
    channel.reply(false, BasicMethod.QosOk.INSTANCE);
  }

  void consume(BasicMethod.Consume consume) {
    if (consume.queue().equals(ReplyConsumers.PSEUDO_QUEUE)) {
      consumeReplies(consume);
      return;
    }
    String tag = freeTag(consume);
    channel.requireMemory("cannot consume from queue '%s'".formatted(consume.queue()));
    Queue queue = queues.find(consume.queue(), Permission.READ);
    int limit = prefetchFor(queue);
    ConsumeChecks.check(queue, consume, limit, dialect(), deprecated());
    ConsumeOptions options =
        new ConsumeOptions(!consume.noAck(), consume.exclusive(), limit, consume.arguments());
    order.after(
        queue,
        () -> {
          connection.commands().flush();
          channel.await(
              Following.ask(queue, at -> subscribe(at, tag, options, consume.noWait())),
              done -> {});
        });
  }

  /** A consumer of a stream needs a limit. As in RabbitMQ that of the channel will do. */
  private int prefetchFor(Queue queue) {
    return prefetch == 0 && queue.isStream() ? globalPrefetch() : prefetch;
  }

  /** Makes a consumer of a queue, in place of one that it had where it was before. */
  private Consumer join(Queue queue, String tag, ConsumeOptions options) {
    ChannelConsumerTarget outlet =
        new ChannelConsumerTarget(queue, connection.linkFrom(queue.shard()), this);
    Consumer consumer = new Consumer(ShortString.of(tag), options, outlet);
    if (consumers.put(tag, outlet.attach(consumer)) == null) {
      channel.keep(memoryOf(consumer));
    }
    return consumer;
  }

  private static long memoryOf(Consumer consumer) {
    return MetadataSize.ofConsumer(consumer.tag().value(), consumer.options().arguments());
  }

  private CompletableFuture<Void> subscribe(
      Queue queue, String tag, ConsumeOptions options, boolean noWait) {
    return connection
        .home()
        .call(() -> subscribeNow(queue, tag, options, noWait))
        .thenCompose(subscribed -> subscribed);
  }

  private CompletableFuture<Void> subscribeNow(
      Queue queue, String tag, ConsumeOptions options, boolean noWait) {
    Consumer consumer = join(queue, tag, options);
    // Sent before the first delivery: when the subscription is done, messages may already be in
    // transit.
    Runnable sayOk =
        () -> {
          channel.reply(noWait, new BasicMethod.ConsumeOk(tag));
          emit(new ConsumerCreated(identity, queue.name(), consumer));
        };
    return queue.requests().subscribe(consumer, () -> atHome(sayOk));
  }

  /** Called when the queue of a consumer has moved: the consumer is to join it at its new place. */
  void moved(Consumer consumer) {
    String tag = consumer.tag().value();
    DeliverySource source = consumers.get(tag);
    if (channel.isOpen() && source != null && source.consumer() == consumer) {
      source.queue().gate().successor().thenAccept(next -> atHome(() -> rejoin(next, consumer)));
    }
  }

  /** The client does not learn of it, unless the queue cannot be reached any more. */
  private void rejoin(Queue next, Consumer before) {
    String tag = before.tag().value();
    DeliverySource source = consumers.get(tag);
    if (!channel.isOpen() || source == null || source.consumer() != before) {
      return;
    }
    Consumer consumer = join(next, tag, before.options());
    next.requests()
        .subscribe(consumer, () -> {})
        .exceptionally(
            failure -> {
              atHome(() -> failedToRejoin(consumer, failure));
              return null;
            });
  }

  private void failedToRejoin(Consumer consumer, Throwable failure) {
    if (Causes.of(failure) instanceof QueueGate.MovedException) {
      moved(consumer);
    } else {
      cancelled(consumer);
    }
  }

  private String freeTag(BasicMethod.Consume consume) {
    String tag = consume.consumerTag();
    if (consumers.containsKey(tag)) {
      throw new ConnectionException(
          ReplyCode.NOT_ALLOWED, "attempt to reuse consumer tag '%s'".formatted(tag));
    }
    int most = connection.settings().consumerMaxPerChannel();
    if (consumers.size() >= most) {
      throw new ConnectionException(
          ReplyCode.NOT_ALLOWED, "reached maximum (%d) of consumers per channel".formatted(most));
    }
    return tag.isEmpty() ? GeneratedNames.generatedConsumerTag() : tag;
  }

  private void consumeReplies(BasicMethod.Consume consume) {
    String tag = freeTag(consume);
    if (!consume.noAck()) {
      throw new ChannelException(
          ReplyCode.PRECONDITION_FAILED, "reply consumer cannot acknowledge");
    }
    if (replies != null) {
      throw new ChannelException(ReplyCode.PRECONDITION_FAILED, "reply consumer already set");
    }
    replies = new ReplyReceiver(connection, number, tag, unacked, counters);
    channel.reply(consume.noWait(), new BasicMethod.ConsumeOk(tag));
  }

  /**
   * Returns the name that replies to this channel are sent to, or null if it has no reply consumer.
   */
  String replyName() {
    return replies == null ? null : replies.name();
  }

  private void closeReplies() {
    if (replies != null) {
      replies.close();
      replies = null;
    }
  }

  /** Notes that a consumer is no longer among those of the channel. */
  private void left(DeliverySource source) {
    channel.keep(-memoryOf(source.consumer()));
    emit(new ConsumerDeleted(identity, source.queue().name(), source.consumer()));
  }

  private void emit(ChannelEvent event) {
    connection.vhost().events().happened(event);
  }

  private void atHome(Runnable task) {
    if (connection.home().isCurrent()) {
      task.run();
    } else {
      connection.home().execute(task);
    }
  }

  void cancel(BasicMethod.Cancel cancel) {
    if (replies != null && replies.tag().equals(cancel.consumerTag())) {
      closeReplies();
      channel.reply(cancel.noWait(), new BasicMethod.CancelOk(cancel.consumerTag()));
      return;
    }
    DeliverySource source = consumers.get(cancel.consumerTag());
    if (source == null) {
      channel.reply(cancel.noWait(), new BasicMethod.CancelOk(cancel.consumerTag()));
    } else {
      order.after(source.queue(), () -> cancel(source, cancel.noWait()));
    }
  }

  private void cancel(DeliverySource source, boolean noWait) {
    String tag = source.consumer().tag().value();
    if (consumers.remove(tag, source)) {
      left(source);
    }
    connection.commands().flush();
    // What the queue has delivered is handed over at the end of its burst, and waits for its turn
    // here then: the answer comes behind both.
    channel.await(
        source
            .queue()
            .requests()
            .cancel(source.consumer())
            .thenApplyAsync(Function.identity(), source.queue().shard()::execute)
            .thenApplyAsync(Function.identity(), connection.home()::execute),
        done -> channel.reply(noWait, new BasicMethod.CancelOk(tag)));
  }

  void get(BasicMethod.Get get) {
    Queue queue = queues.find(get.queue(), Permission.READ);
    connection.commands().flush();
    order.after(queue, () -> fetch(queue, !get.noAck()));
  }

  private void fetch(Queue queue, boolean acknowledges) {
    ConnectionRates rates = connection.rates();
    boolean isBound = rates.boundDeliveries();
    ConnectionRates.Get counted = isBound ? rates.get(connection.home()) : null;
    if (isBound && counted == null) {
      fetched(queue, null);
      return;
    }
    CompletableFuture<Fetched> fetch =
        Following.ask(
            queue, at -> at.requests().fetch(acknowledges).thenApply(got -> new Fetched(at, got)));
    if (isBound) {
      fetch.whenComplete(
          (fetched, failure) -> {
            if (failure != null || fetched.result() == null) {
              atHome(counted::giveBack);
            }
          });
    }
    channel.await(fetch, fetched -> fetched(fetched.queue(), fetched.result()));
  }

  /**
   * What {@code basic.get} has got.
   *
   * @param queue which it may have followed to its new place
   * @param result null if no message was ready
   */
  private record Fetched(Queue queue, GetResult result) {}

  private void fetched(Queue queue, GetResult fetched) {
    if (!channel.isOpen()) {
      putBack(queue, fetched);
      return;
    }
    if (fetched == null) {
      counters.add(Counter.GOT_EMPTY, 1);
      countersOf(sourceOfFetched(queue)).add(Counter.GOT_EMPTY, 1);
      channel.reply(false, new BasicMethod.GetEmpty());
      return;
    }
    DeliverySource source = sourceOfFetched(queue);
    long tag = nextTag(source, fetched.sequence());
    Message message = fetched.message();
    trace(queue, message, fetched.redelivered());
    note(queue, message);
    counters.got(fetched.sequence() >= 0, message.bodyLength(), fetched.redelivered());
    countersOf(source).got(fetched.sequence() >= 0, message.bodyLength(), fetched.redelivered());
    connection
        .output()
        .content(
            number,
            new BasicMethod.GetOk(
                tag,
                fetched.redelivered(),
                message.exchange().value(),
                message.routingKey().value(),
                fetched.remaining()),
            connection.vhost().asSent(message));
  }

  /** Puts a message from {@code basic.get} back, as the connection ended meanwhile. */
  private void putBack(Queue queue, GetResult fetched) {
    if (fetched != null && fetched.sequence() >= 0) {
      connection
          .commands()
          .release(
              queue, sourceOfFetched(queue).consumer(), fetched.sequence(), fetched.sequence());
    }
  }

  private DeliverySource sourceOfFetched(Queue queue) {
    if (lastFetched == null || lastFetched.queue() != queue) {
      Consumer noConsumer = Consumer.ofGet();
      lastFetched = new DeliverySource(queue, noConsumer, true);
    }
    return lastFetched;
  }

  /**
   * Takes a message and writes it to the client.
   *
   * @param source the queue and consumer
   * @param sequence the message's number in the queue, or -1 if it needs no settlement
   */
  void deliver(DeliverySource source, long sequence, Message message, boolean redelivered) {
    if (!channel.isOpen() || source.hasEnded()) {
      if (sequence >= 0) {
        connection.commands().release(source.queue(), source.consumer(), sequence, sequence);
      }
      return;
    }
    try {
      long tag = nextTag(source, sequence);
      trace(source.queue(), message, redelivered);
      counters.delivered(sequence >= 0, message.bodyLength(), redelivered);
      countersOf(source).delivered(sequence >= 0, message.bodyLength(), redelivered);
      note(source.queue(), message);
      Message sent = connection.vhost().asSent(message);
      connection.output().deliver(number, source.consumer().tag(), tag, redelivered, sent);
    } catch (Throwable e) {
      // Its frames may be partly written, so the connection ends and the queue gets the message
      // back.
      connection.failInternally(e);
    }
  }

  /** Remembers the deadline of a request for its reply, if the queue wants that. */
  private void note(Queue queue, Message message) {
    if (!RawProperties.hasHeaders(message.content())) {
      return;
    }
    ExpirySettings expiry = queue.settings().expiry();
    if (expiry.deadlineReplies()) {
      connection.replyDeadlines().delivered(message, expiry, connection.home().now());
    }
  }

  private void trace(Queue queue, Message message, boolean redelivered) {
    Firehose firehose = connection.vhost().firehose();
    if (firehose.isOn()) {
      firehose.delivered(message, queue.name(), redelivered, identity.firehoseClient());
    }
  }

  /** Returns the tag of a delivery, which must be settled if it has a sequence number. */
  private long nextTag(DeliverySource source, long sequence) {
    if (sequence < 0) {
      return unacked.skip();
    }
    long tag = unacked.add(source, sequence);
    timeout.delivered();
    locks.delivered(source, tag);
    return tag;
  }

  /**
   * Renews the lock of a delivery.
   *
   * @return null if it was renewed; else what the client is told, if the request was mandatory
   */
  BasicMethod.Return renewLock(LockRenewal renewal) {
    long tag = renewal.tag();
    if (!unacked.contains(tag)) {
      return renewal.inVain();
    }
    DeliverySource source = unacked.source(tag);
    Queue inTable = connection.vhost().routing().queue(source.queue().name());
    if (inTable == null || inTable.id() != source.queue().id()) {
      return renewal.inVain();
    }
    long most = source.queue().settings().deliveries().renewalsMax();
    if (most != QueueSettings.NONE && timesRenewed.of(tag) >= most) {
      return renewal.tooOften(source.queue(), most);
    }
    timeout.renew(source, tag, renewal.mostMillis());
    locks.renew(source, tag, renewal.mostMillis());
    timesRenewed.add(tag);
    renewals.add(source.queue());
    return null;
  }

  /** Applies the timeout action to a delivery that has been unacknowledged for too long. */
  private void lockEnded(long tag, TimeoutAction action) {
    DeliverySource source = unacked.source(tag);
    switch (action) {
      case CLOSE_CHANNEL,
          NONE -> {} // A policy has changed the action meanwhile; ConsumerTimeout handles
      // it.
      case CANCEL -> cancelOverdue(source, tag);
      case REQUEUE -> takeBack(tag, connection.commands()::fail);
      case DEAD_LETTER -> takeBack(tag, connection.commands()::timeOut);
    }
  }

  private void takeBack(long tag, PutBack way) {
    unacked.settle(
        tag,
        (source, from, to) -> {
          way.putBack(source.queue(), source.consumer(), from, to);
          giveBack(source, 1);
        });
    lost.add(tag);
  }

  /**
   * Cancels a consumer, and takes back its deliveries. If the client does not support cancel
   * notifications, its connection is closed.
   */
  private void cancelOverdue(DeliverySource source, long tag) {
    if (source.fetched()) {
      takeBack(tag, connection.commands()::requeue);
    } else if (!connection.client().wantsCancelNotifications()) {
      long timeoutMillis =
          ConsumerTimeout.orDefault(
              source.timeoutMillis(), connection.settings().consumerTimeoutMillis());
      connection.fail(number, ConsumerTimeout.error(number, timeoutMillis));
    } else {
      source.end();
      ConsumerExit exit = ConsumerExit.begin(source.queue(), source.consumer());
      tellCancelled(source.consumer());
      unacked.tagsOf(source).forEach(held -> takeBack(held, connection.commands()::requeue));
      connection.commands().flush();
      finish(exit);
    }
  }

  /**
   * Cancels the consumers of queues that the user may not read any more. What they hold can still
   * be settled.
   */
  void cancelUnreadable() {
    for (DeliverySource source : List.copyOf(consumers.values())) {
      Queue queue = source.queue();
      if (!mayRead(queue.name())) {
        Consumer consumer = source.consumer();
        LOGGER.warn(
            "Cancelling consumer '{}' on queue '{}' in vhost '{}': read access refused after"
                + " credential update",
            consumer.tag().value(),
            queue.name(),
            connection.vhost().name());
        order.after(
            queue,
            () -> {
              connection.commands().flush();
              queue
                  .requests()
                  .cancel(consumer)
                  .whenComplete((done, error) -> atHome(() -> tellCancelled(consumer)));
            });
      }
    }
  }

  /** A service that decides is asked when the consumer comes again, as at any other time. */
  private boolean mayRead(String queue) {
    try {
      return connection.access().allows(ResourceKind.QUEUE, queue, Permission.READ);
    } catch (AnswerAwaitedException e) {
      return true;
    }
  }

  /** Called when the queue of a consumer is deleted. */
  void cancelled(Consumer consumer) {
    connection.afterReply(() -> tellCancelled(consumer));
  }

  private void tellCancelled(Consumer consumer) {
    String tag = consumer.tag().value();
    DeliverySource source = consumers.get(tag);
    if (source != null && source.consumer() == consumer) {
      consumers.remove(tag);
      left(source);
      if (channel.isOpen() && connection.client().wantsCancelNotifications()) {
        connection.output().method(number, new BasicMethod.Cancel(tag, true));
      }
    }
  }

  /** Requeues all unsettled deliveries. */
  void recover() {
    putAllBack(connection.commands()::requeue);
  }

  private void putAllBack(PutBack way) {
    unacked.settleThroughInQueueOrder(
        Long.MAX_VALUE,
        (source, from, to) -> {
          way.putBack(source.queue(), source.consumer(), from, to);
          giveBack(source, to - from + 1);
        });
  }

  /** Returns messages to their queue. */
  @FunctionalInterface
  private interface PutBack {
    void putBack(Queue queue, Consumer consumer, long from, long to);
  }

  /** Gives settled deliveries back to the prefetch limit that the consumers share. */
  void giveBack(DeliverySource source, long count) {
    ChannelPrefetch shared = credit;
    if (shared != null && !source.fetched()) {
      shared.giveBack((int) count);
    }
  }

  /** Removes all consumers from their queues, and requeues their unsettled deliveries. */
  CompletableFuture<Void> close() {
    closeReplies();
    connection.commands().flush();
    List<ConsumerExit> exits =
        consumers.values().stream()
            .map(source -> ConsumerExit.begin(source.queue(), source.consumer()))
            .toList();
    consumers.values().forEach(this::left);
    consumers.clear();
    timeout.stop();
    locks.stop();
    putAllBack(connection.commands()::fail);
    connection.commands().flush();
    return CompletableFuture.allOf(
        exits.stream().map(this::finish).toArray(CompletableFuture<?>[]::new));
  }

  private CompletableFuture<Void> finish(ConsumerExit exit) {
    return exit.finish(connection.home(), connection.commands()::flush);
  }
}
