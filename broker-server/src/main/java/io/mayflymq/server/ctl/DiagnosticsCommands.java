package io.mayflymq.server.ctl;

import io.mayflymq.core.store.OwnerFiles;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.json.JsonWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One archive with what is needed to find out what is wrong with a broker. Each part is asked for
 * by itself: one that cannot be had, because the broker is stopped or does not answer, is replaced
 * by the reason, and the others are still there.
 */
final class DiagnosticsCommands {
  private static final int LOG_LINES = 1_000;
  private static final String LINES = "--lines";
  private static final int TOP_QUEUES = 50;
  private static final String QUEUE_COLUMNS =
      "name,vhost,type,state,messages,messages_ready,messages_unacknowledged,message_bytes,"
          + "message_bytes_ram,memory,consumers";

  private DiagnosticsCommands() {}

  public static List<Command> all() {
    return List.of(
        Command.named("diagnostics", "Writes an archive with all that support needs")
            .optionalArgument("archive")
            .option(Option.number("<lines>", "of the log, 1000 by default and at most", LINES))
            .noting(
                "The archive is mayfly-diagnostics-TIME.tar.gz in the current directory if no"
                    + " name is given. It has the status, the configuration without passwords, a"
                    + " thread dump, the heap and its collections, the last lines of the log, the"
                    + " sizes of the files of the log, the largest queues, alarms and numbers of"
                    + " connections. It has no messages. Read the lines of the log before you send"
                    + " it on: they have names of users, queues and addresses.")
            .action(DiagnosticsCommands::write));
  }

  private static Result write(Invocation invocation) {
    Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);
    String name = "mayfly-diagnostics-" + now.toString().replace(":", "");
    Path file =
        Path.of(invocation.arguments().isEmpty() ? name + ".tar.gz" : invocation.argument(0))
            .toAbsolutePath();
    invocation.banner("Collecting diagnostics of node %s ...", invocation.node());
    Map<String, String> parts = collect(invocation);
    if (invocation.dryRun()) {
      return new Result.Done("Would write " + file);
    }
    try (FileChannel channel =
            FileChannel.open(
                file,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                OwnerFiles.file());
        OutputStream out = Channels.newOutputStream(channel);
        TarGz archive = new TarGz(out, now.getEpochSecond())) {
      for (Map.Entry<String, String> part : parts.entrySet()) {
        archive.add(
            name + "/" + part.getKey(), (part.getValue() + "\n").getBytes(StandardCharsets.UTF_8));
      }
    } catch (FileAlreadyExistsException e) {
      throw ControlException.error(Sysexits.DATA, file + " exists already");
    } catch (IOException e) {
      throw ControlException.error(
          Sysexits.DATA, "cannot write %s: %s".formatted(file, e.getClass().getSimpleName()));
    }
    return new Result.Done("Wrote %s".formatted(file));
  }

  private static Map<String, String> collect(Invocation invocation) {
    Api api = invocation.api();
    long lines = Math.min(LOG_LINES, invocation.number(LINES, LOG_LINES));
    Parts parts = new Parts();
    // The process answers even if the broker is stopped; if it does not, there is nothing to say.
    Map<String, Object> jvm = Api.object(api.control("GET", "jvm", null));
    parts.texts.put("threads.txt", String.valueOf(jvm.remove("threads")));
    parts.texts.put("jvm.json", JsonWriter.text(jvm));
    parts.text("status.txt", () -> ((Result.Value) Status.of(invocation)).text());
    parts.json("status.json", () -> api.control("GET", "status", null));
    parts.text("configuration.txt", () -> configuration(api));
    parts.text("log.txt", () -> log(api, lines));
    parts.text("files.txt", () -> files(String.valueOf(jvm.get("data_dir"))));
    parts.json("alarms.json", () -> Status.alarms(invocation));
    parts.json("overview.json", () -> api.get("overview"));
    parts.json("queues-by-messages.json", () -> queues(api, "messages"));
    parts.json("queues-by-memory.json", () -> queues(api, "memory"));
    return parts.texts;
  }

  /** The parts by the names of their files. */
  private static final class Parts {
    private final Map<String, String> texts = new LinkedHashMap<>();

    void json(String name, Supplier<Object> value) {
      text(name, () -> JsonWriter.text(value.get()));
    }

    void text(String name, Supplier<String> value) {
      try {
        texts.put(name, value.get());
      } catch (ApiError | ControlException e) {
        texts.put(name, "not available: " + e.getMessage());
      }
    }
  }

  private static String configuration(Api api) {
    return ((List<?>) api.control("GET", "environment", null))
        .stream()
            .map(Api::object)
            .map(
                setting ->
                    "%s = %s    # %s"
                        .formatted(setting.get("key"), setting.get("value"), setting.get("source")))
            .collect(Collectors.joining("\n"));
  }

  private static String log(Api api, long lines) {
    Object answer = api.control("GET", "log?lines=" + lines, null);
    return ((List<?>) Api.object(answer).get("lines"))
        .stream().map(String::valueOf).collect(Collectors.joining("\n"));
  }

  private static Object queues(Api api, String column) {
    return Json.asObject(
            Api.object(
                api.get(
                    "queues?page=1&page_size=%d&sort=%s&sort_reverse=true&columns=%s"
                        .formatted(TOP_QUEUES, column, QUEUE_COLUMNS))))
        .get("items");
  }

  /** Returns a line for each file of the data directory, with its size. */
  private static String files(String directory) {
    List<String> lines = new ArrayList<>();
    long total = 0;
    try (Stream<Path> all = Files.walk(Path.of(directory))) {
      for (Path file : all.filter(Files::isRegularFile).sorted().toList()) {
        long bytes = Files.exists(file) ? Files.size(file) : 0;
        total += bytes;
        lines.add("%14d %s".formatted(bytes, Path.of(directory).relativize(file)));
      }
    } catch (IOException e) {
      lines.add("not all files could be read: " + e);
    }
    lines.add("%14d in all".formatted(total));
    return String.join("\n", lines);
  }
}
