package io.mayflymq.it.harness;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The command line that controls the broker: ours, as the packaged jar has it, in the process of
 * the tests, which speaks HTTP with the broker as {@code bin/mayflyctl} does; or, with {@code
 * -Dmayfly.it.rabbitmqctl=PATH}, the one of the broker that is compared with. The latter finds its
 * node by the environment, such as {@code RABBITMQ_NODENAME}.
 */
public final class ControlCommand {
  private static final Pattern ARGUMENT = Pattern.compile("\"([^\"]*)\"|'([^']*)'|(\\S+)");

  /** What starts a process; empty for the command in the process of the tests. */
  private final List<String> process;

  private final List<String> options;

  private ControlCommand(List<String> process, List<String> options) {
    this.process = process;
    this.options = options;
  }

  /** The command for a broker, or null if this run was not given that of another one. */
  public static ControlCommand of(Target target) {
    if (target.broker() != null) {
      return of(target.broker());
    }
    String other = System.getProperty("mayfly.it.rabbitmqctl", "");
    return other.isBlank() ? null : new ControlCommand(List.of(other.trim()), List.of());
  }

  /** Our command for our broker. */
  public static ControlCommand of(Broker broker) {
    return ours("--data-dir", broker.data().toString());
  }

  /** Our command with these options. */
  public static ControlCommand ours(String... options) {
    return new ControlCommand(List.of(), List.of(options));
  }

  /**
   * Our command for our broker, as a script of the distribution starts it, in a process.
   *
   * @param name of the script, such as {@code mayflyctl}
   * @param cache where Java keeps its archive of classes
   */
  public static ControlCommand script(String name, Path cache, Broker broker) {
    return new ControlCommand(
        List.of(
            "env",
            "JAVA_HOME=" + System.getProperty("java.home"),
            "MAYFLY_CACHE_DIR=" + cache,
            Distribution.bin(name).toString()),
        List.of("--data-dir", broker.data().toString()));
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
  /** Runs what a page has in a line, with quotes as in a shell. */
  public Outcome runLine(String line) {
    List<String> arguments = new ArrayList<>();
    Matcher matcher = ARGUMENT.matcher(line);
    while (matcher.find()) {
      for (int group = 1; group <= matcher.groupCount(); group++) {
        if (matcher.group(group) != null) {
          arguments.add(matcher.group(group));
        }
      }
    }
    return run(arguments.toArray(String[]::new));
  }

  public Outcome runWith(String input, String... arguments) {
    List<String> all = Stream.concat(options.stream(), Stream.of(arguments)).toList();
    byte[] bytes = input.getBytes(StandardCharsets.UTF_8);
    if (!process.isEmpty()) {
      return runAsProcess(bytes, all);
    }
    return runHere(bytes, Stream.concat(Stream.of("ctl"), all.stream()).toList());
  }

  /** Runs another command of our jar that ends by itself, in the process of the tests. */
  public static Outcome ofJar(String... arguments) {
    return runHere(new byte[0], List.of(arguments));
  }

  private static Outcome runHere(byte[] input, List<String> arguments) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int exit =
        JarClasses.ofCommands()
            .command(System.getenv(), new ByteArrayInputStream(input), out, err)
            .run(arguments);
    return new Outcome(
        exit,
        lines(out.toString(StandardCharsets.UTF_8)),
        lines(err.toString(StandardCharsets.UTF_8)));
  }

  private Outcome runAsProcess(byte[] input, List<String> arguments) {
    List<String> command = new ArrayList<>(process);
    command.addAll(arguments);
    try {
      Path out = Files.createTempFile("control", ".out");
      Path err = Files.createTempFile("control", ".err");
      Process process =
          new ProcessBuilder(command)
              .redirectOutput(out.toFile())
              .redirectError(err.toFile())
              .start();
      process.getOutputStream().write(input);
      process.getOutputStream().close();
      if (!process.waitFor(Patience.SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new AssertionError(
            "the command did not end: " + Arrays.toString(arguments.toArray()));
      }
      Outcome outcome =
          new Outcome(
              process.exitValue(), lines(Files.readString(out)), lines(Files.readString(err)));
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

  private static List<String> lines(String text) {
    return text.replaceAll("\u001b\\[[0-9;]*m", "")
        .lines()
        .filter(line -> !line.isBlank())
        .toList();
  }
}
