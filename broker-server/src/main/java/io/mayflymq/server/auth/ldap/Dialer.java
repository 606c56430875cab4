package io.mayflymq.server.auth.ldap;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import javax.net.SocketFactory;

/**
 * Makes the socket of one connection. Whatever is done with that, TLS too, is limited by its time,
 * and ended by {@link #abort}: the library's own limits are for a single read, so a server that
 * sends a byte now and then would hold a thread as long as it likes.
 */
final class Dialer extends SocketFactory {
  private final Socket plain = new Socket();
  private final TlsSockets tls;
  private final int timeoutMillis;

  /**
   * @param tls null if the connection begins without TLS
   * @param timeoutMillis how long connecting may take, and each read at first
   */
  Dialer(TlsSockets tls, int timeoutMillis) {
    this.tls = tls;
    this.timeoutMillis = timeoutMillis;
  }

  @Override
  public Socket createSocket(InetAddress address, int port) throws IOException {
    plain.connect(new InetSocketAddress(address, port), timeoutMillis);
    plain.setSoTimeout(timeoutMillis);
    return tls == null ? plain : tls.over(plain);
  }

  /** Closes the socket; any thread may call. */
  void abort() {
    try {
      plain.close();
    } catch (IOException e) {
      // It is of no further use in any case.
      Thread.onSpinWait();
    }
  }

  // The library calls none of these.

  @Override
  public Socket createSocket(String host, int port) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Socket createSocket(String host, int port, InetAddress local, int localPort) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) {
    throw new UnsupportedOperationException();
  }
}
