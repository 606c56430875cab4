package io.mayflymq.server.channel;

import io.mayflymq.protocol.method.Method;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.ConnectionException;
import io.mayflymq.protocol.types.ReplyCode;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** What the operations of a channel share. Used on the connection's loop only. */
final class ChannelContext {
  private final int number;
  private final ConnectionContext connection;
  private boolean open = true;
  private long kept;

  ChannelContext(int number, ConnectionContext connection) {
    this.number = number;
    this.connection = connection;
  }

  /** Returns the number of the channel in its connection. */
  int number() {
    return number;
  }

  /** Returns whether neither side has closed the channel. */
  boolean isOpen() {
    return open;
  }

  /** Notes that one side closes the channel, or that the connection has ended. */
  void close() {
    open = false;
  }

  /**
   * Notes that so many bytes more are held for what the client keeps open in the channel, or fewer.
   */
  void keep(long bytes) {
    kept += bytes;
    connection.keep(bytes);
  }

  /** Returns how many bytes are held so. */
  long kept() {
    return kept;
  }

  /**
   * Checks whether the client may keep one more thing open.
   *
   * @param what the request, for the error
   * @throws ChannelException 406 if not
   */
  void requireMemory(String what) {
    String shortage = connection.memoryShortage();
    if (shortage != null) {
      throw new ChannelException(ReplyCode.PRECONDITION_FAILED, what + ": " + shortage);
    }
  }

  /** Sends a reply unless the client wants none. */
  void reply(boolean noWait, Method method) {
    if (!noWait && open) {
      connection.output().method(number, method);
    }
  }

  /**
   * Handles no further method until a future is done; then continues with its value, or fails the
   * channel with its error.
   */
  <T> void await(CompletableFuture<T> future, Consumer<T> then) {
    connection.await(number, future, then);
  }

  /** Returns the error for a method that only a server may send. */
  static ConnectionException notForServers() {
    return new ConnectionException(ReplyCode.COMMAND_INVALID, "unimplemented method");
  }
}
