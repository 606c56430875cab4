package io.mayflymq.server.connection;

import io.mayflymq.core.runtime.Shard;
import io.mayflymq.server.channel.ChannelView;
import io.mayflymq.shovel.client.InnerChannel;
import java.net.SocketAddress;
import java.util.List;

/** A connection, as it is listed, told of alarms and closed. */
public interface OpenConnection {
  /** Returns the shard on its loop. Any thread may call. */
  Shard home();

  /** Returns the connection's state; null unless it is open. On the connection's loop. */
  ConnectionView view();

  /** Returns the state of its channels; none unless it is open. On the connection's loop. */
  List<ChannelView> channelViews();

  /** Returns how many bytes wait to be written to its socket. On the connection's loop. */
  long unwrittenBytes();

  /** Returns whether so few wait that it may be sent more. Any thread may call. */
  boolean isWritable();

  /** Unblocks the connection; called when no alarm is left. Any thread may call. */
  void alarmsCleared();

  /**
   * Closes the connection with 320 CONNECTION_FORCED and this reason. Any thread may call; returns
   * at once.
   */
  void forceClose(String reason);

  /** Returns whether it is the one of a client's socket. Any thread may call. */
  boolean isFrom(SocketAddress peer);

  /** Returns one of its channels for a client within the broker. Any thread may call. */
  InnerChannel within(int channel);

  /** Closes the socket without sending anything. Any thread may call; returns at once. */
  void hangUp();
}
