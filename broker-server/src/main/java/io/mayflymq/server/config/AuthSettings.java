package io.mayflymq.server.config;

import io.mayflymq.core.admin.PasswordRule;
import io.mayflymq.core.security.CertificateLogin;
import java.util.List;
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
  @Override
  public String toString() {
    return "AuthSettings[mechanisms=%s, loopbackUsers=%s, anonymousUser=%s]"
        .formatted(mechanisms, loopbackUsers, anonymousUser);
  }
}
