package io.mayflymq.core.admin;

import io.mayflymq.core.security.NamePattern;
import java.nio.charset.StandardCharsets;

/**
 * What new passwords must be like. It does not apply to passwords that are given as hashes, and to
 * users who have none.
 *
 * <p>Source: RabbitMQ 4.3, {@code rabbit_credential_validator_min_password_length} and {@code
 * rabbit_credential_validator_password_regexp}.
 *
 * @param leastBytes how long a password must be, in bytes of UTF-8
 * @param pattern what must be found in it; null if anything may be
 */
public record PasswordRule(int leastBytes, NamePattern pattern) {
  /** Every password will do. */
  public static final PasswordRule NONE = new PasswordRule(0, null);

  /** Returns why a password will not do; null if it will. */
  public String objection(String password) {
    if (password.getBytes(StandardCharsets.UTF_8).length < leastBytes) {
      return "minimum required password length is " + leastBytes;
    }
    return pattern == null || pattern.matches(password)
        ? null
        : "provided password does not match the validator regular expression";
  }
}
