package io.mayflymq.server.auth.oauth2;

import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.server.auth.AuthBackend;
import io.mayflymq.server.config.OAuthSettings;
import io.mayflymq.server.config.OAuthSettings.TokenProvider;
import io.mayflymq.server.config.PageLoginSettings;
import io.mayflymq.server.tls.PemFiles;
import io.mayflymq.server.tls.TlsException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;

/** The providers of a configuration, and what is made of them. */
public final class OAuthProviders implements AutoCloseable {
  /** They look up names, and hand on what the clients' own threads have received. */
  private static final int THREADS = 2;

  private final OAuthSettings settings;
  private final ExecutorService threads;
  private final Map<String, ProviderClient> clients;
  private final Map<String, ProviderKeys> keys;

  private OAuthProviders(
      OAuthSettings settings,
      ExecutorService threads,
      Map<String, ProviderClient> clients,
      Map<String, ProviderKeys> keys) {
    this.settings = settings;
    this.threads = threads;
    this.clients = clients;
    this.keys = keys;
  }

  /**
   * Reads the files. No provider is asked before the first login.
   *
   * @param factory makes its threads
   * @throws TlsException if a certificate or a key of a file cannot be used
   */
  public static OAuthProviders start(OAuthSettings settings, BrokerThreads factory)
      throws TlsException {
    ExecutorService threads = factory.auxiliaryPool("auth-oauth2", THREADS);
    Map<String, ProviderClient> clients = new HashMap<>();
    Map<String, ProviderKeys> keys = new HashMap<>();
    for (Map.Entry<String, TokenProvider> entry : settings.providers().entrySet()) {
      TokenProvider provider = entry.getValue();
      ProviderClient client = new ProviderClient(provider, threads);
      clients.put(entry.getKey(), client);
      boolean publishes = provider.discovery().isPresent() || provider.keySet().isPresent();
      keys.put(
          entry.getKey(),
          new ProviderKeys(
              provider,
              ofFiles(provider),
              publishes ? client::keys : null,
              () -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime())));
    }
    return new OAuthProviders(settings, threads, clients, keys);
  }

  private static Map<String, VerificationKey> ofFiles(TokenProvider provider) throws TlsException {
    Map<String, VerificationKey> keys = new HashMap<>();
    for (Map.Entry<String, Path> file : provider.signingKeys().entrySet()) {
      String option = "auth_oauth2.signing_keys." + file.getKey();
      try {
        keys.put(
            file.getKey(),
            VerificationKey.of(file.getKey(), PemFiles.publicKey(option, file.getValue())));
      } catch (TokenException e) {
        throw new TlsException(
            "%s: %s has %s".formatted(option, file.getValue(), e.getMessage()), e);
      }
    }
    return keys;
  }

  /** Returns the backend by which their users log in. */
  public AuthBackend backend() {
    return new OAuthBackend(settings, keys, InstantSource.system());
  }

  /** Returns how users of the management page log in. */
  public AuthorizationCode pageLogin(PageLoginSettings page) {
    return new AuthorizationCode(
        settings.first(), clients.get(settings.servers().get(0).provider()), page);
  }

  /** Asks them no more. */
  @Override
  public void close() {
    threads.shutdown();
  }
}
