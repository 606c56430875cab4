package io.mayflymq.it.harness;

import java.nio.file.Files;
import java.nio.file.Path;

/** The directory that users unpack, as the build has made it beside the jar. */
public final class Distribution {
  private Distribution() {}

  /** Returns a script of it. */
  public static Path bin(String name) {
    Path script = Broker.jar().resolveSibling("mayfly").resolve("bin").resolve(name);
    if (!Files.isExecutable(script)) {
      throw new IllegalStateException(script + " is missing: run mvn -q -DskipTests package first");
    }
    return script;
  }
}
