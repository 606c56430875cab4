package io.mayflymq.server.definitions;

import io.mayflymq.core.admin.GlobalParameters;
import io.mayflymq.core.metadata.Actor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loads {@code load_definitions} at the start of the broker: a file, or all files of a directory.
 */
public final class DefinitionsLoader {
  private static final Logger LOGGER = LoggerFactory.getLogger(DefinitionsLoader.class);

  private final BrokerDefinitions definitions;
  private final GlobalParameters parameters;
  private final boolean skipIfUnchanged;
  private final boolean strict;

  /**
   * Creates a loader.
   *
   * @param parameters where it stores the hash of the loaded files
   * @param skipIfUnchanged whether files with the same content as the last time are not loaded,
   *     unless something was left out
   * @param strict whether one definition that is wrong fails the import; else it is left out
   */
  public DefinitionsLoader(
      BrokerDefinitions definitions,
      GlobalParameters parameters,
      boolean skipIfUnchanged,
      boolean strict) {
    this.definitions = definitions;
    this.parameters = parameters;
    this.skipIfUnchanged = skipIfUnchanged;
    this.strict = strict;
  }

  /**
   * Loads definitions, and waits until they are safe. From a directory, it loads the files that end
   * in {@code .json}, ordered by name.
   *
   * @throws DefinitionsException if a file cannot be read or is no JSON object, or, if strict, has
   *     a definition that is wrong; the message names it. The files before it were imported,
   *     nothing of this file was
   */
  public void load(Path path) throws DefinitionsException {
    List<Path> files = files(path);
    MessageDigest digest = sha256();
    for (Path file : files) {
      digest.update(read(file));
    }
    String hash = '"' + Base64.getEncoder().encodeToString(digest.digest()) + '"';
    if (skipIfUnchanged && hash.equals(parameters.get(BrokerDefinitions.IMPORTED_HASH))) {
      LOGGER.info("definitions in {} have not changed since they were imported", path);
      return;
    }
    int leftOut = 0;
    for (Path file : files) {
      LOGGER.info("importing definitions from {}", file);
      leftOut += load(file, read(file)).invalid();
    }
    if (leftOut == 0) {
      parameters.set(BrokerDefinitions.IMPORTED_HASH, hash).join();
    } else {
      LOGGER.warn(
          "{} definitions in {} are not valid and were left out; definitions.strict = true refuses"
              + " the start instead",
          leftOut,
          path);
    }
  }

  private ImportReport load(Path file, byte[] json) throws DefinitionsException {
    try {
      return definitions.importAll(new ByteArrayInputStream(json), strict, Actor.BROKER).join();
    } catch (DefinitionsException e) {
      e.problems().forEach(problem -> LOGGER.error("{}: {}", file, problem));
      throw new DefinitionsException(
          "cannot import definitions from " + file + ": " + e.getMessage());
    } catch (CompletionException e) {
      throw new DefinitionsException(
          "cannot import definitions from " + file + ": " + e.getCause().getMessage());
    }
  }

  private static List<Path> files(Path path) throws DefinitionsException {
    if (!Files.isDirectory(path)) {
      return List.of(path);
    }
    try (Stream<Path> entries = Files.list(path)) {
      return entries.filter(file -> file.toString().endsWith(".json")).sorted().toList();
    } catch (IOException e) {
      throw unreadable(path, e);
    }
  }

  private static byte[] read(Path file) throws DefinitionsException {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw unreadable(file, e);
    }
  }

  private static DefinitionsException unreadable(Path path, IOException cause) {
    String reason = cause instanceof NoSuchFileException ? "no such file" : cause.getMessage();
    return new DefinitionsException("cannot read definitions from " + path + ": " + reason);
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this Java has no SHA-256", e);
    }
  }
}
