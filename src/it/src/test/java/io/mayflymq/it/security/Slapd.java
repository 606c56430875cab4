package io.mayflymq.it.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.mayflymq.it.harness.Broker;
import io.mayflymq.it.harness.Certificate;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.SystemCommand;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/**
 * OpenLDAP's server, of Debian's package slapd, on free ports of the loopback address, with a
 * directory of its own and the entries of {@code ldap.ldif}. It logs what it is asked. Thread-safe.
 */
final class Slapd implements AutoCloseable {
  static final String BASE = "dc=example,dc=com";
  static final String SERVICE = "cn=service," + BASE;
  static final String SERVICE_PASSWORD = "of-the-service-account";

  private static final String PROGRAM = "/usr/sbin/slapd";
  private static final String STARTING = "slapd starting";

  private final Path directory;
  private final int port;
  private final int tlsPort;
  private final String addresses;
  private Process process;

  private Slapd(Path directory, boolean isEncrypted) {
    this.directory = directory;
    this.port = Broker.freePort();
    this.tlsPort = Broker.freePort();
    String plain = "ldap://127.0.0.1:%d/".formatted(port);
    this.addresses = isEncrypted ? plain + " ldaps://127.0.0.1:%d/".formatted(tlsPort) : plain;
  }

  /** Skips a test where it is not installed; in the builds that count it has to be. */
  static void requireInstalled() {
    boolean installed = Files.isExecutable(Path.of(PROGRAM));
    if (System.getenv("CI") == null) {
      Assumptions.assumeTrue(installed, "slapd is not installed");
    }
    assertThat(installed).as("slapd of Debian's package slapd is there").isTrue();
  }

  /**
   * Starts one.
   *
   * @param directory that is empty
   * @param certificate with an RSA key
   */
  static Slapd start(Path directory, Certificate certificate) throws Exception {
    return start(
        directory,
        """
        TLSCertificateFile %s
        TLSCertificateKeyFile %s
        """
            .formatted(
                certificate.writeCertificate(directory.resolve("slapd.pem")),
                certificate.writeKey(directory.resolve("slapd.key"))));
  }

  /** Starts one that does not know TLS. */
  static Slapd startWithoutTls(Path directory) throws Exception {
    return start(directory, "");
  }

  private static Slapd start(Path directory, String tls) throws Exception {
    Slapd slapd = new Slapd(directory, !tls.isEmpty());
    Path data = Files.createDirectories(directory.resolve("data"));
    Path config = directory.resolve("slapd.conf");
    Files.writeString(
        config,
        """
        include /etc/ldap/schema/core.schema
        include /etc/ldap/schema/cosine.schema
        include /etc/ldap/schema/inetorgperson.schema
        modulepath /usr/lib/ldap
        moduleload back_mdb
        %s
        database mdb
        maxsize 10485760
        suffix %s
        directory %s
        access to attrs=userPassword by anonymous auth by * none
        access to dn.subtree="ou=hidden,dc=example,dc=com" by dn.exact="%s" read by * none
        access to * by users read by anonymous auth
        """
            .formatted(tls, BASE, data, SERVICE));
    Path entries = directory.resolve("ldap.ldif");
    try (var in = Slapd.class.getResourceAsStream("ldap.ldif")) {
      Files.write(entries, in.readAllBytes());
    }
    SystemCommand.run("/usr/sbin/slapadd", "-f", config.toString(), "-l", entries.toString())
        .orFail();
    slapd.restart();
    return slapd;
  }

  /** Starts it again on its ports. */
  void restart() throws IOException {
    long starts = Files.exists(directory.resolve("slapd.log")) ? asked(STARTING) : 0;
    process =
        new ProcessBuilder(
                PROGRAM,
                "-f",
                directory.resolve("slapd.conf").toString(),
                "-h",
                addresses,
                // In the foreground, with a line for each question.
                "-d",
                "stats")
            .redirectErrorStream(true)
            .redirectOutput(
                ProcessBuilder.Redirect.appendTo(directory.resolve("slapd.log").toFile()))
            .start();
    await().atMost(Patience.TIME).until(() -> !process.isAlive() || asked(STARTING) > starts);
    assertThat(process.isAlive()).as("%s", log()).isTrue();
  }

  int port() {
    return port;
  }

  int tlsPort() {
    return tlsPort;
  }

  /** Returns what it has logged. */
  List<String> log() {
    try {
      return Files.readAllLines(directory.resolve("slapd.log"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns how often it was asked for something. */
  long asked(String text) {
    return log().stream().filter(line -> line.contains(text)).count();
  }

  /** Stops its process without ending it: the system still takes connections for it. */
  void pause() {
    signal("-STOP");
  }

  void resume() {
    signal("-CONT");
  }

  private void signal(String signal) {
    SystemCommand.run("kill", signal, Long.toString(process.pid())).orFail();
  }

  /** Ends it until it is started again. */
  void stop() {
    close();
  }

  /** Ends it, also one that is paused. */
  @Override
  public void close() {
    process.destroyForcibly();
    try {
      assertThat(process.waitFor(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
