package io.mayflymq.it.harness;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Commands of the system, such as mount and ip, that prepare what a test needs. */
public final class SystemCommand {
  private SystemCommand() {}

  /**
   * The result of a run.
   *
   * @param refusal why it has failed, in the command's own words; null if it has not
   * @param output standard output and standard error
   */
  public record Outcome(String refusal, String output) {
    /** Returns the output; fails if the command has. */
    public String orFail() {
      if (refusal != null) {
        throw new AssertionError(refusal);
      }
      return output;
    }
  }

  /** Runs a command to its end. */
  public static Outcome run(String... command) {
    return run(List.of(command));
  }

  /** Runs a command to its end. */
  public static Outcome run(List<String> command) {
    String name = String.join(" ", command);
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      process.getOutputStream().close();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (!process.waitFor(Patience.SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        return new Outcome(name + ": does not end", output);
      }
      boolean succeeded = process.exitValue() == 0;
      return new Outcome(succeeded ? null : name + ": " + output.trim(), output);
    } catch (IOException e) {
      return new Outcome(e.getMessage(), "");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
