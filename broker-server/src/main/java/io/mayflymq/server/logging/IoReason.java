package io.mayflymq.server.logging;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/**
 * Describes why a file cannot be used, for operators: the JDK's messages often consist of a path
 * only.
 */
public final class IoReason {
  private IoReason() {}

  /** Returns the reason in words. */
  public static String of(IOException e) {
    if (e instanceof AccessDeniedException) {
      return "permission denied";
    }
    if (e instanceof NoSuchFileException) {
      return "a directory cannot be created there";
    }
    if (e instanceof FileAlreadyExistsException) {
      return "a file is in the way of a directory";
    }
    String reason = e instanceof FileSystemException file ? file.getReason() : e.getMessage();
    return reason == null ? e.toString() : reason;
  }
}
