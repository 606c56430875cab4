package io.mayflymq.server.ctl;

import io.mayflymq.server.json.Json;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Backups of a running broker. */
final class BackupCommands {
  /** Copying to another file system takes as long as the data are large. */
  private static final long PATIENCE_SECONDS = 86_400;

  private BackupCommands() {}

  public static List<Command> all() {
    return List.of(
        Command.named("backup", "Takes a backup of the running broker")
            .arguments("directory")
            .waits(PATIENCE_SECONDS)
            .shownAs(OutputFormat.STRING)
            .noting(
                "A copy of the directory is a data directory: a broker that starts with it has all"
                    + " that was confirmed before the backup began. The broker writes the backup,"
                    + " as the user that it runs as. Without --timeout it may take a day.")
            .action(BackupCommands::take));
  }

  private static Result take(Invocation invocation) {
    Path directory = Path.of(invocation.argument(0)).toAbsolutePath().normalize();
    invocation.banner("Taking a backup of node %s to %s ...", invocation.node(), directory);
    try {
      Map<String, Object> report =
          Api.object(
              invocation
                  .api()
                  .control("POST", "backup", Json.object("directory", directory.toString())));
      return new Result.Value(
          report,
          "%s files, %s bytes; %s of the files are links; changes were held back for %s ms"
              .formatted(
                  report.get("files"),
                  report.get("bytes"),
                  report.get("linked"),
                  report.get("held_ms")));
    } catch (ApiError e) {
      throw ControlException.error(Sysexits.UNAVAILABLE, e.getMessage());
    }
  }
}
