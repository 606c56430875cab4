package io.mayflymq.server.config;

import static io.mayflymq.server.config.ValueTypes.orWord;
import static io.mayflymq.server.config.ValueTypes.text;
import static io.mayflymq.server.config.ValueTypes.wholeNumber;
import static io.mayflymq.server.config.ValueTypes.word;

import io.mayflymq.core.admin.PasswordRule;
import io.mayflymq.core.security.NamePattern;
import java.util.List;
import java.util.Optional;

/** The keys {@code credential_validator.*}: what new passwords must be like. */
final class PasswordKeys {
  static final Section SECTION = new Section("Passwords");

  private static final String ANY = "rabbit_credential_validator_accept_everything";
  private static final String LENGTH = "rabbit_credential_validator_min_password_length";
  private static final String PATTERN = "rabbit_credential_validator_password_regexp";

  private static final Setting<String> BACKEND =
      SECTION.add(
          Setting.of(
              "credential_validator.validation_backend",
              word(ANY, LENGTH, PATTERN),
              ANY,
              "What decides whether a new password will do: the API and the control command"
                  + " refuse it with 400, and an import of definitions leaves the user out. It is"
                  + " not about `default_pass`, hashes of passwords, and users without a password."));
  private static final Setting<Integer> LEAST_LENGTH =
      SECTION.add(
          Setting.of(
              "credential_validator.min_length",
              wholeNumber("bytes", 1, 1_000),
              "5",
              "How many bytes passwords must have, with"
                  + " `rabbit_credential_validator_min_password_length`."));
  private static final Setting<Optional<String>> REGEXP =
      SECTION.add(
          Setting.of(
              "credential_validator.regexp",
              orWord("none", text()),
              "none",
              "What must be found in passwords, with"
                  + " `rabbit_credential_validator_password_regexp`."));

  private PasswordKeys() {}

  /**
   * Returns the rule. As in RabbitMQ, a length or an expression counts only with its backend.
   *
   * @throws ConfigException if there is no expression although the backend needs one
   */
  static PasswordRule rule(SettingValues values) throws ConfigException {
    return switch (values.get(BACKEND)) {
      case LENGTH -> new PasswordRule(values.get(LEAST_LENGTH), null);
      case PATTERN -> new PasswordRule(0, pattern(values.get(REGEXP)));
      default -> PasswordRule.NONE;
    };
  }

  private static NamePattern pattern(Optional<String> text) throws ConfigException {
    try {
      return NamePattern.of(text.orElseThrow(() -> problem("there is none")));
    } catch (IllegalArgumentException e) {
      throw problem("'%s' is none: %s".formatted(text.orElse(""), e.getMessage()));
    }
  }

  private static ConfigException problem(String what) {
    return new ConfigException(
        List.of(
            "credential_validator.validation_backend = %s: expected a regular expression in"
                    .formatted(PATTERN)
                + " credential_validator.regexp; "
                + what));
  }
}
