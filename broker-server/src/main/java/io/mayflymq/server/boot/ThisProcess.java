package io.mayflymq.server.boot;

import io.mayflymq.server.cli.ExitCode;
import io.mayflymq.server.management.ProcessControl;

/** What management can do to the process. */
final class ThisProcess implements ProcessControl {
  /** {@code exit} waits for {@link ShutdownHook}, which ends the process with a code of its own. */
  @Override
  public void stop() {
    new Thread(() -> System.exit(ExitCode.OK), "stop").start();
  }

  @Override
  public boolean rotateLog() {
    return Logging.rotate();
  }

  @Override
  public boolean setLogLevel(String level) {
    return Logging.setLevel(level);
  }
}
