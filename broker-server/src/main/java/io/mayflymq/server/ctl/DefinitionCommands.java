package io.mayflymq.server.ctl;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.mayflymq.core.store.OwnerFiles;
import io.mayflymq.server.json.JsonReader;
import io.mayflymq.server.json.JsonWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Definitions: all that is declared and configured, as one document. */
final class DefinitionCommands {
  private static final String STANDARD_STREAM = "-";
  private static final Option FORMAT =
      Option.text("<format>", "json; Erlang's terms are not understood", "--format");

  private DefinitionCommands() {}

  public static List<Command> all() {
    return List.of(
        Command.named("export_definitions", "Exports definitions in JSON")
            .arguments("file_path")
            .option(FORMAT)
            .noting("The path - is standard output; then nothing else is printed.")
            .action(DefinitionCommands::export),
        Command.named("import_definitions", "Imports definitions in JSON")
            .optionalArgument("file_path")
            .option(FORMAT)
            .shownAs(OutputFormat.STRING)
            .option(
                Option.flag(
                    "means nothing here: what is there already stays as it is",
                    "--skip-if-unchanged"))
            .option(
                Option.flag(
                    "imports nothing if one definition is wrong, rather than all others",
                    "--strict"))
            .noting(
                "Without a path, or with -, standard input is read. When the command ends the"
                    + " import is done. It tells how many objects were added or set, and names"
                    + " each that was not, with the reason.")
            .action(DefinitionCommands::load));
  }

  private static void checkFormat(Invocation invocation) {
    String format = invocation.option("--format");
    if (format != null && !format.equalsIgnoreCase("json")) {
      throw ControlException.usage(
          Sysexits.DATA,
          "Bad argument: definitions are written in JSON, not in the format '%s'"
              .formatted(format));
    }
  }

  private static Result export(Invocation invocation) {
    checkFormat(invocation);
    String file = invocation.argument(0);
    if (file.equals(STANDARD_STREAM)) {
      return new Result.Raw(JsonWriter.text(invocation.api().get("definitions")));
    }
    Path path = Path.of(file);
    Path directory = path.toAbsolutePath().getParent();
    if (directory == null || !Files.isDirectory(directory)) {
      throw ControlException.usage(
          Sysexits.DATA, "Bad argument: Directory %s does not exist".formatted(directory));
    }
    invocation.banner("Exporting definitions in JSON to a file at \"%s\" ...", file);
    try {
      String definitions = JsonWriter.text(invocation.api().get("definitions"));
      // They have hashes of passwords, and passwords in URIs.
      OwnerFiles.write(path, definitions.getBytes(StandardCharsets.UTF_8));
      return Result.DONE;
    } catch (IOException e) {
      throw ControlException.error(Sysexits.DATA, cannot("write", file, e));
    }
  }

  private static Result load(Invocation invocation) {
    checkFormat(invocation);
    String file = invocation.arguments().isEmpty() ? STANDARD_STREAM : invocation.argument(0);
    String text = read(invocation, file);
    if (file.equals(STANDARD_STREAM)) {
      invocation.banner("Importing definitions in JSON from standard input ...");
    } else {
      invocation.banner("Importing definitions in JSON from a file at \"%s\" ...", file);
    }
    Object definitions;
    try {
      definitions = JsonReader.DEFAULT.read(text);
    } catch (JsonProcessingException e) {
      throw ControlException.error(
          Sysexits.DATA,
          "Failed to deserialise input (format: JSON) (error: %s)"
              .formatted(ControlValues.reason(e)));
    }
    String strict = invocation.flag("--strict") ? "&strict=true" : "";
    return report(invocation.api().post("definitions?report=true" + strict, definitions));
  }

  /** Shows what was imported, with a line for each item that was not. */
  private static Result report(Object answer) {
    Map<String, Object> report = Api.object(answer);
    List<?> skipped = (List<?>) report.get("skipped");
    StringBuilder text =
        new StringBuilder(
            "imported %s, skipped %d".formatted(report.get("imported"), skipped.size()));
    skipped.forEach(line -> text.append("\n  ").append(line));
    return new Result.Value(report, text.toString());
  }

  private static String read(Invocation invocation, String file) {
    try {
      byte[] bytes =
          file.equals(STANDARD_STREAM) ? invocation.readAll() : Files.readAllBytes(Path.of(file));
      return new String(bytes, StandardCharsets.UTF_8);
    } catch (NoSuchFileException e) {
      throw ControlException.usage(
          Sysexits.DATA, "Bad argument: File %s does not exist".formatted(file));
    } catch (IOException e) {
      throw ControlException.error(Sysexits.DATA, cannot("read", file, e));
    }
  }

  private static String cannot(String what, String file, IOException e) {
    return "cannot %s %s: %s".formatted(what, file, e.getClass().getSimpleName());
  }
}
