package io.mayflymq.it.cluster.fault;

import io.mayflymq.it.harness.SystemCommand;
import io.mayflymq.it.harness.SystemCommand.Outcome;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;

/**
 * A clock of the processes that are started with it, which can be set while they run. It is a
 * library that they load before the system's, made from {@code clock.c} by the compiler of the
 * machine. (libfaketime makes a broker ten times as slow to start.)
 *
 * @param library what processes load; null if there is none
 * @param refusal why there is no library; null if there is one
 * @param file where the library reads the offset
 */
record ShiftedClock(Path library, String refusal, Path file) {
  private static final String SOURCE = "clock.c";

  /** Makes one that goes right, in a directory. */
  static ShiftedClock create(Path directory) {
    Path source = directory.resolve(SOURCE);
    Path library = directory.resolve("clock.so");
    Path file = directory.resolve("offset");
    try (InputStream text = ShiftedClock.class.getResourceAsStream(SOURCE)) {
      Files.copy(text, source);
      Files.write(file, new byte[Long.BYTES]);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Outcome compiled =
        SystemCommand.run(
            "gcc",
            "-shared",
            "-fPIC",
            "-O2",
            "-Wall",
            "-Werror",
            "-o",
            library.toString(),
            source.toString(),
            "-ldl");
    return new ShiftedClock(compiled.refusal() == null ? library : null, compiled.refusal(), file);
  }

  /** Returns what starts a process with this clock, as the same process. */
  List<String> wrapper() {
    return library == null
        ? List.of()
        : List.of("env", "LD_PRELOAD=" + library, "MAYFLY_IT_CLOCK=" + file);
  }

  /** Lets it go wrong by so much from now on: ahead, or behind if it is negative. */
  void set(Duration offset) {
    ByteBuffer millis =
        ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder()).putLong(offset.toMillis());
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.write(millis.flip(), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
