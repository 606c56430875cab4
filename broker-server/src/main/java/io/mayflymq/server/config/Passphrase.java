package io.mayflymq.server.config;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Where the passphrase of secrets is. A file is read when the passphrase is needed: the control
 * command, which may run as another user, needs none.
 *
 * @param given the passphrase itself
 * @param file a file whose first line it is
 */
public record Passphrase(Optional<String> given, Optional<Path> file) {
  /** The keys by which it is given. */
  public static final String KEYS =
      "%s or %s".formatted(DecoderKeys.PASSPHRASE.name(), DecoderKeys.PASSPHRASE_FILE.name());

  /** Returns whether there is one. */
  public boolean isGiven() {
    return given.isPresent() || file.isPresent();
  }

  /**
   * Returns the passphrase, of which there is one.
   *
   * @throws ConfigException if it is given twice, or cannot be read
   */
  public String read() throws ConfigException {
    if (given.isPresent() && file.isPresent()) {
      throw new ConfigException(
          "%s and %s exclude each other: expected one of them"
              .formatted(DecoderKeys.PASSPHRASE.name(), DecoderKeys.PASSPHRASE_FILE.name()));
    }
    return given.isPresent() ? given.get() : firstLine(file.orElseThrow());
  }

  private static String firstLine(Path file) throws ConfigException {
    String problem;
    try {
      Optional<String> line = Files.readString(file).lines().findFirst();
      if (line.isPresent() && !line.get().isEmpty()) {
        return line.get();
      }
      problem = "its first line is empty";
    } catch (CharacterCodingException e) {
      problem = "it is not in UTF-8";
    } catch (NoSuchFileException e) {
      problem = "no such file";
    } catch (AccessDeniedException e) {
      problem = "permission denied";
    } catch (IOException e) {
      problem = String.valueOf(e.getMessage());
    }
    throw new ConfigException(
        "%s %s: %s; expected a file with the passphrase in its first line"
            .formatted(DecoderKeys.PASSPHRASE_FILE.name(), file, problem));
  }

  /** Returns where it is, not the passphrase. */
  @Override
  public String toString() {
    return file.map(path -> "passphrase in " + path)
        .orElse(given.isPresent() ? "a passphrase" : "no passphrase");
  }
}
