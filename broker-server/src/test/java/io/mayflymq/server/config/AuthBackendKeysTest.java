package io.mayflymq.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.server.config.AuthSettings.Backend;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AuthBackendKeysTest {
  private static final List<String> PATHS =
      List.of("user", "vhost", "resource", "topic").stream()
          .map(path -> "auth_http." + path + "_path=http://127.0.0.1:8000/auth/" + path)
          .toList();

  private static Configuration load(String... sets) throws ConfigException {
    List<String> all = new ArrayList<>(PATHS);
    all.addAll(List.of(sets));
    return Configuration.load(Optional.empty(), Map.of(), all);
  }

  private static List<Backend> backends(String... sets) throws ConfigException {
    return load(sets).settings().auth().backends();
  }

  private static Backend both(String name) {
    return new Backend(name, name);
  }

  @Test
  void theBrokerItselfIsTheOnlyOneByDefault() throws Exception {
    assertThat(backends()).containsExactly(both("internal"));
    assertThat(load().settings().auth().uses("http")).isFalse();
  }

  @Test
  void backendsAreInTheOrderOfTheirNumbersUnderBothNames() throws Exception {
    assertThat(
            backends(
                "auth_backends.2=internal",
                "auth_backends.1=rabbit_auth_backend_http",
                "auth_backends.3.authn=cache",
                "auth_backends.3.authz=rabbit_auth_backend_internal"))
        .containsExactly(both("http"), both("internal"), new Backend("cache", "internal"));
  }

  @Test
  void oneOfThePartsCountsForBothWithAWarning() throws Exception {
    Configuration configuration = load("auth_backends.1.authn=http");
    assertThat(configuration.settings().auth().backends()).containsExactly(both("http"));
    assertThat(configuration.warnings())
        .containsExactly(
            "auth_backends.1.authz is not set: http, the value of auth_backends.1.authn, counts for both");
    assertThat(load("auth_backends.1=http").warnings()).isEmpty();
  }

  @Test
  void theApiMayHaveOthers() throws Exception {
    assertThat(load("auth_backends.1=http").settings().auth().apiBackends())
        .containsExactly(both("http"));
    AuthSettings auth =
        load(
                "auth_backends.1=internal",
                "http_dispatch.auth_backends.1.authn=ldap",
                "http_dispatch.auth_backends.1.authz=internal",
                "http_dispatch.auth_backends.2=internal",
                "auth_ldap.servers.1=directory")
            .settings()
            .auth();
    assertThat(auth.backends()).containsExactly(both("internal"));
    assertThat(auth.apiBackends())
        .containsExactly(new Backend("ldap", "internal"), both("internal"));
    assertThat(auth.ldap()).isPresent();
    assertThatThrownBy(() -> load("http_dispatch.auth_backends.2=internal").settings())
        .hasMessage(
            "key 'http_dispatch.auth_backends.2': expected numbers from 1 on without a gap, found no"
                + " http_dispatch.auth_backends.1");
    assertThat(load("http_dispatch.auth_backends.1.authn=internal").warnings())
        .containsExactly(
            "http_dispatch.auth_backends.1.authz is not set: internal, the value of"
                + " http_dispatch.auth_backends.1.authn, counts for both");
  }

  @Test
  void variablesOfTheEnvironmentSetThemToo() throws Exception {
    assertThat(
            Configuration.load(
                    Optional.empty(),
                    Map.of(
                        "MAYFLY_AUTH_BACKENDS_1_AUTHN", "http",
                        "MAYFLY_AUTH_BACKENDS_1_AUTHZ", "internal"),
                    PATHS)
                .settings()
                .auth()
                .backends())
        .containsExactly(new Backend("http", "internal"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"dummy", "rabbit_auth_backend_amqp", "htp", "internal_loopback", "amqp"})
  void otherBackendsAreRefused(String name) {
    assertThatThrownBy(() -> backends("auth_backends.1=" + name))
        .hasMessage(
            ("--set: bad value '%s' for key 'auth_backends.1': expected internal, ldap, http, oauth2"
                    + " or cache (this version has no backend amqp, dummy or"
                    + " internal_loopback)")
                .formatted(name));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "auth_backends.2=http; key 'auth_backends.2': expected numbers from 1 on without a gap, found no auth_backends.1",
        "auth_backends.1=http,auth_backends.3=internal; key 'auth_backends.3': expected numbers from 1 on without a gap, found no auth_backends.2",
        "auth_backends.1=http,auth_backends.2=http; key 'auth_backends.2': expected each backend once, found 'http' again",
        "auth_backends.first=http; key 'auth_backends.first' (value 'http'): expected auth_backends.N, auth_backends.N.authn or auth_backends.N.authz with a number N from 1 on",
        "auth_backends.01=http; key 'auth_backends.01' (value 'http'): expected auth_backends.N, auth_backends.N.authn or auth_backends.N.authz with a number N from 1 on",
      })
  void whatMakesNoChainIsRefused(String sets, String error) {
    assertThatThrownBy(() -> backends(sets.split(","))).hasMessage(error);
  }

  @Test
  void aNumberHasEitherOneBackendOrTwo() {
    assertThatThrownBy(() -> backends("auth_backends.1=http", "auth_backends.1.authz=internal"))
        .hasMessageContaining("expected either auth_backends.1 or its .authn and .authz");
  }

  @Test
  void theUrlsThatAreNeededMustBeThere() {
    assertThatThrownBy(
            () ->
                Configuration.load(
                    Optional.empty(), Map.of(), List.of("auth_backends.1=http", PATHS.get(0))))
        .hasMessageContaining("key 'auth_http.vhost_path' is not set")
        .hasMessageContaining("key 'auth_http.topic_path' is not set")
        .hasMessageNotContaining("user_path' is not set");
    assertThat(PATHS).isNotEmpty();
  }

  @Test
  void aPasswordServiceNeedsOneUrlOnly() throws Exception {
    AuthSettings settings =
        Configuration.load(
                Optional.empty(),
                Map.of(),
                List.of(
                    "auth_backends.1.authn=http", "auth_backends.1.authz=internal", PATHS.get(0)))
            .settings()
            .auth();
    assertThat(settings.uses("http")).isTrue();
    assertThat(settings.http().vhostPath()).isEmpty();
  }

  @Test
  void theCacheIsBeforeTheBrokerItselfUnlessItIsSaidOtherwise() throws Exception {
    assertThat(load("auth_backends.1=cache").settings().auth().uses("http")).isFalse();
    AuthCacheSettings cache =
        load(
                "auth_backends.1=cache",
                "auth_cache.cached_backend=http",
                "auth_cache.cached_backend.authz=internal",
                "auth_cache.cache_ttl=5000")
            .settings()
            .auth()
            .cache();
    assertThat(cache).isEqualTo(new AuthCacheSettings("http", "internal", 5_000, false));
  }

  @Test
  void theBrokersCertificateNeedsItsKey() {
    assertThatThrownBy(
            () -> load("auth_backends.1=http", "auth_http.ssl_options.certfile=broker.pem"))
        .hasMessage(
            "key 'auth_http.ssl_options.certfile' is set and key 'auth_http.ssl_options.keyfile'"
                + " is not: expected both or none");
  }

  @Test
  void theServiceIsAskedAsTheKeysSay() throws Exception {
    AuthHttpSettings plain = load("auth_backends.1=http").settings().auth().http();
    assertThat(plain.posts()).isFalse();
    assertThat(plain.requestTimeoutMillis()).isEqualTo(15_000);
    assertThat(plain.connectionTimeoutMillis()).isEqualTo(15_000);
    assertThat(plain.discloses()).isFalse();
    assertThat(plain.isEncrypted()).isFalse();
    assertThat(plain.tls().verify()).isTrue();
    assertThat(plain.tls().checksHost()).isTrue();
    AuthHttpSettings other =
        load(
                "auth_backends.1=http",
                "auth_http.user_path=https://auth.example.com/user?site=1",
                "auth_http.http_method=post",
                "auth_http.request_timeout=2000",
                "auth_http.authorization_failure_disclosure=true",
                "auth_http.ssl_options.verify=verify_none",
                "auth_http.ssl_options.hostname_verification=none",
                "auth_http.ssl_options.versions.1=tlsv1.3")
            .settings()
            .auth()
            .http();
    assertThat(other.posts()).isTrue();
    assertThat(other.requestTimeoutMillis()).isEqualTo(2_000);
    assertThat(other.discloses()).isTrue();
    assertThat(other.isEncrypted()).isTrue();
    assertThat(other.tls().verify()).isFalse();
    assertThat(other.tls().checksHost()).isFalse();
    assertThat(other.tls().versions()).containsExactly("TLSv1.3");
    assertThatThrownBy(() -> load("auth_http.user_path=ftp://example.com"))
        .hasMessageContaining("bad value 'ftp://example.com' for key 'auth_http.user_path'");
  }
}
