package io.mayflymq.it.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The command line that controls the broker: ours as {@code bin/mayflyctl} starts it, or, with
 * {@code -Dmayfly.it.rabbitmqctl=PATH}, the one of the broker that is compared with. The latter
 * finds its node by the environment, such as {@code RABBITMQ_NODENAME}.
 */
public final class ControlCommand {

  private final List<String> prefix;

  private ControlCommand(List<String> prefix) {
    this.prefix = prefix;
  }

  /** The command for a broker, or null if this run was not given that of another one. */
  public static ControlCommand of(Target target) {
    if (target.process() != null) {
      return of(target.process());
    }
    String other = System.getProperty("mayfly.it.rabbitmqctl", "");
    return other.isBlank() ? null : new ControlCommand(List.of(other.trim()));
  }

  /** Our command for our broker. */
  public static ControlCommand of(BrokerProcess broker) {
    return ours("--data-dir", broker.data().toString());
  }

  /** Our command with these options. */
  public static ControlCommand ours(String... options) {
    List<String> prefix =
        new ArrayList<>(
            List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
    prefix.addAll(ClassArchive.options());
    prefix.addAll(
        List.of(
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-jar",
            BrokerProcess.jar().toString(),
            "ctl"));
    prefix.addAll(List.of(options));
    return new ControlCommand(prefix);
  }

  /**
   * The result of a run.
   *
   * @param exit its exit code
   * @param out the lines of standard output, without blank ones and without colours
   * @param err those of standard error
   */
  public record Outcome(int exit, List<String> out, List<String> err) {
    /** The output as one text, for formats that are. */
    public String text() {
      return String.join("\n", out);
    }
  }

  /** Runs it with nothing on its standard input. */
  public Outcome run(String... arguments) {
    return runWith("", arguments);
  }

  /** Runs it with a text on its standard input. */
  public Outcome runWith(String input, String... arguments) {
    List<String> command = new ArrayList<>(prefix);
    command.addAll(List.of(arguments));
    try {
      Path out = Files.createTempFile("control", ".out");
      Path err = Files.createTempFile("control", ".err");
      Process process =
          new ProcessBuilder(command)
              .redirectOutput(out.toFile())
              .redirectError(err.toFile())
              .start();
      process.getOutputStream().write(input.getBytes(StandardCharsets.UTF_8));
      process.getOutputStream().close();
      if (!process.waitFor(Patience.SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new AssertionError("the command did not end: " + Arrays.toString(arguments));
      }
      Outcome outcome = new Outcome(process.exitValue(), lines(out), lines(err));
      Files.delete(out);
      Files.delete(err);
      return outcome;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static List<String> lines(Path file) throws IOException {
    return Files.readString(file)
        .replaceAll("\u001b\\[[0-9;]*m", "")
        .lines()
        .filter(line -> !line.isBlank())
        .toList();
  }
}
