package io.mayflymq.server.boot;

import io.mayflymq.server.ctl.ControlManual;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;

/** Writes the manual pages and the completion scripts; the build runs it. */
public final class ManualWriter {
  private ManualWriter() {}

  /**
   * Writes {@code man/*}, {@code bash/*} and {@code zsh/*}.
   *
   * @param args the directory of the distribution, and the one to write to
   * @throws IOException if a file cannot be read or written
   */
  public static void main(String[] args) throws IOException {
    Path scripts = Path.of(args[0], "bin");
    Path target = Path.of(args[1]);
    write(
        target.resolve("man/mayfly.1.gz"),
        ManualPages.ofBroker(Files.readString(scripts.resolve("mayfly"))));
    write(
        target.resolve("man/mayflyctl.1.gz"),
        ManualPages.ofControl(Files.readString(scripts.resolve("mayflyctl"))));
    write(target.resolve("man/mayflymq.conf.5.gz"), ManualPages.ofConfiguration());
    write(target.resolve("bash/mayfly"), Completion.bashOfBroker());
    write(target.resolve("bash/mayflyctl"), ControlManual.bashCompletion());
    write(target.resolve("zsh/_mayflyctl"), Completion.zshOfControl());
  }

  /** Writes a file, compressed if its name says so. */
  private static void write(Path file, String content) throws IOException {
    Files.createDirectories(file.getParent());
    try (OutputStream plain = Files.newOutputStream(file);
        OutputStream out = file.toString().endsWith(".gz") ? new GZIPOutputStream(plain) : plain) {
      out.write(content.getBytes(StandardCharsets.UTF_8));
    }
  }
}
