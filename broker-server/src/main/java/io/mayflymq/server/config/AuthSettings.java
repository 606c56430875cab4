package io.mayflymq.server.config;

import io.mayflymq.core.security.CertificateLogin;
import java.util.List;
import java.util.Set;

/**
 * Who may log in, and how.
 *
 * @param mechanisms SASL mechanisms offered, in their order: PLAIN, AMQPLAIN, EXTERNAL, ANONYMOUS
 * @param loopbackUsers users that may connect from this machine only
 * @param certificateLogin what of a client's certificate is the name of its user, for EXTERNAL
 * @param anonymousUser whom a client logged in by ANONYMOUS becomes
 * @param anonymousPassword that user's password
 */
public record AuthSettings(
    List<String> mechanisms,
    Set<String> loopbackUsers,
    CertificateLogin certificateLogin,
    String anonymousUser,
    String anonymousPassword) {
  @Override
  public String toString() {
    return "AuthSettings[mechanisms=%s, loopbackUsers=%s, anonymousUser=%s]"
        .formatted(mechanisms, loopbackUsers, anonymousUser);
  }
}
