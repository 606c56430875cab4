package io.mayflymq.server.config;

import static io.mayflymq.server.config.ValueTypes.bool;
import static io.mayflymq.server.config.ValueTypes.constant;
import static io.mayflymq.server.config.ValueTypes.secretText;
import static io.mayflymq.server.config.ValueTypes.text;
import static io.mayflymq.server.config.ValueTypes.word;

import io.mayflymq.core.admin.PasswordRule;
import io.mayflymq.core.security.CertificateLogin;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The settings of authentication.
 *
 * @param mechanisms SASL mechanisms offered, in their order: PLAIN, AMQPLAIN, EXTERNAL, ANONYMOUS
 * @param loopbackUsers users that may connect from this machine only
 * @param certificateLogin which part of a client's certificate is the user name, for EXTERNAL
 * @param anonymousUser the user of clients that log in by ANONYMOUS
 * @param anonymousPassword that user's password
 * @param passwords what new passwords must be like
 */
public record AuthSettings(
    List<String> mechanisms,
    Set<String> loopbackUsers,
    CertificateLogin certificateLogin,
    String anonymousUser,
    String anonymousPassword,
    PasswordRule passwords) {
  static final Section SECTION = new Section("Logging in");

  static final Setting<CertificateLogin> CERTIFICATE_LOGIN =
      SECTION.add(
          Setting.of(
              "ssl_cert_login_from",
              constant(CertificateLogin.class),
              "distinguished_name",
              "The part of a client's certificate that is its user name, for `EXTERNAL`."));

  static final KeyFamily<String> AUTH_MECHANISMS =
      SECTION.add(
          new KeyFamily<>(
              "auth_mechanisms.",
              "$n",
              word("PLAIN", "AMQPLAIN", "EXTERNAL", "ANONYMOUS"),
              Map.of("auth_mechanisms.1", "PLAIN", "auth_mechanisms.2", "AMQPLAIN"),
              "SASL mechanisms, in the order of their numbers. `EXTERNAL` is offered on"
                  + " [TLS](tls.md#logging-in-by-certificate) only."));

  /** One backend needs no code: any other value is refused. */
  static final KeyFamily<String> AUTH_BACKENDS =
      SECTION.add(
          new KeyFamily<>(
              "auth_backends.",
              "$n",
              word("internal", "rabbit_auth_backend_internal")
                  .describedAs("internal, the only authentication backend here"),
              Map.of("auth_backends.1", "internal"),
              "Where users, their passwords and permissions are. The broker has no other"
                  + " backend and refuses the names of others."));

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
    return new AuthSettings(
        values.inOrder(AUTH_MECHANISMS),
        values.trueMembers(LOOPBACK_USERS),
        values.get(CERTIFICATE_LOGIN),
        values.get(ANONYMOUS_LOGIN_USER),
        values.get(ANONYMOUS_LOGIN_PASS),
        PasswordKeys.rule(values));
  }

  @Override
  public String toString() {
    return "AuthSettings[mechanisms=%s, loopbackUsers=%s, anonymousUser=%s]"
        .formatted(mechanisms, loopbackUsers, anonymousUser);
  }
}
