package io.mayflymq.server.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PemFilesTest {
  private static final String OPTION = "ssl_options.keyfile";

  @TempDir Path directory;

  private static PrivateKey generate(String algorithm) throws Exception {
    KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
    if (algorithm.equals("RSA")) {
      generator.initialize(2048);
    }
    return generator.generateKeyPair().getPrivate();
  }

  private Path pem(String kind, byte[] bytes) throws IOException {
    return Files.writeString(
        directory.resolve("key.pem"),
        "Bag Attributes\n-----BEGIN %s-----\n%s\n-----END %s-----\n"
            .formatted(kind, Base64.getMimeEncoder().encodeToString(bytes), kind));
  }

  private static PrivateKey read(Path file, String password) throws TlsException {
    return PemFiles.privateKey("ssl_options", file, Optional.ofNullable(password));
  }

  @ParameterizedTest
  @ValueSource(strings = {"RSA", "EC", "Ed25519"})
  void pkcs8KeysAreRead(String algorithm) throws Exception {
    PrivateKey key = generate(algorithm);
    assertThat(read(pem("PRIVATE KEY", key.getEncoded()), null)).isEqualTo(key);
  }

  @Test
  void pkcs1RsaKeysAreRead() throws Exception {
    PrivateKey key = generate("RSA");
    byte[] pkcs8 = key.getEncoded();
    // What is inside of the envelope: it begins 26 bytes into a key of 2048 bits.
    byte[] pkcs1 = Arrays.copyOfRange(pkcs8, 26, pkcs8.length);
    assertThat(read(pem("RSA PRIVATE KEY", pkcs1), null)).isEqualTo(key);
  }

  @Test
  void encryptedKeysAreRead() throws Exception {
    // Made by openssl genpkey -algorithm ed25519 and openssl pkcs8 -topk8.
    byte[] plain =
        Base64.getDecoder()
            .decode("MC4CAQAwBQYDK2VwBCIEILtqmr8dwiIA+TjD/eDLfaWNq0CHK0o4APyKWjEBrnHz");
    byte[] encrypted =
        Base64.getDecoder()
            .decode(
                "MIGbMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAjGI8G6MRNmxwICCAAw"
                    + "DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEMGK8eXzIdiXxBsosKw6rbgEQFSD"
                    + "htsjAJdOZ/eHx87VwUXvMAK1HNbO23qm7suxxwI/4cNx90KtZT3/Nxqjox/zLFrW"
                    + "Idw5cZ7MLHKoMwEozoY=");
    PrivateKey key = read(pem("PRIVATE KEY", plain), null);
    Path file = pem("ENCRYPTED PRIVATE KEY", encrypted);

    assertThat(read(file, "hidden")).isEqualTo(key);
    assertThatThrownBy(() -> read(file, "wrong"))
        .isInstanceOf(TlsException.class)
        .hasMessage(
            OPTION + ": the private key in " + file + " cannot be read with ssl_options.password");
    assertThatThrownBy(() -> read(file, null))
        .hasMessage(OPTION + ": the key in " + file + " is encrypted: set ssl_options.password");
  }

  @Test
  void unreadableKeyFileIsNamedInTheError() throws Exception {
    Path missing = directory.resolve("missing");
    assertThatThrownBy(() -> read(missing, null))
        .hasMessage(OPTION + ": cannot read " + missing + ": no such file");
    Path sec1 = pem("EC PRIVATE KEY", new byte[] {1, 2});
    assertThatThrownBy(() -> read(sec1, null))
        .hasMessageEndingWith("is in an old form; convert it: openssl pkcs8 -topk8 -in " + sec1);
    Path junk = pem("PRIVATE KEY", new byte[] {1, 2});
    assertThatThrownBy(() -> read(junk, null))
        .hasMessage(OPTION + ": the private key in " + junk + " cannot be read");
    Path text = Files.write(directory.resolve("text"), "hello".getBytes(StandardCharsets.UTF_8));
    assertThatThrownBy(() -> read(text, null))
        .hasMessage(OPTION + ": " + text + " holds no private key in PEM");
    assertThatThrownBy(() -> PemFiles.certificates("ssl_options.certfile", text))
        .hasMessageStartingWith("ssl_options.certfile: " + text + " holds no certificate");
  }
}
