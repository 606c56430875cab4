package io.mayflymq.core.stream;

import io.mayflymq.core.message.Message;
import io.mayflymq.core.queue.BrowsedMessage;
import io.mayflymq.core.queue.MessageBrowser;
import io.mayflymq.core.queue.index.Deadlines;
import io.mayflymq.core.store.StreamCursor;
import java.util.function.Consumer;

/**
 * Browses the messages of a stream, which are all ready, whether consumers have read them or not.
 */
final class StreamBrowser implements MessageBrowser {
  private final StreamCursor cursor;
  private long position;

  StreamBrowser(StreamCursor cursor, long position) {
    this.cursor = cursor;
    this.position = position;
  }

  @Override
  public boolean step(long nowMillis, Consumer<BrowsedMessage> sink) {
    if (!cursor.next()) {
      return false;
    }
    Message message = cursor.message();
    sink.accept(
        new BrowsedMessage(
            position++,
            cursor.offset(),
            message,
            message.bodyLength(),
            BrowsedMessage.UNKNOWN,
            Deadlines.NEVER,
            false,
            BrowsedMessage.UNKNOWN));
    return true;
  }

  @Override
  public void close() {
    cursor.close();
  }
}
