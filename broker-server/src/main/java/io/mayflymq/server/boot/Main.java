package io.mayflymq.server.boot;

import io.mayflymq.server.boot.CommandLineInterface.Commands;
import io.mayflymq.server.ctl.ControlTool;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;

/** The entry point of mayfly.jar. */
public final class Main {
  private Main() {}

  /** Runs the command that the arguments name and ends the process with its exit code. */
  public static void main(String[] args) {
    PrintWriter out = writer(System.out);
    PrintWriter err = writer(System.err);
    Commands commands =
        new Commands(
            options -> new ServerRun(System.getenv(), err, EmergencyExit.prepare()).run(options),
            options -> new DataCheck(out, err).run(options),
            () ->
                new TrainingRun(
                        EmergencyExit.prepare(), TrainingRun.temporaryFiles(), System.getenv(), err)
                    .run(),
            arguments -> new ControlTool(System.getenv(), System.in, out, err).execute(arguments));
    System.exit(new CommandLineInterface(commands, out, err).execute(args));
  }

  private static PrintWriter writer(OutputStream stream) {
    return new PrintWriter(stream, true, StandardCharsets.UTF_8);
  }
}
