package io.mayflymq.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.server.auth.ldap.query.Query;
import io.mayflymq.server.config.AuthLdapSettings.Bind;
import io.mayflymq.server.config.AuthLdapSettings.Encryption;
import io.mayflymq.server.config.AuthLdapSettings.Lookup;
import io.mayflymq.server.config.AuthLdapSettings.Server;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AuthLdapSettingsTest {
  private static Configuration configuration(List<String> before, String... sets)
      throws ConfigException {
    List<String> all = new ArrayList<>(before);
    all.addAll(List.of(sets));
    return Configuration.load(Optional.empty(), Map.of(), all);
  }

  private static AuthLdapSettings load(String... sets) throws ConfigException {
    return configuration(
            List.of("auth_backends.1=ldap", "auth_ldap.servers.1=ldap.example.com"), sets)
        .settings()
        .auth()
        .ldap()
        .orElseThrow();
  }

  @Test
  void byDefaultEachUserIsBoundAndMayDoAll() throws Exception {
    AuthLdapSettings settings = load();
    assertThat(settings.servers()).containsExactly(new Server("ldap.example.com", 389));
    assertThat(settings.encryption()).isEqualTo(Encryption.NONE);
    assertThat(settings.dnPattern()).hasToString("${username}");
    assertThat(settings.bindPattern()).isEmpty();
    assertThat(settings.lookup()).isEmpty();
    assertThat(settings.otherBind().kind()).isEqualTo(Bind.Kind.AS_USER);
    assertThat(settings.timeoutMillis()).isEqualTo(5_000);
    assertThat(settings.idleMillis()).isEqualTo(300_000);
    assertThat(settings.mostConnections()).isEqualTo(64);
    assertThat(settings.logs()).isFalse();
    assertThat(settings.queries().vhost()).isEqualTo(new Query.Constant(true));
    assertThat(settings.queries().resource()).isEqualTo(new Query.Constant(true));
    assertThat(settings.queries().topic()).isEqualTo(new Query.Constant(true));
    assertThat(settings.queries().tags())
        .isEqualTo(Map.of("administrator", new Query.Constant(false)));
  }

  @Test
  void thereAreNoneIfNoBackendIsADirectory() throws Exception {
    assertThat(configuration(List.of(), "auth_ldap.queries.tags=nonsense").settings().auth().ldap())
        .isEmpty();
    assertThat(
            configuration(
                    List.of(),
                    "auth_backends.1=cache",
                    "auth_cache.cached_backend=rabbit_auth_backend_ldap",
                    "auth_ldap.servers.1=a")
                .settings()
                .auth()
                .ldap())
        .isPresent();
  }

  @Test
  void serversAreInTheOrderOfTheirNumbers() throws Exception {
    assertThat(
            load(
                    "auth_ldap.servers.10=[::1]:1389",
                    "auth_ldap.servers.2=ldap2.example.com:1389",
                    "auth_ldap.servers.3=fe80::1",
                    "auth_ldap.port=636",
                    "auth_ldap.use_ssl=true")
                .servers())
        .containsExactly(
            new Server("ldap.example.com", 636),
            new Server("ldap2.example.com", 1389),
            new Server("fe80::1", 636),
            new Server("::1", 1389))
        .extracting(Server::toString)
        .contains("ldap.example.com:636", "[::1]:1389");
  }

  @Test
  void accountsCountInsteadOfWords() throws Exception {
    AuthLdapSettings settings =
        load(
            "auth_ldap.dn_lookup_attribute=uid",
            "auth_ldap.dn_lookup_base=ou=people,dc=example",
            "auth_ldap.dn_lookup_bind=anon",
            "auth_ldap.other_bind.user_dn=cn=service",
            "auth_ldap.other_bind.password=hunter2");
    assertThat(settings.lookup()).contains(new Lookup("uid", "ou=people,dc=example"));
    assertThat(settings.lookupBind().kind()).isEqualTo(Bind.Kind.ANONYMOUS);
    assertThat(settings.otherBind())
        .isEqualTo(new Bind("auth_ldap.other_bind", Bind.Kind.ACCOUNT, "cn=service", "hunter2"))
        .hasToString("the account of auth_ldap.other_bind, 'cn=service'");
    assertThat(settings.groupBase()).contains("ou=people,dc=example");
    assertThat(settings.toString()).doesNotContain("hunter2");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "auth_ldap.queries.tags=[{administrator, {in_grp, \"cn=a\"}}]; key 'auth_ldap.queries.tags', column 19: unknown query 'in_grp'",
        "auth_ldap.queries.vhost_access={match, \"${name}\", \"a\"}; key 'auth_ldap.queries.vhost_access', column 9: unknown variable ${name}",
        "auth_ldap.queries.resource_access={equals, \"${routing_key}\", \"a\"}; key 'auth_ldap.queries.resource_access', column 10: unknown variable ${routing_key}",
        "auth_ldap.queries.topic_access={constant, true; key 'auth_ldap.queries.topic_access', column 16: the '{'",
        "auth_ldap.queries.vhost_access={'not', {in_group_nested, \"cn=a\"}}; key 'auth_ldap.group_lookup_base' is not set: in_group_nested needs it",
        "auth_ldap.user_dn_pattern=cn=${user}; key 'auth_ldap.user_dn_pattern' (value 'cn=${user}'): unknown variable ${user}: expected one of username, ad_user, ad_domain",
        "auth_ldap.user_bind_pattern=${vhost}; key 'auth_ldap.user_bind_pattern' (value '${vhost}'): unknown variable",
        "auth_ldap.dn_lookup_attribute=uid; key 'auth_ldap.dn_lookup_attribute' is set and key 'auth_ldap.dn_lookup_base' is not: expected both",
        "auth_ldap.dn_lookup_base=people; key 'auth_ldap.dn_lookup_base' (value 'people'): expected a distinguished name such as",
        "auth_ldap.other_bind.user_dn=cn=a; key 'auth_ldap.other_bind.user_dn' is set and key 'auth_ldap.other_bind.password' is not",
        "auth_ldap.other_bind.password=hunter2; key 'auth_ldap.other_bind.password' is set and key 'auth_ldap.other_bind.user_dn' is not",
        "auth_ldap.ssl_options.keyfile=a.pem; key 'auth_ldap.ssl_options.keyfile' is set and key",
        "auth_ldap.servers.1=ldap://a; --set: bad value 'ldap://a' for key 'auth_ldap.servers.1': expected a host, and a port",
        "auth_ldap.servers.1=a:0; --set: bad value 'a:0' for key 'auth_ldap.servers.1'",
        "auth_ldap.servers.1=a:99999; --set: bad value 'a:99999' for key 'auth_ldap.servers.1'",
      })
  void whatCannotBeUsedIsRefusedWithItsPlace(String set, String error) {
    assertThatThrownBy(() -> load(set))
        .isInstanceOf(ConfigException.class)
        .hasMessageStartingWith(error)
        .hasMessageNotContaining("hunter2");
  }

  @Test
  void contradictionsAreRefused() {
    assertThatThrownBy(() -> load("auth_ldap.use_ssl=true", "auth_ldap.use_starttls=true"))
        .hasMessage(
            "keys 'auth_ldap.use_ssl' and 'auth_ldap.use_starttls' are both true: expected at most"
                + " one of them");
    assertThatThrownBy(
            () ->
                load(
                    "auth_ldap.other_bind=anon",
                    "auth_ldap.other_bind.user_dn=cn=a",
                    "auth_ldap.other_bind.password=hunter2"))
        .hasMessage(
            "key 'auth_ldap.other_bind' (value 'anon'): expected either it or"
                + " 'auth_ldap.other_bind.user_dn', found both");
    assertThatThrownBy(() -> configuration(List.of(), "auth_backends.1=ldap"))
        .hasMessage(
            "key 'auth_ldap.servers.1' is not set: a backend of auth_backends needs it, expected a"
                + " host such as ldap.example.com");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "auth_ldap.timeout=infinity",
        "auth_ldap.idle_timeout=infinity",
        "auth_ldap.log=network_unsafe",
        "auth_ldap.ssl_options.depth=3",
      })
  void someOfRabbitMqHaveNoEffect(String set) throws Exception {
    Configuration configuration =
        configuration(List.of("auth_backends.1=ldap", "auth_ldap.servers.1=ldap.example.com"), set);
    assertThat(configuration.warnings()).singleElement().asString().contains("has no effect");
    assertThat(configuration.settings().auth().ldap().orElseThrow().timeoutMillis())
        .isEqualTo(5_000);
  }
}
