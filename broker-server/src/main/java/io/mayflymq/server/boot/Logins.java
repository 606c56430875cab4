package io.mayflymq.server.boot;

import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.security.AccessControl;
import io.mayflymq.server.auth.AuthBackend;
import io.mayflymq.server.auth.AuthChain;
import io.mayflymq.server.auth.AuthService;
import io.mayflymq.server.auth.http.HttpAuthService;
import io.mayflymq.server.auth.ldap.LdapAuthService;
import io.mayflymq.server.auth.oauth2.AuthorizationCode;
import io.mayflymq.server.auth.oauth2.OAuthProviders;
import io.mayflymq.server.config.AuthBackendKeys;
import io.mayflymq.server.config.AuthSettings;
import io.mayflymq.server.config.ServerSettings;
import io.mayflymq.server.net.SettingsException;
import io.mayflymq.server.net.StartException;
import io.mayflymq.server.tls.TlsException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** How users log in. Of a backend that is not configured no class is loaded. */
final class Logins implements AutoCloseable {
  private final AuthChain chain;

  /** Null if no tokens are taken. */
  private final OAuthProviders providers;

  private final ServerSettings settings;

  private Logins(AuthChain chain, OAuthProviders providers, ServerSettings settings) {
    this.chain = chain;
    this.providers = providers;
    this.settings = settings;
  }

  /**
   * Makes what the configuration says. No service is asked before the first login.
   *
   * @param control the users and permissions of the broker itself
   * @param threads makes the threads
   * @throws StartException if a certificate or a key cannot be used
   */
  static Logins start(ServerSettings settings, AccessControl control, BrokerThreads threads)
      throws StartException {
    AuthSettings auth = settings.auth();
    try {
      Map<String, AuthService> services = new HashMap<>();
      if (auth.uses(AuthBackendKeys.HTTP)) {
        services.put(AuthBackendKeys.HTTP, HttpAuthService.start(auth.http(), threads));
      }
      if (auth.ldap().isPresent()) {
        services.put(AuthBackendKeys.LDAP, LdapAuthService.start(auth.ldap().get(), threads));
      }
      List<AuthBackend> others = new ArrayList<>();
      OAuthProviders providers = null;
      if (auth.uses(AuthBackendKeys.OAUTH2)) {
        providers = OAuthProviders.start(auth.oauth(), threads);
        others.add(providers.backend());
      }
      return new Logins(new AuthChain(auth, control, services, others), providers, settings);
    } catch (TlsException e) {
      throw new SettingsException(e.getMessage(), e);
    }
  }

  /** Returns the backends, in their order. */
  AuthChain chain() {
    return chain;
  }

  /** Returns how users of the management page log in by a provider; empty if they do not. */
  Optional<AuthorizationCode> page() {
    return settings.management().pageLogin().enabled()
        ? Optional.of(providers.pageLogin(settings.management().pageLogin()))
        : Optional.empty();
  }

  /** Asks services no more. */
  @Override
  public void close() {
    chain.close();
    if (providers != null) {
      providers.close();
    }
  }
}
