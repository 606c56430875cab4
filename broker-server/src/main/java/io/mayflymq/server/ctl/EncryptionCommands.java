package io.mayflymq.server.ctl;

import io.mayflymq.server.config.EncryptedTerm;
import io.mayflymq.server.config.SecretCipher;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Encrypts and decrypts secrets of the configuration. They ask no broker. */
final class EncryptionCommands {
  private static final String CIPHER = "--cipher";
  private static final String HASH = "--hash";
  private static final String ITERATIONS = "--iterations";

  /**
   * What encode prints, what the configuration has, and the base64 of both, as Erlang writes it.
   */
  private static final Pattern ENCRYPTED =
      Pattern.compile(
          "(?:encrypted:|\\{\\s*encrypted\\s*,\\s*)?(?:<<)?\"?([A-Za-z0-9+/=]+)\"?(?:>>)?\\s*}?");

  private EncryptionCommands() {}

  public static List<Command> all() {
    return List.of(
        with(Command.named("encode", "Encrypts a secret of the configuration"))
            .noting(
                "In the configuration, write encrypted: and what is in quotes:"
                    + " default_pass = encrypted:BASE64. The value may be written as in Erlang,"
                    + " \"text\" or <<\"text\">>. What is not given is read from standard input, a"
                    + " line each.")
            .action(EncryptionCommands::encode),
        with(Command.named("decode", "Decrypts a secret of the configuration"))
            .noting(
                "The value is what encode has printed, or the configuration has. The result is"
                    + " written as in Erlang.")
            .action(invocation -> decrypt(invocation, EncryptedTerm::literal)),
        with(Command.named("encrypt_conf_value", "Encrypts a value as the configuration has it"))
            .action(EncryptionCommands::encryptForConfiguration),
        with(Command.named("decrypt_conf_value", "Decrypts a value of the configuration"))
            .noting("The value is encrypted:BASE64, as the configuration has it.")
            .action(invocation -> decrypt(invocation, EncryptedTerm::text)),
        Command.named("list_ciphers", "Lists cipher suites supported by encoding commands")
            .action(
                invocation -> {
                  invocation.banner("Listing supported ciphers ...");
                  return names(SecretCipher.CIPHERS);
                }),
        Command.named("list_hashes", "Lists hash functions supported by encoding commands")
            .action(
                invocation -> {
                  invocation.banner("Listing supported hash algorithms ...");
                  return names(SecretCipher.HASHES);
                }));
  }

  private static Command with(Command command) {
    return command
        .optionalArgument("value")
        .optionalArgument("passphrase")
        .option(Option.text("<cipher>", SecretCipher.DEFAULT_CIPHER + " if not given", CIPHER))
        .option(Option.text("<hash>", SecretCipher.DEFAULT_HASH + " if not given", HASH))
        .option(
            Option.number(
                "<iterations>", SecretCipher.DEFAULT_ITERATIONS + " if not given", ITERATIONS));
  }

  private static Result names(List<String> names) {
    List<Object> atoms = Term.atoms(names);
    return new Result.Value(atoms, Term.erlang(atoms));
  }

  private static Result encode(Invocation invocation) {
    return new Result.Done("{encrypted,<<\"" + encrypted(invocation) + "\">>}");
  }

  private static Result encryptForConfiguration(Invocation invocation) {
    return new Result.Done("encrypted:" + encrypted(invocation));
  }

  private static String encrypted(Invocation invocation) {
    SecretCipher cipher = cipher(invocation);
    invocation.banner("Encrypting value to be used in the configuration...");
    String value = given(invocation, 0, "value");
    return cipher.encrypt(EncryptedTerm.written(value), given(invocation, 1, "passphrase"));
  }

  private static Result decrypt(Invocation invocation, Function<EncryptedTerm, String> written) {
    SecretCipher cipher = cipher(invocation);
    invocation.banner("Decrypting value of the configuration...");
    Matcher value = ENCRYPTED.matcher(given(invocation, 0, "value").strip());
    if (!value.matches()) {
      throw ControlException.error(
          Sysexits.DATA, "bad value: expected encrypted:BASE64 or {encrypted,<<\"BASE64\">>}");
    }
    return new Result.Done(
        cipher
            .decrypt(value.group(1), given(invocation, 1, "passphrase"))
            .map(written)
            .orElseThrow(
                () ->
                    ControlException.error(
                        Sysexits.UNAVAILABLE,
                        "Failed to decrypt the value. Things to check: is the passphrase correct?"
                            + " Are the cipher and hash algorithms the same as those used for"
                            + " encryption?")));
  }

  private static SecretCipher cipher(Invocation invocation) {
    return new SecretCipher(
        oneOf(invocation, CIPHER, SecretCipher.CIPHERS, SecretCipher.DEFAULT_CIPHER),
        oneOf(invocation, HASH, SecretCipher.HASHES, SecretCipher.DEFAULT_HASH),
        iterations(invocation));
  }

  private static String oneOf(
      Invocation invocation, String option, List<String> names, String otherwise) {
    String given = invocation.option(option);
    if (given == null || names.contains(given)) {
      return given == null ? otherwise : given;
    }
    throw ControlException.usage(
        Sysexits.DATA,
        "Bad argument: %s '%s' is not supported: expected one of %s"
            .formatted(option, given, String.join(", ", names)));
  }

  private static int iterations(Invocation invocation) {
    long given = invocation.number(ITERATIONS, SecretCipher.DEFAULT_ITERATIONS);
    if (given < 1 || given > SecretCipher.MOST_ITERATIONS) {
      throw ControlException.usage(
          Sysexits.DATA,
          "Bad argument: %s '%d': expected a number from 1 to %d"
              .formatted(ITERATIONS, given, SecretCipher.MOST_ITERATIONS));
    }
    return (int) given;
  }

  /** Returns an argument, or the next line of standard input. */
  private static String given(Invocation invocation, int index, String what) {
    String given;
    if (invocation.arguments().size() > index) {
      given = invocation.argument(index);
    } else {
      invocation.prompt(Character.toUpperCase(what.charAt(0)) + what.substring(1) + ": ");
      given = invocation.readLine();
    }
    if (given == null || given.isEmpty()) {
      if (invocation.arguments().size() <= index) {
        invocation.prompt("\n");
      }
      throw ControlException.error(
          Sysexits.DATA,
          "the %s is empty: expected one as an argument or on stdin".formatted(what));
    }
    return given;
  }
}
