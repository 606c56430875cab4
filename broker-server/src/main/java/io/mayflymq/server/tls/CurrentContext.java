package io.mayflymq.server.tls;

import java.security.KeyManagementException;
import java.security.SecureRandom;
import java.security.Security;
import java.util.function.Supplier;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLContextSpi;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocketFactory;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;

/**
 * A context for servers that ask for one once and for all, while the engines for their connections
 * come from somewhere that changes. It makes engines, and nothing else.
 */
final class CurrentContext extends SSLContext {
  /**
   * Wraps what makes engines.
   *
   * @param engines called for each connection, on any thread
   */
  CurrentContext(Supplier<SSLEngine> engines) {
    super(new Engines(engines), Security.getProvider("SunJSSE"), "TLS");
  }

  private static final class Engines extends SSLContextSpi {
    private final Supplier<SSLEngine> engines;

    Engines(Supplier<SSLEngine> engines) {
      this.engines = engines;
    }

    @Override
    protected SSLEngine engineCreateSSLEngine() {
      return engines.get();
    }

    @Override
    protected SSLEngine engineCreateSSLEngine(String host, int port) {
      return engines.get();
    }

    /** Servers give these to each engine: they are those that the engine has anyway. */
    @Override
    protected SSLParameters engineGetDefaultSSLParameters() {
      return engines.get().getSSLParameters();
    }

    @Override
    protected SSLParameters engineGetSupportedSSLParameters() {
      return engineGetDefaultSSLParameters();
    }

    @Override
    protected void engineInit(KeyManager[] keys, TrustManager[] trust, SecureRandom random)
        throws KeyManagementException {
      throw new KeyManagementException("its engines come from somewhere else");
    }

    @Override
    protected SSLSocketFactory engineGetSocketFactory() {
      throw onlyEngines();
    }

    @Override
    protected SSLServerSocketFactory engineGetServerSocketFactory() {
      throw onlyEngines();
    }

    @Override
    protected SSLSessionContext engineGetServerSessionContext() {
      throw onlyEngines();
    }

    @Override
    protected SSLSessionContext engineGetClientSessionContext() {
      throw onlyEngines();
    }

    private static UnsupportedOperationException onlyEngines() {
      return new UnsupportedOperationException("makes engines only");
    }
  }
}
