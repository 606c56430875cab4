package io.mayflymq.server.auth.ldap;

import io.mayflymq.server.config.ClientTlsSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/** Speaks TLS with one server, whose certificate has to be for its host (RFC 4513, 3.1.3). */
final class TlsSockets extends SSLSocketFactory {
  private final SSLSocketFactory sockets;
  private final ClientTlsSettings settings;
  private final String host;
  private final int port;

  TlsSockets(SSLContext context, ClientTlsSettings settings, String host, int port) {
    this.sockets = context.getSocketFactory();
    this.settings = settings;
    this.host = host;
    this.port = port;
  }

  /** Returns a socket that speaks TLS by one that is connected to the server. */
  SSLSocket over(Socket plain) throws IOException {
    SSLSocket socket = (SSLSocket) sockets.createSocket(plain, host, port, true);
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setProtocols(settings.versions().toArray(String[]::new));
    parameters.setEndpointIdentificationAlgorithm("LDAPS");
    socket.setSSLParameters(parameters);
    return socket;
  }

  @Override
  public Socket createSocket(Socket plain, String ignoredHost, int ignoredPort, boolean autoClose)
      throws IOException {
    return over(plain);
  }

  @Override
  public String[] getDefaultCipherSuites() {
    return sockets.getDefaultCipherSuites();
  }

  @Override
  public String[] getSupportedCipherSuites() {
    return sockets.getSupportedCipherSuites();
  }

  // The library calls none of these.

  @Override
  public Socket createSocket(String ignoredHost, int ignoredPort) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Socket createSocket(String ignoredHost, int p, InetAddress local, int localPort) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Socket createSocket(InetAddress ignoredHost, int ignoredPort) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Socket createSocket(InetAddress ignoredHost, int p, InetAddress local, int localPort) {
    throw new UnsupportedOperationException();
  }
}
