package io.mayflymq.shovel.client;

import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.File;
import java.io.IOException;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import javax.net.SocketFactory;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/**
 * TLS as the parameters of an address ask for it. Unless told otherwise the certificate of the
 * other side is verified, and has to name its host.
 *
 * @param context has certificates and keys
 * @param verifies whether the other side has to prove its name
 * @param name what is asked for as the name of the host; empty for the host of the address
 */
record TlsOptions(SSLContext context, boolean verifies, String name) {
  private static final String NO_NAME = "disable";

  /**
   * Reads the files.
   *
   * @throws IOException if one of them cannot be used; the message names it
   */
  static TlsOptions of(BrokerUri uri) throws IOException {
    Map<String, String> parameters = uri.parameters();
    boolean verifies = !"verify_none".equals(parameters.get("verify"));
    SslContextBuilder builder = SslContextBuilder.forClient().sslProvider(SslProvider.JDK);
    try {
      if (!verifies) {
        builder.trustManager(InsecureTrustManagerFactory.INSTANCE);
      } else if (parameters.containsKey("cacertfile")) {
        builder.trustManager(readable(parameters.get("cacertfile")));
      }
      if (parameters.containsKey("certfile")) {
        builder.keyManager(
            readable(parameters.get("certfile")),
            readable(parameters.getOrDefault("keyfile", parameters.get("certfile"))),
            parameters.get("password"));
      }
      return new TlsOptions(
          ((JdkSslContext) builder.build()).context(),
          verifies,
          parameters.getOrDefault("server_name_indication", ""));
    } catch (IllegalArgumentException e) {
      throw new SSLException("the certificate or key cannot be used: " + e.getMessage(), e);
    }
  }

  private static File readable(String path) throws IOException {
    File file = new File(path);
    if (!file.canRead()) {
      throw new IOException("cannot read the file " + path);
    }
    return file;
  }

  SocketFactory sockets() {
    return context.getSocketFactory();
  }

  /** Sets what a socket asks of the other side, before it connects. */
  void configure(Socket socket) {
    SSLSocket encrypted = (SSLSocket) socket;
    SSLParameters wanted = encrypted.getSSLParameters();
    if (verifies && !name.equals(NO_NAME)) {
      wanted.setEndpointIdentificationAlgorithm("HTTPS");
    }
    if (!name.isEmpty() && !name.equals(NO_NAME)) {
      wanted.setServerNames(List.of(new SNIHostName(name)));
    }
    encrypted.setSSLParameters(wanted);
  }
}
