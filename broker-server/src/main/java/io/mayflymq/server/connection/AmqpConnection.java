package io.mayflymq.server.connection;

import io.mayflymq.core.metrics.Counter;
import io.mayflymq.core.routing.MetadataSize;
import io.mayflymq.core.routing.Route;
import io.mayflymq.core.runtime.Shard;
import io.mayflymq.core.runtime.Turn;
import io.mayflymq.core.security.AnswerAwaitedException;
import io.mayflymq.core.security.VhostAccess;
import io.mayflymq.core.vhost.VirtualHost;
import io.mayflymq.core.vhost.command.ShardCommandSender;
import io.mayflymq.core.vhost.queue.Queue;
import io.mayflymq.protocol.codec.BufferedMessage;
import io.mayflymq.protocol.codec.FrameHandler;
import io.mayflymq.protocol.method.BasicMethod;
import io.mayflymq.protocol.method.ChannelMethod;
import io.mayflymq.protocol.method.ConnectionMethod;
import io.mayflymq.protocol.method.Method;
import io.mayflymq.protocol.types.AmqpException;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.ConnectionException;
import io.mayflymq.protocol.types.ReplyCode;
import io.mayflymq.protocol.types.ShortString;
import io.mayflymq.server.alarm.ClientMemory;
import io.mayflymq.server.alarm.ClientMemory.Part;
import io.mayflymq.server.auth.AuthenticatedUser;
import io.mayflymq.server.auth.LoginResult;
import io.mayflymq.server.channel.ChannelSession;
import io.mayflymq.server.channel.ChannelView;
import io.mayflymq.server.channel.ClientQuirks;
import io.mayflymq.server.channel.ConnectionContext;
import io.mayflymq.server.channel.ConnectionIdentity;
import io.mayflymq.server.channel.ConnectionOutput;
import io.mayflymq.server.channel.DeliveryLink;
import io.mayflymq.server.channel.DeliveryLinks;
import io.mayflymq.server.channel.InjectedFaults;
import io.mayflymq.server.channel.ReplyDeadlines;
import io.mayflymq.server.config.ProtocolSettings;
import io.mayflymq.server.rate.ConnectionRates;
import io.mayflymq.shovel.client.InnerChannel;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * One client connection. Owns the channels, passes received frames to them, and is the one place
 * where errors become close methods: it decides whether an error closes the channel or the
 * connection.
 *
 * <p>All code here runs on the connection's event loop, in bursts of the shard on that loop. When a
 * channel has to wait for a queue of another shard, or the shards lag behind with messages that
 * this connection has published, the connection handles no further frames (isSuspended) until the
 * wait is over. So commands keep their order without a queue of commands.
 *
 * <p>Closing: when either side begins to close, everything is released at once (consumers are
 * cancelled, unsettled messages are requeued, exclusive queues are deleted). Then the connection
 * waits for the client's close-ok, for a limited time.
 */
final class AmqpConnection
    implements FrameHandler, ConnectionContext, OpenConnection, ClientMemory.Holder {
  private static final long CLOSING_TIMEOUT_MILLIS = 5_000;
  private static final long REFUSED_LOGIN_PAUSE_MILLIS = 1_000;

  /** About how many bytes a connection takes without its channels and what its client has told. */
  private static final int KEPT_BYTES = 5_000;

  private enum State {
    HANDSHAKE,
    OPEN,
    CLOSING,
    CLOSED
  }

  private final Channel socket;
  private final ConnectionLog log;
  private final ConnectionEnvironment environment;
  private final Shard home;
  private final ConnectionOutput output;
  private final ShardCommandSender commands;
  private final DeliveryLinks deliveryLinks;
  private final AmqpConnectionHandler input;
  private final PublishBlocker publishBlocker;
  private final PausedPublish pausedPublish;
  private final Channels channels = new Channels();
  private final ReplyDeadlines replyDeadlines = new ReplyDeadlines(this::keep);
  private final ExclusiveQueues exclusiveQueues = new ExclusiveQueues();
  private final DecodeSuspension decodeSuspension = new DecodeSuspension();
  private final DeclareRun declares;
  private final Turn turn;
  private final LoginExpiry loginExpiry;

  private State state = State.HANDSHAKE;

  /** The method that is being handled, or was handled last. */
  private Method currentMethod;

  private Handshake handshake;

  /** Null until it is open. */
  private ClientMemory.Account memory;

  private Heartbeats heartbeats;
  private ConnectionInfo open;
  private VirtualHost vhost;

  /** Null until it is open, as is {@link #access}. */
  private AuthenticatedUser user;

  private VhostAccess access;
  private ClientQuirks client = ClientQuirks.UNKNOWN;
  private boolean overloaded;
  private boolean flooded;

  /** Null until it is open, as is {@link #publishPace}. */
  private ConnectionRates rates;

  private PublishPace publishPace;

  /** Whether the time for the handshake was over while it waited for a service. */
  private boolean handshakeIsLate;

  AmqpConnection(
      Channel socket, ConnectionEnvironment environment, Shard home, AmqpConnectionHandler input) {
    this.socket = socket;
    this.environment = environment;
    this.home = home;
    this.input = input;
    this.log = new ConnectionLog(socket, environment.linesBeforeLogin());
    this.output = new ConnectionOutput(socket, home, environment.held());
    this.publishBlocker = new PublishBlocker(environment.alarms(), output);
    this.pausedPublish = new PausedPublish(home, publishBlocker);
    this.commands =
        new ShardCommandSender(home, environment.broker().partitions(), this::onBatchReturned);
    this.turn = new Turn(home);
    this.loginExpiry =
        new LoginExpiry(home, InstantSource.system(), () -> forceClose("credential expired"));
    this.declares = new DeclareRun(this, home, input::resume);
    this.deliveryLinks = new DeliveryLinks(home, output, environment.broker().shards().count());
  }

  // Opening

  /** Starts the handshake; called when the client has sent its protocol header. */
  void begin() {
    environment.open().add(this);
    handshake = new Handshake(environment, log, SocketPeer.of(socket), home, new HandshakeSteps());
    handshake.begin();
  }

  /**
   * Closes the connection if it is not open; called when the time for the handshake, from accept to
   * open, is over.
   */
  void onHandshakeTimeout() {
    if (state != State.HANDSHAKE) {
      return;
    }
    if (decodeSuspension.isAwaited()) {
      // Not the client is late, but a service that it needs; which has a time limit of its own.
      handshakeIsLate = true;
      return;
    }
    log.handshakeTimedOut();
    socket.close();
  }

  /** A client that had to wait for a service has its time once more. */
  private void restartHandshakeTimeout() {
    if (handshakeIsLate) {
      handshakeIsLate = false;
      home.loop()
          .schedule(this::onHandshakeTimeout, environment.settings().handshakeTimeoutMillis());
    }
  }

  private final class HandshakeSteps implements Handshake.Steps {
    @Override
    public void send(Method method) {
      if (state == State.HANDSHAKE) {
        output.method(0, method);
      }
    }

    @Override
    public void tuned(ConnectionView.Tuning tuning) {
      channels.setMax(tuning.channelMax());
      output.setFrameMax(tuning.frameMax());
      input.setFrameMax(tuning.frameMax());
      if (tuning.heartbeatSeconds() > 0) {
        heartbeats =
            Heartbeats.start(
                tuning.heartbeatSeconds(),
                home,
                output,
                () -> onSilence(tuning.heartbeatSeconds()));
        publishBlocker.setHeartbeats(heartbeats);
      }
    }

    @Override
    public <T> void await(CompletableFuture<T> future, Consumer<T> then) {
      AmqpConnection.this.await(
          0,
          future,
          value -> {
            restartHandshakeTimeout();
            then.accept(value);
          });
    }

    @Override
    public void opened(Handshake.Opened opened) {
      if (state != State.HANDSHAKE) {
        environment.sessions().leave(opened.session());
        return;
      }
      vhost = opened.vhost();
      user = opened.user();
      access = opened.access();
      loginExpiry.expireAt(user.state().expiresMillis());
      rates = environment.rates().open(user.name(), vhost.name());
      deliveryLinks.keepTo(rates);
      publishPace = new PublishPace(home, commands, rates, AmqpConnection.this::onBatchReturned);
      memory = environment.memory().open(vhost.name(), AmqpConnection.this);
      memory.keep(KEPT_BYTES + MetadataSize.of(opened.clientProperties()));
      channels.countFor(opened.session().user(), environment.sessions());
      open = ConnectionInfo.begin(opened, socket, output, home.now());
      client = opened.client();
      publishBlocker.setClientListens(opened.hasCapability("connection.blocked"));
      handshake = null;
      state = State.OPEN;
      output.method(0, new ConnectionMethod.OpenOk());
      log.opened(open.identity(), ConnectionName.given(opened.clientProperties()).orElse(""));
    }

    @Override
    public void forceClose(String reason) {
      AmqpConnection.this.forceClose(reason);
    }

    @Override
    public void refused(ConnectionException error, long pauseMillis) {
      if (state != State.HANDSHAKE) {
        return;
      }
      if (error == null) {
        state = State.CLOSING;
        home.loop().schedule(socket::close, REFUSED_LOGIN_PAUSE_MILLIS + pauseMillis);
      } else if (pauseMillis == 0) {
        throw error;
      } else {
        Method refused = currentMethod;
        AmqpException told = error.withMethod(refused.classId(), refused.methodId());
        home.loop().schedule(() -> home.run(() -> fail(0, told)), pauseMillis);
      }
    }
  }

  private void onSilence(int heartbeatSeconds) {
    log.missedHeartbeats(heartbeatSeconds);
    socket.close();
  }

  // What arrives

  /** Notes that so many bytes were received, of any kind. */
  void heard(int bytes) {
    output.traffic().add(Counter.RECEIVED_BYTES, bytes);
    output.traffic().add(Counter.RECEIVED_PACKETS, 1);
    if (heartbeats != null) {
      heartbeats.heard();
    }
  }

  @Override
  public boolean isSuspended() {
    return declares.isUnderWay() || isSuspendedForAll();
  }

  /**
   * Returns whether frames wait for what other shards have still to do; the input is resumed when
   * they have done it.
   */
  boolean awaitsOthers() {
    return declares.isUnderWay() || decodeSuspension.isAwaited() || isOverloaded() || isPaced();
  }

  /**
   * Returns whether queues, or limits of its user and virtual host, let what it has published pass
   * later. One that ends does not wait.
   */
  private boolean isPaced() {
    return (keepsPace() || commands.hasPublishedMost()) && !pausedPublish.hasEnded();
  }

  private boolean keepsPace() {
    return commands.isPaced() || (publishPace != null && publishPace.waits());
  }

  /**
   * Returns whether so much of what it has published is under way that it has to wait. One that
   * ends does not wait for full queues, as its deliveries would be held until then.
   */
  private boolean isOverloaded() {
    return overloaded && !(pausedPublish.hasEnded() && commands.fullQueue() != null);
  }

  private boolean isSuspendedForAll() {
    return decodeSuspension.isAwaited()
        || isOverloaded()
        || isPaced()
        || flooded
        || turn.isOver()
        || publishBlocker.isBlocked()
        || state == State.CLOSED;
  }

  @Override
  public int channelOfDeclares() {
    return isSuspendedForAll() || state != State.OPEN ? 0 : declares.channel();
  }

  /** Returns the log of this connection. */
  ConnectionLog log() {
    return log;
  }

  /** Returns what blocks this connection during an alarm. */
  PublishBlocker publishBlocker() {
    return publishBlocker;
  }

  @Override
  public void alarmsCleared() {
    home.execute(
        () -> {
          if (publishBlocker.release()) {
            input.resume();
          }
        });
  }

  @Override
  public void onMethod(int channel, Method method) {
    currentMethod = method;
    try {
      if (channel != 0 && state == State.HANDSHAKE) {
        throw new ConnectionException(
            ReplyCode.UNEXPECTED_FRAME,
            "method on channel %d before the connection is open".formatted(channel));
      } else if (channel == 0) {
        onMethod(method);
      } else if (state == State.OPEN) {
        onChannelMethod(channel, method);
      }
    } catch (AmqpException e) {
      fail(channel, of(e, method.classId(), method.methodId()));
    }
    turn.spendMuch();
  }

  /**
   * Handles a method of the connection as a whole: one on channel 0, or any during the handshake.
   */
  private void onMethod(Method method) {
    if (state == State.CLOSING) {
      whileClosing(method);
    } else if (method instanceof ConnectionMethod.Close close) {
      onClose(close);
    } else if (state == State.HANDSHAKE) {
      handshake.onMethod(method);
    } else if (method instanceof ConnectionMethod.UpdateSecret update) {
      updateSecret(new String(update.newSecret(), StandardCharsets.UTF_8));
    } else {
      throw new ConnectionException(
          ReplyCode.CHANNEL_ERROR, "unexpected method in connection state running");
    }
  }

  // New credentials

  /** A token can be replaced by a newer one. What else was allowed is asked for again. */
  private void updateSecret(String secret) {
    access.forget();
    await(
        0,
        environment.logins().renew(user, secret),
        result -> {
          if (state != State.OPEN) {
            return;
          }
          if (result instanceof LoginResult.Refused refused) {
            log.newSecretRefused(refused.refusal().reason());
            throw new ConnectionException(ReplyCode.NOT_ALLOWED, "Secret update failed");
          }
          enterAgain(((LoginResult.Accepted) result).user());
        });
  }

  private void enterAgain(AuthenticatedUser renewed) {
    if (renewed.equals(user)) {
      output.method(0, ConnectionMethod.UpdateSecretOk.INSTANCE);
      return;
    }
    if (!renewed.name().equals(user.name())) {
      log.newSecretRefused("it is that of user '%s'".formatted(renewed.name()));
      throw new ConnectionException(
          ReplyCode.NOT_ALLOWED, "New secret was refused by one of the backends");
    }
    await(
        0,
        environment.logins().enter(renewed, vhost.name(), SocketPeer.of(socket).address()),
        refusal -> {
          if (state != State.OPEN) {
            return;
          }
          if (refusal != null) {
            throw refusal;
          }
          user = renewed;
          access = environment.logins().access(renewed, vhost.name());
          loginExpiry.expireAt(renewed.state().expiresMillis());
          channels.accessRenewed();
          output.method(0, ConnectionMethod.UpdateSecretOk.INSTANCE);
        });
  }

  private void onChannelMethod(int number, Method method) {
    try {
      handle(number, method);
    } catch (AnswerAwaitedException e) {
      repeat(number, e, () -> handle(number, method));
    }
  }

  private void handle(int number, Method method) {
    if (channels.isClosing(number)) {
      whileClosing(number, method);
    } else if (method instanceof ChannelMethod.Open && !channels.contains(number)) {
      openChannel(number);
    } else {
      channels.require(number).onMethod(method);
    }
  }

  private void openChannel(int number) {
    String shortage = memoryShortage();
    if (shortage != null) {
      throw new ConnectionException(
          ReplyCode.NOT_ALLOWED, "cannot open channel %d: %s".formatted(number, shortage));
    }
    channels.countOneMore();
    channels.add(new ChannelSession(number, this));
    output.method(number, new ChannelMethod.OpenOk());
  }

  /**
   * Handles a method for a channel that the broker has closed, and whose client has not confirmed
   * that yet: each is ignored but the end.
   *
   * @throws ConnectionException 504 if it is opened before its end is confirmed; 505 if content is
   *     expected
   */
  private void whileClosing(int number, Method method) {
    channels.framesOfOther(number).method();
    if (method instanceof ChannelMethod.CloseOk) {
      channels.confirmedClosed(number);
    } else if (method instanceof ChannelMethod.Close) {
      output.method(number, ChannelMethod.CloseOk.INSTANCE);
    } else if (method instanceof ChannelMethod.Open) {
      throw ChannelSession.openedTwice();
    }
  }

  @Override
  public void onPublish(
      int channel,
      ShortString exchange,
      ShortString routingKey,
      boolean mandatory,
      boolean immediate) {
    if (channel == 0 || state != State.OPEN) {
      onMethod(
          channel,
          new BasicMethod.Publish(exchange.value(), routingKey.value(), mandatory, immediate));
      return;
    }
    try {
      ChannelSession session = channels.require(channel);
      if (session != null) {
        session.onPublish(exchange, routingKey, mandatory, immediate);
      } else {
        channels.framesOfOther(channel).publish();
      }
    } catch (AmqpException e) {
      fail(channel, of(e, BasicMethod.CLASS_ID, BasicMethod.Publish.METHOD_ID));
    }
  }

  @Override
  public void onContentHeader(
      int channel, int classId, long bodySize, ByteBuf in, int index, int length) {
    if (ignoresContent(channel)) {
      return;
    }
    ChannelSession session = channels.find(channel);
    try {
      if (session != null) {
        session.onContentHeader(classId, bodySize, in, index, length);
      } else {
        channels.framesOfOther(channel).header(classId, bodySize);
      }
    } catch (AmqpException e) {
      fail(channel, e);
    }
    afterContent(session);
  }

  @Override
  public void onContentBody(int channel, ByteBuf in, int index, int length) {
    if (ignoresContent(channel)) {
      return;
    }
    ChannelSession session = channels.find(channel);
    try {
      if (session != null) {
        session.onContentBody(in, index, length);
      } else {
        channels.framesOfOther(channel).body(length);
      }
    } catch (AmqpException e) {
      fail(channel, e);
    }
    afterContent(session);
  }

  /** The renewal of a lock does not wait for the end of an alarm: the lock could end before. */
  private void afterContent(ChannelSession session) {
    if (state == State.OPEN && !(session != null && session.renewsLock())) {
      publishBlocker.contentReceived();
    }
  }

  @Override
  public void onMessage(int channel, BufferedMessage message) {
    if (ignoresContent(channel)) {
      return;
    }
    try {
      ChannelSession session = channels.require(channel);
      if (session != null) {
        session.onMessage(message);
      } else {
        channels.framesOfOther(channel).method();
      }
    } catch (AmqpException e) {
      fail(channel, of(e, BasicMethod.CLASS_ID, BasicMethod.Publish.METHOD_ID));
    }
  }

  /** Handles a message of a client within the broker. */
  void publish(
      int channel,
      ShortString exchange,
      ShortString routingKey,
      boolean mandatory,
      byte[] content,
      int propertiesLength) {
    if (state != State.OPEN) {
      return;
    }
    ChannelSession session = channels.find(channel);
    try {
      if (session != null) {
        session.onInnerMessage(exchange, routingKey, mandatory, content, propertiesLength);
      }
    } catch (AmqpException e) {
      fail(channel, of(e, BasicMethod.CLASS_ID, BasicMethod.Publish.METHOD_ID));
    }
    afterContent(session);
  }

  @Override
  public void onAck(int channel, long deliveryTag, boolean multiple) {
    if (channel == 0 || state != State.OPEN) {
      onMethod(channel, new BasicMethod.Ack(deliveryTag, multiple));
      return;
    }
    try {
      ChannelSession session = channels.require(channel);
      if (session != null) {
        session.onAck(deliveryTag, multiple);
      } else {
        channels.framesOfOther(channel).method();
      }
    } catch (AmqpException e) {
      fail(channel, of(e, BasicMethod.CLASS_ID, BasicMethod.Ack.METHOD_ID));
    }
  }

  @Override
  public void onHeartbeat(int channel) {
    // heard() has already noted that something was received.
  }

  /** Returns an error that names a method, unless it already names one. */
  private static AmqpException of(AmqpException error, int classId, int methodId) {
    return error.classId() == 0 ? error.withMethod(classId, methodId) : error;
  }

  /** Returns whether content is ignored: the connection closes, or it comes too early: an error. */
  private boolean ignoresContent(int channel) {
    if (state == State.HANDSHAKE) {
      fail(
          channel,
          new ConnectionException(
              ReplyCode.UNEXPECTED_FRAME, "content before the connection is open"));
    }
    return state != State.OPEN;
  }

  // Waiting

  @Override
  public <T> void await(int channel, CompletableFuture<T> future, Consumer<T> then) {
    if (future.isDone()) {
      goOn(channel, future, then);
      return;
    }
    Method method = currentMethod;
    decodeSuspension.begin();
    future.whenComplete(
        (value, error) ->
            home.execute(
                () -> {
                  decodeSuspension.end();
                  try {
                    goOn(channel, future, then);
                  } catch (AmqpException e) {
                    fail(channel, of(e, method.classId(), method.methodId()));
                  } catch (Throwable e) {
                    failInternally(e);
                  }
                  decodeSuspension.doWhatWaits();
                  input.resume();
                }));
  }

  private <T> void goOn(int channel, CompletableFuture<T> future, Consumer<T> then) {
    try {
      DecodeSuspension.give(future, then);
    } catch (AnswerAwaitedException e) {
      repeat(channel, e, () -> DecodeSuspension.give(future, then));
    }
  }

  @Override
  public void awaitPublishing(int channel, Route<Queue> route, Runnable publish) {
    await(channel, pausedPublish.await(route), admitted -> publish.run());
  }

  /** Repeats a command as often as it needs a further answer. */
  @Override
  public void repeat(int channel, AnswerAwaitedException awaited, Runnable command) {
    if (heartbeats != null) {
      // It may take long, and a socket of which much waits is not read meanwhile.
      heartbeats.pauseListening();
    }
    await(
        channel,
        awaited.answer(),
        known -> {
          if (heartbeats != null && !publishBlocker.isBlocked()) {
            heartbeats.resumeListening();
          }
          if (state != State.OPEN) {
            return;
          }
          try {
            command.run();
          } catch (AnswerAwaitedException e) {
            repeat(channel, e, command);
            return;
          } catch (Throwable e) {
            access.commandEnded();
            throw e;
          }
          access.commandEnded();
        });
  }

  @Override
  public <T> void awaitInRun(
      int channel, CompletableFuture<T> future, Runnable ended, Consumer<T> then) {
    Runnable give = () -> DecodeSuspension.give(future, then);
    if (future.isDone() && !declares.isUnderWay()) {
      ended.run();
      give.run();
    } else {
      declares.add(new DeclareRun.Member(channel, currentMethod, future, ended, give));
    }
  }

  @Override
  public void afterReply(Runnable action) {
    decodeSuspension.doAfter(action);
  }

  private void onBatchReturned() {
    pausedPublish.lookAtFull(commands.fullQueue());
    boolean goesOn = pausedPublish.paceKept(keepsPace());
    if (overloaded && commands.hasRoom()) {
      overloaded = false;
      goesOn = true;
    }
    if (goesOn) {
      input.resume();
    }
  }

  /** Ends a read: sends what handling it has produced. */
  void endOfRead() {
    boolean stopped = commands.isPaced() || commands.hasPublishedMost();
    commands.flush();
    if (publishPace != null) {
      publishPace.keep();
    }
    if (memory != null) {
      memory.tell();
    }
    if (commands.isFull()) {
      overloaded = true;
    }
    if (stopped || keepsPace()) {
      pausedPublish.keepPace();
    }
    if (stopped && !keepsPace()) {
      home.execute(this::onBatchReturned); // It was back before the end of the read.
    }
    flooded = output.isFlooded();
  }

  // Errors and endings

  /** Closes the channel or the connection, as the error demands. */
  @Override
  public void fail(int channel, AmqpException error) {
    if (state == State.CLOSING || state == State.CLOSED) {
      return;
    }
    if (error instanceof ChannelException && channels.isClosing(channel)) {
      return;
    }
    if (error instanceof ChannelException && channels.contains(channel)) {
      log.channelError(channel, error);
      output.method(
          channel,
          new ChannelMethod.Close(
              error.code().code(), error.replyText(), error.classId(), error.methodId()));
      channels.fail(channel);
    } else {
      log.connectionError(channel, error);
      closeWith(error);
    }
  }

  /**
   * Ends the channels that hold the most; the connection if that is not enough and nothing is to
   * stay. Any thread may call.
   */
  @Override
  public void giveUpLargest(Part part, long most) {
    home.execute(
        () -> {
          memory.tell();
          ClientMemory all = environment.memory();
          ChannelSession largest = channels.largest(part);
          while (state == State.OPEN && all.total(part) > most && largest != null) {
            fail(largest.number(), largest.giveUp(part, all.excess()));
            memory.gaveUp();
            largest = channels.largest(part);
          }
          if (state == State.OPEN && part == Part.ALL && all.total() > most) {
            fail(
                0,
                new ConnectionException(
                    ReplyCode.RESOURCE_ERROR, "connection was given up: " + all.excess()));
            memory.gaveUp();
          }
          memory.endGivingUp();
        });
  }

  @Override
  public long queuedBytes() {
    return output.pendingBytes();
  }

  /** Closes the connection after an internal error of the broker. */
  @Override
  public void failInternally(Throwable cause) {
    log.internalError(cause, home.faults());
    ConnectionException error = new ConnectionException(ReplyCode.INTERNAL_ERROR, "internal error");
    if (state == State.CLOSING || state == State.CLOSED) {
      socket.close();
    } else {
      closeWith(error);
    }
  }

  private void closeWith(AmqpException error) {
    output.method(
        0,
        new ConnectionMethod.Close(
            error.code().code(), error.replyText(), error.classId(), error.methodId()));
    state = State.CLOSING;
    release();
    leaveSocketToClient();
  }

  /**
   * Reads on until the client closes the socket, or the time is up. As in RabbitMQ the client does
   * it, also after {@code connection.close-ok}: some take an end of the stream for an error.
   * Nothing that was sent is lost, as it would be if the socket were closed while received bytes
   * are unread.
   */
  private void leaveSocketToClient() {
    boolean waited = pausedPublish.end();
    if (publishBlocker.abandon() || waited) {
      home.execute(input::resume);
    }
    home.loop().schedule(socket::close, CLOSING_TIMEOUT_MILLIS);
  }

  private void onClose(ConnectionMethod.Close close) {
    log.closedByClient(close.replyText());
    state = State.CLOSING;
    release()
        .whenComplete(
            (done, error) ->
                home.execute(
                    () -> {
                      output.method(0, ConnectionMethod.CloseOk.INSTANCE);
                      output.endOfBurst();
                      leaveSocketToClient();
                    }));
  }

  private void whileClosing(Method method) {
    if (method instanceof ConnectionMethod.CloseOk) {
      socket.close();
    } else if (method instanceof ConnectionMethod.Close) {
      output.method(0, ConnectionMethod.CloseOk.INSTANCE);
      output.endOfBurst();
    }
  }

  @Override
  public void forceClose(String reason) {
    home.execute(
        () -> {
          if (state == State.OPEN) {
            log.closedByBroker(reason);
            closeWith(new ConnectionException(ReplyCode.CONNECTION_FORCED, reason));
          } else if (state == State.HANDSHAKE) {
            log.closedByBroker(reason);
            socket.close();
          }
        });
  }

  @Override
  public boolean isFrom(SocketAddress peer) {
    return peer.equals(socket.remoteAddress());
  }

  @Override
  public InnerChannel within(int channel) {
    return input.within(channel);
  }

  @Override
  public void hangUp() {
    socket.close();
  }

  /** Returns whether everything is released. */
  boolean hasEnded() {
    return state == State.CLOSED;
  }

  /** Releases everything; called once, when the socket is closed and no frame waits. */
  void ended() {
    if (state == State.OPEN || handshake != null) {
      log.socketClosed();
    }
    log.end();
    if (state != State.CLOSING) {
      release();
    }
    state = State.CLOSED;
    publishBlocker.abandon();
    loginExpiry.stop();
    if (open != null) {
      open.end();
    }
    if (publishPace != null) {
      publishPace.end();
    }
    if (heartbeats != null) {
      heartbeats.stop();
    }
    if (memory != null) {
      memory.close();
    }
    output.release();
    environment.open().remove(this);
  }

  private CompletableFuture<Void> release() {
    channels.end();
    if (open != null) {
      environment.sessions().leave(open.session());
    }
    commands.flush();
    return exclusiveQueues.deleteAll(home, vhost, open);
  }

  /** Called when the writability of the socket changes. */
  void writabilityChanged() {
    if (output.isWritable()) {
      deliveryLinks.forEach(DeliveryLink::wakeWaiting);
      if (flooded) {
        flooded = false;
        input.resume();
      }
    }
  }

  /** Notes that the socket is closed: nothing waits to be written any more. */
  void outputIsGone() {
    flooded = false;
    pausedPublish.end();
  }

  // For management

  @Override
  public ConnectionView view() {
    return state == State.OPEN ? open.view(channels.count(), stateInWord(), memory.memory()) : null;
  }

  private String stateInWord() {
    if (publishBlocker.isBlocked() || pausedPublish.isTold()) {
      return "blocked";
    }
    return isPaced() ? "flow" : ConnectionInfo.RUNNING;
  }

  @Override
  public long unwrittenBytes() {
    ChannelOutboundBuffer unwritten = socket.unsafe().outboundBuffer();
    return unwritten == null ? 0 : unwritten.totalPendingWriteBytes();
  }

  @Override
  public boolean isWritable() {
    return output.isWritable();
  }

  @Override
  public List<ChannelView> channelViews() {
    return state == State.OPEN ? channels.views() : List.of();
  }

  // For the channels

  @Override
  public VirtualHost vhost() {
    return vhost;
  }

  @Override
  public VhostAccess access() {
    return access;
  }

  @Override
  public ConnectionOutput output() {
    return output;
  }

  @Override
  public ShardCommandSender commands() {
    return commands;
  }

  @Override
  public ReplyDeadlines replyDeadlines() {
    return replyDeadlines;
  }

  @Override
  public ConnectionRates rates() {
    return rates;
  }

  @Override
  public DeliveryLink linkFrom(Shard shard) {
    return deliveryLinks.from(shard);
  }

  @Override
  public Shard home() {
    return home;
  }

  @Override
  public Turn turn() {
    return turn;
  }

  @Override
  public ConnectionIdentity identity() {
    return open.identity();
  }

  @Override
  public ProtocolSettings settings() {
    return environment.settings();
  }

  @Override
  public InjectedFaults faults() {
    return environment.faults();
  }

  @Override
  public void hold(long bytes) {
    memory.add(bytes);
  }

  @Override
  public void keep(long bytes) {
    memory.keep(bytes);
  }

  @Override
  public String memoryShortage() {
    return environment.memory().shortageFor(vhost.name());
  }

  @Override
  public ClientQuirks client() {
    return client;
  }

  @Override
  public void ownsQueue(String queue) {
    exclusiveQueues.add(queue);
  }

  @Override
  public void closed(int channel) {
    channels.remove(channel);
  }
}
