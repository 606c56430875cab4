package io.mayflymq.server.config;

import static io.mayflymq.server.config.ValueTypes.bool;
import static io.mayflymq.server.config.ValueTypes.constant;
import static io.mayflymq.server.config.ValueTypes.oneOf;
import static io.mayflymq.server.config.ValueTypes.secretText;
import static io.mayflymq.server.config.ValueTypes.text;
import static io.mayflymq.server.config.ValueTypes.wholeNumber;
import static io.mayflymq.server.config.ValueTypes.word;

import io.mayflymq.core.admin.PasswordRule;
import io.mayflymq.core.security.CertificateLogin;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The settings of authentication.
 *
 * @param mechanisms SASL mechanisms offered, in their order: PLAIN, AMQPLAIN, EXTERNAL, ANONYMOUS
 * @param loopbackUsers users that may connect from this machine only
 * @param certificateLogin which part of a client's certificate is the user name, for EXTERNAL
 * @param anonymousUser the user of clients that log in by ANONYMOUS
 * @param anonymousPassword that user's password
 * @param passwords what new passwords must be like
 * @param backends by what users log in, in order; at least one
 * @param apiBackends the same for users of the management API
 * @param http the service that is asked by HTTP, if a backend is one
 * @param ldap the directory that is asked by LDAP; empty if no backend is one
 * @param oauth whose tokens count, if a backend is for tokens
 * @param cache what is kept of the answers of services
 */
public record AuthSettings(
    List<String> mechanisms,
    Set<String> loopbackUsers,
    CertificateLogin certificateLogin,
    String anonymousUser,
    String anonymousPassword,
    PasswordRule passwords,
    List<Backend> backends,
    List<Backend> apiBackends,
    AuthHttpSettings http,
    Optional<AuthLdapSettings> ldap,
    OAuthSettings oauth,
    AuthCacheSettings cache) {
  /**
   * A link of the chain of backends.
   *
   * @param authn what checks passwords
   * @param authz what decides which rights users have
   */
  public record Backend(String authn, String authz) {
    @Override
    public String toString() {
      return authn.equals(authz) ? authn : authn + " and " + authz;
    }
  }

  static final Section SECTION = new Section("Logging in");

  static final Setting<CertificateLogin.Part> CERTIFICATE_LOGIN =
      SECTION.add(
          Setting.of(
              "ssl_cert_login_from",
              oneOf(
                  Map.of(
                      "distinguished_name", CertificateLogin.Part.DISTINGUISHED_NAME,
                      "common_name", CertificateLogin.Part.COMMON_NAME,
                      "subject_alternative_name", CertificateLogin.Part.SUBJECT_ALTERNATIVE_NAME,
                      "subject_alt_name", CertificateLogin.Part.SUBJECT_ALTERNATIVE_NAME)),
              "distinguished_name",
              "The part of a client's certificate that is its user name, for `EXTERNAL`."));

  static final Setting<CertificateLogin.AlternativeName> CERTIFICATE_NAME_TYPE =
      SECTION.add(
          Setting.of(
              "ssl_cert_login_san_type",
              constant(CertificateLogin.AlternativeName.class),
              "dns",
              "The type of the alternative names that count, with `subject_alternative_name`."));

  static final Setting<Integer> CERTIFICATE_NAME_INDEX =
      SECTION.add(
          Setting.of(
              "ssl_cert_login_san_index",
              wholeNumber("names", 0, 1_000),
              "0",
              "Which of the alternative names of that type is the user name, counted from 0."));

  static final KeyFamily<String> AUTH_MECHANISMS =
      SECTION.add(
          new KeyFamily<>(
              "auth_mechanisms.",
              "$n",
              word("PLAIN", "AMQPLAIN", "EXTERNAL", "ANONYMOUS"),
              Map.of("auth_mechanisms.1", "PLAIN", "auth_mechanisms.2", "AMQPLAIN"),
              "SASL mechanisms, in the order of their numbers. `EXTERNAL` is offered on"
                  + " [TLS](tls.md#logging-in-by-certificate) only."));

  static final KeyFamily<String> AUTH_BACKENDS =
      SECTION.add(
          new KeyFamily<>(
              "auth_backends.",
              "$n",
              AuthBackendKeys.backend(),
              Map.of("auth_backends.1", AuthBackendKeys.INTERNAL),
              "By what users log in, tried in the order of the numbers, which begin with 1: the"
                  + " broker's own users, [a directory](auth-ldap.md), [a service that is asked by"
                  + " HTTP](auth-http.md), one of these with a cache, or [tokens](auth-oauth2.md). `auth_backends.$n.authn` and `auth_backends.$n.authz`"
                  + " name one for passwords and another one for rights. The names of RabbitMQ's"
                  + " modules, such as `rabbit_auth_backend_http`, mean the same."));

  static final KeyFamily<String> API_BACKENDS =
      SECTION.add(
          new KeyFamily<>(
              "http_dispatch.auth_backends.",
              "$n",
              AuthBackendKeys.backend(),
              Map.of(),
              "By what users of the [management API](http-api.md) and its page log in, if not by"
                  + " `auth_backends`. `http_dispatch.auth_backends.$n.authn` and"
                  + " `http_dispatch.auth_backends.$n.authz` as there."));

  static final Setting<String> ANONYMOUS_LOGIN_USER =
      SECTION.add(
          Setting.of(
              "anonymous_login_user",
              text(),
              "guest",
              "The user of a client that logs in by `ANONYMOUS`."));

  static final Setting<String> ANONYMOUS_LOGIN_PASS =
      SECTION.add(
          Setting.of("anonymous_login_pass", secretText(), "guest", "That user's password."));

  static final Setting<String> NO_LOOPBACK_USERS =
      SECTION.addChangeable(
          Setting.withoutDefault(
              "loopback_users", word("none"), "Lets every user connect from anywhere."));

  static final KeyFamily<Boolean> LOOPBACK_USERS =
      SECTION.addChangeable(
          new KeyFamily<>(
              "loopback_users.",
              "$user",
              bool(),
              Map.of("loopback_users.guest", "true"),
              "Whether a user may connect from the same machine only."));

  static AuthSettings of(SettingValues values) throws ConfigException {
    AuthSettings settings = read(values);
    settings.http.require(
        all(settings.backends, settings.apiBackends)
            .anyMatch(
                each -> behind(each.authn, settings.cache.authn()).equals(AuthBackendKeys.HTTP)),
        all(settings.backends, settings.apiBackends)
            .anyMatch(
                each -> behind(each.authz, settings.cache.authz()).equals(AuthBackendKeys.HTTP)));
    return settings;
  }

  private static Stream<Backend> all(List<Backend> ofConnections, List<Backend> ofApi) {
    return Stream.concat(ofConnections.stream(), ofApi.stream());
  }

  /** Returns whether users log in by a backend, with or without the cache. */
  public boolean uses(String backend) {
    return uses(all(backends, apiBackends), cache, backend);
  }

  /** Returns whether users of the management API log in by a backend. */
  boolean usesInApi(String backend) {
    return uses(apiBackends.stream(), cache, backend);
  }

  private static boolean uses(Stream<Backend> backends, AuthCacheSettings cache, String backend) {
    return backends.anyMatch(
        each ->
            behind(each.authn, cache.authn()).equals(backend)
                || behind(each.authz, cache.authz()).equals(backend));
  }

  private static String behind(String named, String cached) {
    return named.equals(AuthBackendKeys.CACHE) ? cached : named;
  }

  private static AuthSettings read(SettingValues values) throws ConfigException {
    List<Backend> backends = AuthBackendKeys.backends(values, AUTH_BACKENDS);
    List<Backend> ofApi = AuthBackendKeys.backends(values, API_BACKENDS);
    List<Backend> apiBackends = ofApi.isEmpty() ? backends : ofApi;
    AuthCacheSettings cache = AuthCacheSettings.of(values);
    return new AuthSettings(
        values.inOrder(AUTH_MECHANISMS),
        values.trueMembers(LOOPBACK_USERS),
        new CertificateLogin(
            values.get(CERTIFICATE_LOGIN),
            values.get(CERTIFICATE_NAME_TYPE),
            values.get(CERTIFICATE_NAME_INDEX)),
        values.get(ANONYMOUS_LOGIN_USER),
        values.get(ANONYMOUS_LOGIN_PASS),
        PasswordKeys.rule(values),
        backends,
        apiBackends,
        AuthHttpSettings.of(values),
        uses(all(backends, apiBackends), cache, AuthBackendKeys.LDAP)
            ? Optional.of(AuthLdapSettings.of(values))
            : Optional.empty(),
        OAuthSettings.of(
            values,
            all(backends, apiBackends)
                .anyMatch(
                    each ->
                        each.authn.equals(AuthBackendKeys.OAUTH2)
                            || each.authz.equals(AuthBackendKeys.OAUTH2))),
        cache);
  }

  @Override
  public String toString() {
    return "AuthSettings[mechanisms=%s, loopbackUsers=%s, anonymousUser=%s, backends=%s]"
        .formatted(mechanisms, loopbackUsers, anonymousUser, backends);
  }
}
