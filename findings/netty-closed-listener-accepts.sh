#!/usr/bin/env bash
# A Netty listener whose close() is done still accepts connections, until its event loop selects again.
#
# With:      Netty netty-transport 4.2.18.Final with NIO, Java 17 or later on Linux
# Expected:  once channel.close().sync() has returned, the port refuses connections, and can be bound again.
# Happens:   isOpen() is false and the close future is done, but Java lets go of a registered socket only when its selector
#            selects the next time. While the event loop is busy with a task, clients connect without an error and the port is in
#            use; when the task ends, those clients are reset. Java's own channels do the same without Netty: there nothing ends it
#            but a selection.
# Who meets it: who takes a server out of service by closing its listeners and then tells that none can connect any more: health
#            checks by a bare TCP connection pass, the next process cannot bind the port, and the last clients get "Connection
#            reset" after a connect that worked, which many clients do not retry as they retry a refusal.
. "$(dirname "$0")/lib.bash"

java_packages io.netty:netty-transport:4.2.18.Final

cat >"$work/Closed.java" <<'JAVA'
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.util.concurrent.CountDownLatch;

public class Closed {
  public static void main(String[] args) throws Exception {
    boolean same = withNetty();
    same &= withJavaAlone();
    System.exit(same ? 0 : 1);
  }

  static boolean withNetty() throws Exception {
    MultiThreadIoEventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    Channel listener =
        new ServerBootstrap()
            .group(loop)
            .channel(NioServerSocketChannel.class)
            .childHandler(new ChannelInboundHandlerAdapter())
            .bind("127.0.0.1", 0)
            .sync()
            .channel();
    int port = ((InetSocketAddress) listener.localAddress()).getPort();
    CountDownLatch busy = new CountDownLatch(1);
    CountDownLatch rest = new CountDownLatch(1);
    // In one batch of tasks: the listener is closed, and the loop has something else to do.
    loop.next()
        .execute(
            () -> {
              listener.close();
              loop.next()
                  .execute(
                      () -> {
                        busy.countDown();
                        try {
                          rest.await();
                        } catch (InterruptedException e) {
                          Thread.currentThread().interrupt();
                        }
                      });
            });
    listener.closeFuture().sync();
    busy.await();
    System.out.println("Netty: open " + listener.isOpen() + ", closed " + listener.closeFuture().isDone());
    return seen(port, rest::countDown, listener.isOpen());
  }

  static boolean withJavaAlone() throws Exception {
    Selector selector = Selector.open();
    ServerSocketChannel listener = ServerSocketChannel.open().bind(new InetSocketAddress("127.0.0.1", 0));
    listener.configureBlocking(false);
    listener.register(selector, SelectionKey.OP_ACCEPT);
    int port = listener.socket().getLocalPort();
    listener.close();
    System.out.println("Java " + Runtime.version().feature() + ": open " + listener.isOpen());
    return seen(port, selector::selectNow, listener.isOpen());
  }

  interface Selection {
    void happens() throws IOException;
  }

  static boolean seen(int port, Selection selection, boolean open) throws Exception {
    String connected;
    String bound;
    String read;
    try (Socket client = new Socket("127.0.0.1", port)) {
      connected = "yes";
      bound = bound(port);
      selection.happens();
      client.setSoTimeout(10_000);
      try {
        read = "" + client.getInputStream().read();
      } catch (IOException e) {
        read = e.getMessage();
      }
    } catch (IOException e) {
      connected = e.getMessage();
      bound = "?";
      read = "?";
      selection.happens();
    }
    System.out.println("  connects: " + connected + "; binds: " + bound + "; then reads: " + read + "; connects then: " + connects(port));
    return !open && connected.equals("yes") && !bound.equals("yes") && read.contains("reset") && !connects(port).equals("yes");
  }

  static String bound(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(false);
      socket.bind(new InetSocketAddress("127.0.0.1", port));
      return "yes";
    } catch (IOException e) {
      return e.getMessage();
    }
  }

  static String connects(int port) {
    try (Socket client = new Socket("127.0.0.1", port)) {
      return "yes";
    } catch (IOException e) {
      return e.getMessage();
    }
  }
}
JAVA

if java -cp "$work/lib/*" "$work/Closed.java"; then verdict true; else verdict false; fi
