package io.mayflymq.it.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.ControlCommand.Outcome;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OwnBroker;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Encrypted values of the configuration, from the command to the broker that reads them. */
@OwnBroker
class EncryptionCommandsIT {
  private static final String[] STRONG = {
    "--cipher", "aes_256_cbc", "--hash", "sha512", "--iterations", "1000"
  };

  /** Made by {@code rabbitmqctl encode '<<"bin">>' pass} of RabbitMQ 4.3.6 with these options. */
  private static final String OF_RABBITMQ =
      "NXFW+JjiRSFAtC6UqEwYAzudMAvpMy8IwsAJqfFa8SDYnZXwiFWUpNtj3SSpGPPR";

  private final ControlCommand control = ControlCommand.ours();

  @TempDir Path directory;

  private String run(String input, String command, String... arguments) {
    String[] all = new String[arguments.length + STRONG.length + 2];
    all[0] = command;
    System.arraycopy(STRONG, 0, all, 1, STRONG.length);
    System.arraycopy(arguments, 0, all, 1 + STRONG.length, arguments.length);
    all[all.length - 1] = "-q";
    Outcome outcome = control.runWith(input, all);
    assertThat(outcome.err()).isEmpty();
    assertThat(outcome.exit()).isZero();
    return outcome.out().get(outcome.out().size() - 1);
  }

  @Test
  void brokerReadsWhatTheCommandHasEncrypted() throws Exception {
    String encoded = run("", "encode", "p@ss", "my passphrase");
    String base64 = encoded.replaceFirst("^\\{encrypted,<<\"(.*)\">>}$", "$1");
    Path passphrase = Files.writeString(directory.resolve("passphrase"), "my passphrase\n");
    try (EmbeddedBroker broker =
        EmbeddedBroker.builder()
            .data(directory.resolve("data"))
            .set("default_pass", "encrypted:" + base64)
            .set("config_entry_decoder.passphrase_file", passphrase.toString())
            .set("config_entry_decoder.cipher", "aes_256_cbc")
            .set("config_entry_decoder.hash", "sha512")
            .set("config_entry_decoder.iterations", "1000")
            .start()) {
      assertThat(Http.as(broker.httpPort(), "guest", "p@ss").get("whoami").status()).isEqualTo(200);
      assertThat(ControlCommand.of(broker).run("environment").text()).doesNotContain(base64);
    }
  }

  @Test
  void decodeShowsWhatEncodeOrRabbitMqHasEncrypted() {
    assertThat(run("", "decode", run("", "encode", "\"a b\"", "x"), "x")).isEqualTo("\"a b\"");
    assertThat(run("", "decode", "{encrypted,<<\"" + OF_RABBITMQ + "\">>}", "pass"))
        .isEqualTo("<<\"bin\">>");
    assertThat(run("", "decode", "encrypted:" + OF_RABBITMQ, "pass")).isEqualTo("<<\"bin\">>");
  }

  @Test
  void whatIsNotGivenIsReadFromStandardInput() {
    String encoded = run("top secret\nx\n", "encode").replaceFirst("^.*(\\{)", "$1");
    assertThat(run("x\n", "decode", encoded)).endsWith("<<\"top secret\">>");
  }

  private void assertRefused(int exit, String text, String... command) {
    Outcome outcome = control.run(command);
    assertThat(outcome.exit()).as(text).isEqualTo(exit);
    assertThat(outcome.err()).anyMatch(line -> line.contains(text));
  }

  @Test
  void badArgumentsOfTheEncryptionCommandsAreRefused() {
    assertRefused(69, "Failed to decrypt the value.", "decode", OF_RABBITMQ, "wrong");
    assertRefused(65, "bad value: expected encrypted:BASE64", "decode", "{a,b}", "pass");
    assertRefused(65, "--cipher 'rc4' is not supported", "encode", "a", "b", "--cipher", "rc4");
    assertRefused(65, "--hash 'md4' is not supported", "encode", "a", "b", "--hash", "md4");
    assertRefused(
        65, "--iterations '0': expected a number", "encode", "a", "b", "--iterations", "0");
    assertRefused(65, "the passphrase is empty", "encode", "a", "");
  }

  @Test
  void whatIsNotOnStandardInputIsNamedOnALineOfItsOwn() {
    Outcome outcome = control.runWith("", "encode");
    assertThat(outcome.exit()).isEqualTo(65);
    assertThat(outcome.out()).endsWith("Value: ");
    assertThat(outcome.err())
        .containsExactly("Error:", "the value is empty: expected one as an argument or on stdin");
    outcome = control.runWith("", "encode", "value");
    assertThat(outcome.err())
        .containsExactly(
            "Error:", "the passphrase is empty: expected one as an argument or on stdin");
  }
}
