package io.mayflymq.server.connection;

import io.mayflymq.core.security.Sessions;
import io.mayflymq.protocol.codec.ContentFrameOrder;
import io.mayflymq.protocol.types.ConnectionException;
import io.mayflymq.protocol.types.ReplyCode;
import io.mayflymq.server.alarm.ClientMemory.Part;
import io.mayflymq.server.channel.ChannelSession;
import io.mayflymq.server.channel.ChannelView;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import java.util.Comparator;
import java.util.List;

/**
 * The channels of a connection by number; the one that was used last is cached. Used on the
 * connection's loop only.
 */
final class Channels {
  private final IntObjectMap<ChannelSession> sessions = new IntObjectHashMap<>();

  /** Those that the broker has closed, whose clients have not confirmed that yet. */
  private final IntObjectMap<ContentFrameOrder> closing = new IntObjectHashMap<>();

  private ChannelSession last;
  private int max;
  private Sessions counted;
  private String user;

  /**
   * Sets how many channels may be open, whatever their numbers; 0 for no limit but the protocol's.
   */
  void setMax(int channelMax) {
    max = channelMax;
  }

  /** Counts the channels towards the limit of the user; called when the connection is open. */
  void countFor(String connectionUser, Sessions sessions) {
    user = connectionUser;
    counted = sessions;
  }

  int count() {
    return sessions.size() + closing.size();
  }

  List<ChannelView> views() {
    return sessions.values().stream()
        .filter(ChannelSession::isOpen)
        .map(ChannelSession::view)
        .toList();
  }

  /** Returns the open channel for which the most memory is held; null if it is held for none. */
  ChannelSession largest(Part part) {
    return sessions.values().stream()
        .filter(session -> session.isOpen() && session.held(part) > 0)
        .max(Comparator.comparingLong(session -> session.held(part)))
        .orElse(null);
  }

  boolean contains(int number) {
    return sessions.containsKey(number);
  }

  /**
   * Releases everything of a channel after an error: channel.close has been sent, and close-ok is
   * awaited.
   */
  void fail(int number) {
    ChannelSession failed = sessions.remove(number);
    last = null;
    closing.put(number, failed.contentFrames());
    failed.contentFrames().mayStop();
    failed.fail();
  }

  /** Returns whether the broker has closed a channel and its client has not confirmed that yet. */
  boolean isClosing(int number) {
    return closing.containsKey(number);
  }

  /** The client has confirmed that such a channel is closed. */
  void confirmedClosed(int number) {
    closing.remove(number);
    counted.closeChannels(user, 1);
  }

  /**
   * Counts a channel that is to be opened.
   *
   * @throws ConnectionException 530 if it would be one too many for the connection or the user
   */
  void countOneMore() {
    if (max > 0 && count() >= max) {
      throw new ConnectionException(
          ReplyCode.NOT_ALLOWED,
          "number of channels opened (%d) has reached the negotiated channel_max (%d)"
              .formatted(count(), max));
    }
    counted.openChannel(user);
  }

  /** Adds a channel that is counted and open. */
  void add(ChannelSession opened) {
    sessions.put(opened.number(), opened);
  }

  /**
   * Returns the order of the frames of a channel that is not open: what is in order is ignored
   * while the channel is closing; in one that is closed no content is in order.
   */
  ContentFrameOrder framesOfOther(int number) {
    ContentFrameOrder frames = closing.get(number);
    return frames == null ? new ContentFrameOrder() : frames;
  }

  /** Returns an open channel; null if it is not open. */
  ChannelSession find(int number) {
    ChannelSession recent = last;
    if (recent != null && recent.number() == number) {
      return recent;
    }
    last = sessions.get(number);
    return last;
  }

  /**
   * Returns an open channel; null if it is closing, so that what is in order is ignored.
   *
   * @throws ConnectionException 504 if the channel is not open
   */
  ChannelSession require(int number) {
    ChannelSession found = find(number);
    if (found == null && !isClosing(number)) {
      throw new ConnectionException(ReplyCode.CHANNEL_ERROR, "expected 'channel.open'");
    }
    return found;
  }

  void remove(int number) {
    if (sessions.remove(number) != null) {
      counted.closeChannels(user, 1);
    }
    last = null;
  }

  /** The user of the connection has other permissions now. */
  void accessRenewed() {
    List.copyOf(sessions.values()).forEach(ChannelSession::accessRenewed);
  }

  /** Ends all channels; called when the connection has ended. */
  void end() {
    for (ChannelSession channel : List.copyOf(sessions.values())) {
      channel.connectionEnded();
    }
    if (count() > 0) {
      counted.closeChannels(user, count());
    }
    sessions.clear();
    closing.clear();
    last = null;
  }
}
