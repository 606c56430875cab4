package io.mayflymq.shovel.client;

import com.rabbitmq.client.AuthenticationFailureException;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.DefaultSaslConfig;
import com.rabbitmq.client.LongString;
import com.rabbitmq.client.PossibleAuthenticationFailureException;
import com.rabbitmq.client.SaslConfig;
import com.rabbitmq.client.SaslMechanism;
import com.rabbitmq.client.ShutdownSignalException;
import com.rabbitmq.client.impl.AMQConnection;
import com.rabbitmq.client.impl.FrameHandler;
import com.rabbitmq.client.impl.FrameHandlerFactory;
import com.rabbitmq.client.impl.LongStringHelper;
import com.rabbitmq.client.impl.SocketFrameHandlerFactory;
import io.mayflymq.core.runtime.BrokerThreads;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;

/**
 * Opens connections to brokers. What arrives is handed over on the connection's own thread, which
 * reads its socket; all of them share one thread that sends heartbeats. Any thread may call.
 */
public final class BrokerConnections implements AutoCloseable {
  private static final int CONNECT_MILLIS = 10_000;
  private static final int HEARTBEAT_SECONDS = 10;
  private static final int RPC_MILLIS = 30_000;
  private static final int IDLE_SECONDS = 10;

  private final BrokerThreads threads;
  private final InnerEntrance inner;
  private final ScheduledThreadPoolExecutor heartbeats;

  /**
   * @param threads makes all threads
   * @param inner leads to this broker
   */
  public BrokerConnections(BrokerThreads threads, InnerEntrance inner) {
    this.threads = threads;
    this.inner = inner;
    this.heartbeats = new ScheduledThreadPoolExecutor(1, threads.auxiliaries("shovel-heartbeats"));
    heartbeats.setRemoveOnCancelPolicy(true);
    // Without connections there is no thread.
    heartbeats.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
    heartbeats.allowCoreThreadTimeOut(true);
  }

  /** A factory of one connection, whose socket gathers what is sent. */
  private static final class Factory extends ConnectionFactory {
    private final TlsOptions tls;

    Factory(TlsOptions tls) {
      this.tls = tls;
    }

    @Override
    protected synchronized FrameHandlerFactory createFrameHandlerFactory() throws IOException {
      return new SocketFrameHandlerFactory(
          getConnectionTimeout(),
          tls == null ? getSocketFactory() : tls.sockets(),
          tls == null ? getSocketConfigurator() : getSocketConfigurator().andThen(tls::configure),
          tls != null) {
        @Override
        public FrameHandler create(Socket socket) throws IOException {
          return new BurstFrames(socket);
        }
      };
    }
  }

  /**
   * Connects to the first of several addresses that can be had.
   *
   * @param name of the connection, as its broker shows it
   * @throws ConnectException if none can be had; the message has the reason for each
   */
  public BrokerConnection open(List<BrokerUri> uris, String name) throws ConnectException {
    StringBuilder reasons = new StringBuilder();
    Exception last = null;
    for (BrokerUri uri : uris) {
      try {
        return open(uri, name);
      } catch (IOException | TimeoutException | RuntimeException e) {
        last = e;
        reasons
            .append(reasons.length() == 0 ? "" : "; ")
            .append(uri)
            .append(": ")
            .append(reason(e));
      }
    }
    throw new ConnectException(reasons.toString(), last);
  }

  private BrokerConnection open(BrokerUri uri, String name) throws IOException, TimeoutException {
    Factory factory = new Factory(uri.tls() && !uri.isLocal() ? TlsOptions.of(uri) : null);
    InetSocketAddress address = uri.isLocal() ? inner.address() : null;
    factory.setHost(address == null ? uri.host() : address.getHostString());
    factory.setPort(address == null ? uri.port() : address.getPort());
    factory.setVirtualHost(uri.vhost());
    factory.setAutomaticRecoveryEnabled(false);
    factory.setTopologyRecoveryEnabled(false);
    factory.setRequestedHeartbeat(uri.number("heartbeat", HEARTBEAT_SECONDS));
    factory.setConnectionTimeout(uri.number("connection_timeout", CONNECT_MILLIS));
    factory.setRequestedChannelMax(uri.number("channel_max", 0));
    factory.setRequestedFrameMax(uri.number("frame_max", 0));
    factory.setChannelRpcTimeout(RPC_MILLIS);
    factory.setHeartbeatExecutor(heartbeats);
    factory.setThreadFactory(threads.auxiliaries("shovel-connection"));
    Map<String, Object> properties = new HashMap<>(AMQConnection.defaultClientProperties());
    properties.put("product", "MayflyMQ");
    properties.remove("information");
    properties.remove("copyright");
    factory.setClientProperties(properties);
    factory.setUsername(uri.user().isEmpty() ? ConnectionFactory.DEFAULT_USER : uri.user());
    factory.setPassword(
        uri.user().isEmpty() && uri.password().isEmpty()
            ? ConnectionFactory.DEFAULT_PASS
            : uri.password());
    factory.setSaslConfig(login(uri));
    Connection connection = factory.newConnection(new CallingThread(), name);
    Burst burst = (Burst) ((AMQConnection) connection).getFrameHandler();
    return new BrokerConnection(uri, connection, burst, inner);
  }

  private SaslConfig login(BrokerUri uri) {
    if (uri.isLocal() && uri.password().isEmpty()) {
      return offered -> new Inner(inner.secret(), uri.user());
    }
    return switch (uri.parameters().getOrDefault("auth_mechanism", "plain")) {
      case "external" -> DefaultSaslConfig.EXTERNAL;
      case "amqplain" -> offered -> new AmqPlain();
      default -> DefaultSaslConfig.PLAIN;
    };
  }

  /** Name and password in a field table, which the client does not have. */
  private static final class AmqPlain implements SaslMechanism {
    @Override
    public String getName() {
      return "AMQPLAIN";
    }

    @Override
    public LongString handleChallenge(LongString challenge, String username, String password) {
      byte[] login = field("LOGIN", username);
      byte[] secret = field("PASSWORD", password);
      return LongStringHelper.asLongString(
          ByteBuffer.allocate(login.length + secret.length).put(login).put(secret).array());
    }

    private static byte[] field(String name, String value) {
      byte[] key = name.getBytes(StandardCharsets.UTF_8);
      byte[] text = value.getBytes(StandardCharsets.UTF_8);
      return ByteBuffer.allocate(1 + key.length + 1 + Integer.BYTES + text.length)
          .put((byte) key.length)
          .put(key)
          .put((byte) 'S')
          .putInt(text.length)
          .put(text)
          .array();
    }
  }

  private static final class Inner implements SaslMechanism {
    private final byte[] secret;
    private final String user;

    Inner(byte[] secret, String user) {
      this.secret = secret;
      this.user = user;
    }

    @Override
    public String getName() {
      return InnerEntrance.MECHANISM;
    }

    @Override
    public LongString handleChallenge(LongString challenge, String username, String password) {
      byte[] name = user.getBytes(StandardCharsets.UTF_8);
      return LongStringHelper.asLongString(
          ByteBuffer.allocate(secret.length + name.length).put(secret).put(name).array());
    }
  }

  /** Returns why a connection could not be opened, or has ended, without secrets. */
  public static String reason(Throwable failure) {
    if (failure instanceof AuthenticationFailureException) {
      return failure.getMessage();
    } else if (failure instanceof PossibleAuthenticationFailureException) {
      return "the connection was closed at the login, as with a wrong user or password";
    } else if (failure instanceof UnknownHostException) {
      return "unknown host";
    } else if (failure instanceof ShutdownSignalException signal) {
      return text(signal);
    } else if (failure instanceof SocketTimeoutException || failure instanceof TimeoutException) {
      return "no answer in time";
    } else if (failure instanceof SSLException) {
      return "TLS: " + failure.getMessage();
    } else if (failure.getCause() != null && failure.getMessage() == null) {
      return reason(failure.getCause());
    }
    String message = failure.getMessage();
    return message == null ? failure.getClass().getSimpleName() : message;
  }

  private static String text(ShutdownSignalException signal) {
    if (signal.getReason() instanceof com.rabbitmq.client.AMQP.Connection.Close close) {
      return close.getReplyText();
    } else if (signal.getReason() instanceof com.rabbitmq.client.AMQP.Channel.Close close) {
      return close.getReplyText();
    }
    Throwable cause = signal.getCause();
    return cause == null || cause instanceof java.io.EOFException
        ? "the connection was lost"
        : "the connection was lost: " + reason(cause);
  }

  @Override
  public void close() {
    heartbeats.shutdownNow();
  }
}
