package io.mayflymq.shovel.client;

import com.rabbitmq.client.WriteListener;
import com.rabbitmq.client.impl.SocketFrameHandler;
import java.io.IOException;
import java.net.Socket;

/**
 * The socket of a connection, which one thread may write to in bursts: what it sends until the end
 * of the burst goes out together, while the client would flush after each method. Other threads
 * send at once, and with it what the burst has written so far.
 */
final class BurstFrames extends SocketFrameHandler implements Burst {
  private volatile Thread bursting;

  BurstFrames(Socket socket) throws IOException {
    super(socket);
  }

  @Override
  public void begin() {
    bursting = Thread.currentThread();
  }

  @Override
  public void end() throws IOException {
    bursting = null;
    super.flush((done, failure) -> {});
  }

  @Override
  public void flush(WriteListener listener) throws IOException {
    if (Thread.currentThread() != bursting) {
      super.flush(listener);
    } else if (listener != null) {
      listener.done(true, null);
    }
  }
}
