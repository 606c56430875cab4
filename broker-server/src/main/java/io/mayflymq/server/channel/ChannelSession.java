package io.mayflymq.server.channel;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.metrics.Churn;
import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.metrics.Counters;
import io.mayflymq.core.metrics.histogram.Histogram;
import io.mayflymq.core.routing.Route;
import io.mayflymq.core.routing.RoutingTable;
import io.mayflymq.core.security.AnswerAwaitedException;
import io.mayflymq.core.vhost.ReplySender;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.codec.BufferedMessage;
import io.mayflymq.protocol.codec.ContentFrameOrder;
import io.mayflymq.protocol.method.AccessMethod;
import io.mayflymq.protocol.method.BasicMethod;
import io.mayflymq.protocol.method.ChannelMethod;
import io.mayflymq.protocol.method.ConfirmMethod;
import io.mayflymq.protocol.method.ExchangeMethod;
import io.mayflymq.protocol.method.Method;
import io.mayflymq.protocol.method.QueueMethod;
import io.mayflymq.protocol.method.TxMethod;
import io.mayflymq.protocol.types.AmqpException;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.ConnectionException;
import io.mayflymq.protocol.types.ReplyCode;
import io.mayflymq.protocol.types.ShortString;
import io.mayflymq.server.alarm.ClientMemory.Part;
import io.mayflymq.server.channel.ChannelEvent.ChannelClosed;
import io.mayflymq.server.channel.ChannelEvent.ChannelCreated;
import io.mayflymq.server.channel.Transaction.Verdict;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.stream.Stream;

/**
 * One channel: its mode, the content that is being received, and the dispatch of its methods. Used
 * on its connection's loop only.
 *
 * <p>Errors are thrown: a ChannelException ends this channel, a ConnectionException the connection;
 * the connection turns both into close methods.
 */
public final class ChannelSession {
  /** About how many bytes a channel takes that publishes with confirms, or consumes. */
  private static final int KEPT_BYTES = 4_000;

  private final ChannelContext channel;
  private final ConnectionContext connection;
  private final ContentAssembler content;
  private final Publisher publisher;
  private final Histogram messageSizes;
  private final ExchangeOperations exchanges;
  private final QueueOperations queues;
  private final ConsumerOperations consumers;
  private final SettlementOperations settlements;
  private final ReplySender replies;
  private final CommandOrder order;
  private final Counters counters = new Counters();

  /** Acknowledgements that are delayed as a test wants it, the earliest first. */
  private final Deque<Runnable> delayedAcks = new ArrayDeque<>(1);

  private ConfirmTracker confirms;
  private Transaction transaction;

  /** What the confirms of renewals are counted in, as no exchange is; null before the first one. */
  private Publisher.Counted renewalsCounted;

  /** Opens a channel. */
  public ChannelSession(int number, ConnectionContext connection) {
    this.channel = new ChannelContext(number, connection);
    this.connection = connection;
    this.content = new ContentAssembler(connection.settings().maxMessageSize(), connection::hold);
    this.order = new CommandOrder(channel, connection);
    this.exchanges = new ExchangeOperations(channel, connection);
    this.queues = new QueueOperations(channel, connection);
    this.consumers = new ConsumerOperations(channel, connection, order, queues, counters);
    this.publisher =
        new Publisher(
            connection.vhost(),
            connection::access,
            connection.home().index(),
            consumers::replyName,
            channel::keep);
    this.messageSizes = connection.home().histograms().messageSizes();
    this.replies = new ReplySender(connection.home(), connection.vhost().replies());
    this.settlements = new SettlementOperations(consumers, connection.commands(), counters);
    channel.keep(KEPT_BYTES);
    connection.vhost().metrics().channels().join(counters);
    connection.vhost().churn().happened(Churn.Event.CHANNEL_CREATED);
    connection.vhost().events().happened(new ChannelCreated(consumers.identity()));
  }

  /** Returns its number in the connection, 1 or more. */
  public int number() {
    return channel.number();
  }

  /** Returns whether neither side has closed it. */
  public boolean isOpen() {
    return channel.isOpen();
  }

  /** Cancels the consumers of queues that the user may not read any more. */
  public void accessRenewed() {
    consumers.cancelUnreadable();
  }

  /** Returns the order of the frames of its messages, which holds when it is closed, too. */
  public ContentFrameOrder contentFrames() {
    return content.frames();
  }

  // What arrives

  /** Handles a method other than publish and ack. */
  public void onMethod(Method method) {
    content.frames().method();
    if (method instanceof BasicMethod basic) {
      onBasic(basic);
    } else if (method instanceof QueueMethod queue) {
      connection.commands().flush();
      order.afterEverything(() -> queues.handle(queue));
    } else if (method instanceof ExchangeMethod exchange) {
      order.afterEverything(() -> exchanges.handle(exchange));
    } else if (method instanceof ChannelMethod ofChannel) {
      onChannel(ofChannel);
    } else if (method instanceof ConfirmMethod.Select select) {
      selectConfirms(select);
    } else if (method instanceof TxMethod tx) {
      onTx(tx);
    } else if (method instanceof AccessMethod.Request) {
      channel.reply(false, new AccessMethod.RequestOk(1));
    } else {
      throw ChannelContext.notForServers();
    }
  }

  /** Handles {@code basic.ack}. */
  public void onAck(long deliveryTag, boolean multiple) {
    if (channel.isOpen()) {
      content.frames().method();
      settle(deliveryTag, multiple, Verdict.ACKNOWLEDGE);
      if (multiple) {
        connection.turn().spendMuch();
      } else {
        connection.turn().spend(1);
      }
    }
  }

  /** Handles a {@code basic.publish} whose content follows. */
  public void onPublish(
      ShortString exchange, ShortString routingKey, boolean mandatory, boolean immediate) {
    if (channel.isOpen()) {
      content.publish(exchange, routingKey, mandatory, immediate);
    }
  }

  /** Handles a content header. */
  public void onContentHeader(int classId, long bodySize, ByteBuf in, int index, int length) {
    if (channel.isOpen() && content.header(classId, bodySize, in, index, length)) {
      publish();
    }
  }

  /** Handles a piece of a body. */
  public void onContentBody(ByteBuf in, int index, int length) {
    if (channel.isOpen() && content.body(in, index, length)) {
      publish();
    }
  }

  /** Handles a message that is complete in a buffer. */
  public void onMessage(BufferedMessage message) {
    if (channel.isOpen()) {
      content.take(message);
      publish();
    }
  }

  /** Handles a message of a client within the broker, of whose content the rest is the body. */
  public void onInnerMessage(
      ShortString exchange,
      ShortString routingKey,
      boolean mandatory,
      byte[] whole,
      int propertiesLength) {
    if (channel.isOpen()) {
      content.take(exchange, routingKey, mandatory, whole, propertiesLength);
      publish();
    }
  }

  /** Returns whether what is being received is no message, but renews the lock of a delivery. */
  public boolean renewsLock() {
    return content.renewsLock();
  }

  // Publishing

  /** Publishes the message that the assembler has. */
  private void publish() {
    byte[] taken = content.takeContent();
    if (renewsLock()) {
      renewLock(taken);
      return;
    }
    try {
      publish(taken);
    } catch (AnswerAwaitedException e) {
      connection.repeat(
          number(),
          e,
          () -> {
            if (channel.isOpen()) {
              publish(taken);
            }
          });
    }
  }

  /** Renews the lock of a delivery, at once also in a transaction. It needs no right. */
  private void renewLock(byte[] taken) {
    Message asked;
    LockRenewal renewal;
    try {
      asked =
          LockRenewal.message(
              content.routingKey(), taken, content.propertiesLength(), content.immediate());
      renewal = LockRenewal.of(asked);
    } catch (AmqpException e) {
      throw e.withMethod(BasicMethod.CLASS_ID, BasicMethod.Publish.METHOD_ID);
    }
    connection.turn().spend(1);
    BasicMethod.Return refused = consumers.renewLock(renewal);
    if (refused != null && content.mandatory()) {
      connection.output().giveBack(number(), refused, asked);
    }
    if (confirms != null) {
      if (renewalsCounted == null) {
        renewalsCounted = new Publisher.Counted(new Counters(), new Counters());
      }
      if (refused == null) {
        confirms.published(0, renewalsCounted);
      } else {
        confirms.refuse(renewalsCounted);
      }
    }
  }

  private void publish(byte[] taken) {
    boolean mandatory = content.mandatory();
    Publisher.Accepted accepted;
    try {
      accepted =
          publisher.accept(
              content.exchange(),
              content.routingKey(),
              content.immediate(),
              taken,
              content.propertiesLength());
    } catch (AmqpException e) {
      throw e.withMethod(BasicMethod.CLASS_ID, BasicMethod.Publish.METHOD_ID);
    }
    ReplyDeadlines deadlines = connection.replyDeadlines();
    Message sent = accepted.takeMessage();
    Message message = deadlines.isEmpty() ? sent : deadlines.inherited(sent);
    Route<Queue> route = accepted.route();
    List<String> replyNames = accepted.replyNames();
    Publisher.Counted counted = accepted.counted();
    connection.turn().spend(1 + route.size());
    if (accepted.isRoutedAnew()) {
      connection.turn().spendMuch();
    }
    if (connection.vhost().firehose().isOn()) {
      trace(message, route, replyNames);
    }
    if (transaction != null) {
      transaction.publish(new Transaction.Publish(message, route, replyNames, mandatory));
    } else if (connection.commands().hasCaused()) {
      order.after(route, () -> send(message, route, replyNames, mandatory, counted));
    } else {
      send(message, route, replyNames, mandatory, counted);
    }
  }

  private void send(
      Message message,
      Route<Queue> route,
      List<String> replyNames,
      boolean mandatory,
      Publisher.Counted counted) {
    if (PublishingPauses.hold(route, connection.vhost())) {
      connection.awaitPublishing(
          number(), route, () -> sendNow(message, route, replyNames, mandatory, counted));
    } else {
      sendNow(message, route, replyNames, mandatory, counted);
    }
  }

  private void sendNow(
      Message message,
      Route<Queue> route,
      List<String> replyNames,
      boolean mandatory,
      Publisher.Counted counted) {
    if (confirms != null && confirms.refuses()) {
      confirms.refuse(counted);
      return;
    }
    published(message, route, replyNames, mandatory);
    if (confirms == null) {
      connection.commands().publish(route, message, null, 0);
    } else {
      long sequence = confirms.published(route.size(), counted);
      connection.commands().publish(route, message, confirms, sequence);
    }
  }

  private void trace(Message message, Route<Queue> route, List<String> replyNames) {
    List<String> queues =
        Stream.concat(route.toList().stream().map(Queue::name), replyNames.stream()).toList();
    connection.vhost().firehose().published(message, queues, consumers.identity().firehoseClient());
  }

  private void published(
      Message message, Route<Queue> route, List<String> replyNames, boolean mandatory) {
    counters.add(Counter.PUBLISHED, 1);
    counters.add(Counter.PUBLISHED_BYTES, message.bodyLength());
    messageSizes.record(message.bodyLength());
    if (!replyNames.isEmpty()) {
      long deadline = connection.replyDeadlines().deadlineOf(message);
      replyNames.forEach(name -> replies.send(name, message, deadline));
    } else if (route.isEmpty()) {
      Counter outcome = mandatory ? Counter.RETURNED : Counter.UNROUTABLE;
      counters.add(outcome, 1);
      publisher.unroutable(message.exchange(), outcome);
      if (mandatory) {
        giveBack(message);
      }
    }
  }

  private void giveBack(Message message) {
    connection
        .output()
        .giveBack(
            number(),
            new BasicMethod.Return(
                ReplyCode.NO_ROUTE.code(),
                ReplyCode.NO_ROUTE.name(),
                message.exchange().value(),
                message.routingKey().value()),
            message);
  }

  // Methods

  private void onBasic(BasicMethod method) {
    if (method instanceof BasicMethod.Nack nack) {
      settle(
          nack.deliveryTag(), nack.multiple(), nack.requeue() ? Verdict.REQUEUE : Verdict.REJECT);
    } else if (method instanceof BasicMethod.Reject reject) {
      settle(reject.deliveryTag(), false, reject.requeue() ? Verdict.FAIL : Verdict.REJECT);
    } else if (method instanceof BasicMethod.Consume consume) {
      consumers.consume(consume);
    } else if (method instanceof BasicMethod.Cancel cancel) {
      consumers.cancel(cancel);
    } else if (method instanceof BasicMethod.Get get) {
      consumers.get(get);
    } else if (method instanceof BasicMethod.Qos qos) {
      consumers.qos(qos);
    } else if (method instanceof BasicMethod.Recover recover) {
      recover(recover.requeue());
      channel.reply(false, BasicMethod.RecoverOk.INSTANCE);
    } else if (method instanceof BasicMethod.RecoverAsync recover) {
      recover(recover.requeue());
    } else {
      throw ChannelContext.notForServers();
    }
  }

  private void settle(long tag, boolean multiple, Verdict verdict) {
    if (transaction == null
        && (connection.faults().acks() != InjectedFaults.Acks.HANDLED || !delayedAcks.isEmpty())) {
      settleFaultily(() -> settleNow(tag, multiple, verdict));
    } else {
      settleNow(tag, multiple, verdict);
    }
  }

  private void settleFaultily(Runnable settlement) {
    InjectedFaults faults = connection.faults();
    if (faults.acks() == InjectedFaults.Acks.DROPPED) {
      return;
    }
    boolean waits = !delayedAcks.isEmpty();
    delayedAcks.add(settlement);
    if (!waits && !faults.delayAcks(connection.home(), this::settleDelayed)) {
      settleDelayed();
    }
  }

  /** Handles the acknowledgements that were delayed. */
  private void settleDelayed() {
    try {
      while (channel.isOpen() && !delayedAcks.isEmpty()) {
        delayedAcks.poll().run();
      }
    } catch (AmqpException e) {
      connection.fail(number(), e);
    }
    delayedAcks.clear();
    connection.commands().flush();
  }

  private void settleNow(long tag, boolean multiple, Verdict verdict) {
    if (transaction == null && connection.commands().hasCaused()) {
      order.after(
          settlements.limitedQueues(tag, multiple),
          () -> settlements.settle(tag, multiple, verdict, null));
    } else {
      settlements.settle(tag, multiple, verdict, transaction);
    }
  }

  private void recover(boolean requeue) {
    if (!requeue) {
      throw new ConnectionException(ReplyCode.NOT_IMPLEMENTED, "requeue=false");
    }
    delayedAcks.clear();
    settlements.recover(transaction);
    connection.commands().flush();
  }

  private void onChannel(ChannelMethod method) {
    if (method instanceof ChannelMethod.Close) {
      channel.close();
      release();
      connection.output().method(number(), ChannelMethod.CloseOk.INSTANCE);
      connection.closed(number());
    } else if (method instanceof ChannelMethod.Flow flow) {
      if (!flow.active()) {
        throw new ConnectionException(ReplyCode.NOT_IMPLEMENTED, "active=false");
      }
      channel.reply(false, new ChannelMethod.FlowOk(true));
    } else if (method instanceof ChannelMethod.Open) {
      throw openedTwice();
    } else {
      throw ChannelContext.notForServers();
    }
  }

  /** Returns the error of a channel that is opened again. */
  public static ConnectionException openedTwice() {
    return new ConnectionException(ReplyCode.CHANNEL_ERROR, "second 'channel.open' seen");
  }

  private void selectConfirms(ConfirmMethod.Select select) {
    if (transaction != null) {
      throw new ChannelException(
          ReplyCode.PRECONDITION_FAILED, "cannot switch from tx to confirm mode");
    }
    if (confirms == null) {
      confirms =
          new ConfirmTracker(
              number(), connection.output(), connection.home(), counters, connection.faults());
    }
    channel.reply(select.noWait(), ConfirmMethod.SelectOk.INSTANCE);
  }

  private void onTx(TxMethod method) {
    if (method instanceof TxMethod.Select) {
      if (confirms != null) {
        throw new ChannelException(
            ReplyCode.PRECONDITION_FAILED, "cannot switch from confirm to tx mode");
      }
      if (transaction == null) {
        transaction = new Transaction(connection.settings().maxTransactionSize(), connection::hold);
      }
      channel.reply(false, TxMethod.SelectOk.INSTANCE);
      return;
    }
    boolean isCommit = method instanceof TxMethod.Commit;
    if (!isCommit && !(method instanceof TxMethod.Rollback)) {
      throw ChannelContext.notForServers();
    }
    if (transaction == null) {
      throw new ChannelException(ReplyCode.PRECONDITION_FAILED, "channel is not transactional");
    }
    if (isCommit) {
      order.afterEverything(() -> commit(transaction));
    } else {
      transaction.rollback();
      channel.reply(false, TxMethod.RollbackOk.INSTANCE);
    }
  }

  private void commit(Transaction committed) {
    List<Transaction.Publish> publishes = committed.takePublishes();
    RoutingTable<Queue> table = connection.vhost().routing();
    List<Route<Queue>> routes = publishes.stream().map(publish -> publish.routeIn(table)).toList();
    Route<Queue> all =
        PublishingPauses.areThere(connection.vhost())
            ? Route.to(
                routes.stream().flatMap(route -> route.toList().stream()).distinct().toList())
            : Route.none();
    if (PublishingPauses.hold(all, connection.vhost())) {
      connection.awaitPublishing(
          number(),
          all,
          () -> {
            if (channel.isOpen()) {
              commit(committed, publishes, routes);
            }
          });
    } else {
      commit(committed, publishes, routes);
    }
  }

  private void commit(
      Transaction committed, List<Transaction.Publish> publishes, List<Route<Queue>> routes) {
    Transaction.Outcome outcome =
        new Transaction.Outcome(routes.stream().mapToInt(Route::size).sum());
    for (int i = 0; i < routes.size(); i++) {
      Transaction.Publish publish = publishes.get(i);
      published(publish.message(), routes.get(i), publish.replyNames(), publish.mandatory());
      connection.commands().publish(routes.get(i), publish.message(), outcome, 0);
    }
    settlements.commit(committed.takeVerdicts());
    connection.commands().flush();
    channel.await(
        outcome.allAccepted(),
        accepted -> {
          if (!accepted) {
            throw new ChannelException(ReplyCode.PRECONDITION_FAILED, "partial tx completion");
          }
          order.afterEverything(() -> channel.reply(false, TxMethod.CommitOk.INSTANCE));
        });
  }

  /** Returns the state of the channel. */
  public ChannelView view() {
    return new ChannelView(
        consumers.identity(),
        counters,
        publisher.exchanges(),
        consumers.queues(),
        confirms != null,
        transaction != null,
        consumers.consumerCount(),
        consumers.unacked().count(),
        confirms == null ? 0 : confirms.unconfirmed(),
        transaction == null ? 0 : transaction.publishCount(),
        transaction == null ? 0 : transaction.verdictCount(),
        consumers.prefetch(),
        consumers.globalPrefetch());
  }

  // Ending

  /**
   * Releases everything after a channel error: channel.close has been sent, and close-ok is
   * awaited.
   */
  public void fail() {
    if (channel.isOpen()) {
      channel.close();
      release();
    }
  }

  /** Releases everything; called when the connection has ended. */
  public void connectionEnded() {
    if (channel.isOpen()) {
      release();
      channel.close();
    }
  }

  /** Returns how many bytes of memory are held for its client. */
  public long held(Part part) {
    return unfinished() + (part == Part.ALL ? channel.kept() : 0);
  }

  /** Those of a transaction and an incomplete message. */
  private long unfinished() {
    return content.held() + (transaction == null ? 0 : transaction.bytes());
  }

  /**
   * Returns the error that ends the channel to free what is held.
   *
   * @param why in a few words
   */
  public ChannelException giveUp(Part part, String why) {
    String what = "transaction of %d bytes was given up".formatted(unfinished());
    if (part == Part.ALL && channel.kept() > unfinished()) {
      what =
          "channel of %d bytes with %d consumers was given up"
              .formatted(held(part), consumers.consumerCount());
    } else if (content.held() == unfinished()) {
      what = "incomplete message of %d bytes was given up".formatted(unfinished());
    }
    return new ChannelException(ReplyCode.PRECONDITION_FAILED, what + ": " + why);
  }

  private void release() {
    content.discard();
    if (transaction != null) {
      transaction.rollback();
    }
    if (confirms != null) {
      confirms.close();
    }
    consumers.close();
    channel.keep(-channel.kept());
    connection.vhost().metrics().channels().leave(counters);
    connection.vhost().churn().happened(Churn.Event.CHANNEL_CLOSED);
    connection.vhost().events().happened(new ChannelClosed(consumers.identity()));
  }
}
