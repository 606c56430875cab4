package io.mayflymq.core.routing;

import io.mayflymq.core.message.Message;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.ErlangText;
import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.FieldValue;
import io.mayflymq.protocol.types.ReplyCode;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Set;

/**
 * The latest messages of an exchange of the type {@code x-recent-history}, for destinations that
 * are bound to it later. Kept in memory only, of which all histories together may take a limited
 * part: then the largest ones forget their oldest messages. Any thread may call.
 *
 * <p>Source: RabbitMQ's plugin.
 */
public final class RecentHistory {
  /** All histories together take at most this part of the largest heap. */
  public static final int PART_OF_HEAP = 32;

  private static final String LENGTH = "x-recent-history-length";
  private static final String NO_STORE = "x-recent-history-no-store";
  private static final int DEFAULT_LENGTH = 20;
  private static final Set<String> INTEGERS = Set.of("byte", "short", "signedint", "long");

  private final long length;
  private final HistoryMemory memory;
  private final HistoryMemory.Share share;
  private final ArrayDeque<Message> messages = new ArrayDeque<>();

  /** Creates the history, still empty, that the valid arguments of an exchange ask for. */
  public RecentHistory(FieldTable arguments) {
    this(arguments, HistoryMemory.OF_PROCESS);
  }

  RecentHistory(FieldTable arguments, HistoryMemory memory) {
    FieldValue value = arguments.get(LENGTH);
    this.length = value == null ? DEFAULT_LENGTH : value.longValue();
    this.memory = memory;
    this.share = memory.open(this);
  }

  /**
   * Checks the arguments of an exchange.
   *
   * @throws ChannelException 406 if the length is not a positive integer
   */
  public static void validate(FieldTable arguments) {
    FieldValue value = arguments.get(LENGTH);
    if (value != null && !(INTEGERS.contains(value.rabbitTypeName()) && value.longValue() > 0)) {
      throw new ChannelException(
          ReplyCode.PRECONDITION_FAILED,
          "Invalid argument %s, '%s' must be a positive integer"
              .formatted(ErlangText.of(value), LENGTH));
    }
  }

  /** Adds a message, unless its publisher has excluded it. */
  void add(Message message) {
    if (FieldValue.Bool.TRUE.equals(message.headers().get(NO_STORE))) {
      return;
    }
    synchronized (this) {
      if (messages.size() >= length) {
        forgetOldest();
      }
      messages.addLast(message);
      share.add(HistoryMemory.of(message));
    }
    memory.makeRoom();
  }

  private void forgetOldest() {
    share.add(-HistoryMemory.of(messages.removeFirst()));
  }

  /** Forgets the older half of the messages, and one more if their number is odd. */
  synchronized void forgetHalf() {
    for (int rest = (messages.size() + 1) / 2; rest > 0; rest--) {
      forgetOldest();
    }
  }

  /** Returns the messages, the oldest first. */
  public synchronized List<Message> messages() {
    return List.copyOf(messages);
  }
}
