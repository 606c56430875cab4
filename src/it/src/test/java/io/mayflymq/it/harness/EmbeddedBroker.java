package io.mayflymq.it.harness;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A broker in the process of the tests: the classes of the packaged jar, with sockets and files of
 * its own. Its heap is that of the tests. Thread-safe.
 */
public final class EmbeddedBroker extends Broker {
  /** How it has ended if the jar threw what it should have caught. */
  private static final int BROKEN = -1;

  /** The exit code of one that could not start, or could not stop in order. */
  private static final int FAILURE = 1;

  /** The exit codes of a broker that an essential part of has failed. */
  private static final Set<Integer> FATAL = Set.of(BROKEN, 3, 70);

  private final JarClasses classes;
  private final JarClasses.Command command;
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile int exitCode = BROKEN;

  private EmbeddedBroker(Builder builder, Directories directories, List<String> arguments) {
    super(builder, directories);
    this.classes = JarClasses.take(builder.jar);
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.putAll(builder.environment);
    classes.sendOutputTo(this::add);
    classes.trackBuffers(builder.tracksAllBuffers);
    command =
        classes.command(
            environment,
            InputStream.nullInputStream(),
            JarClasses.lines(this::add),
            JarClasses.lines(this::add));
    Thread thread = new Thread(() -> run(arguments), "embedded-broker");
    thread.setDaemon(true);
    thread.start();
  }

  /** How to start one; every part has a sensible default. */
  public static final class Builder extends Broker.Builder<Builder, EmbeddedBroker> {
    private Path jar = Broker.jar();
    private boolean tracksAllBuffers;

    private Builder() {}

    /** Runs another jar than the one under test. */
    public Builder jar(Path other) {
      jar = other;
      return this;
    }

    /** Has Netty report every buffer that is leaked, rather than one in a hundred. */
    public Builder trackingAllBuffers() {
      tracksAllBuffers = true;
      return this;
    }

    @Override
    Builder self() {
      return this;
    }

    @Override
    EmbeddedBroker launch(List<String> arguments, Directories directories) {
      return new EmbeddedBroker(this, directories, arguments);
    }
  }

  /** A broker in the process of the tests. */
  public static Builder builder() {
    return new Builder();
  }

  private void run(List<String> arguments) {
    try {
      exitCode = command.run(arguments);
    } catch (IllegalStateException e) {
      add("\tat the embedded broker: " + e.getCause());
    } finally {
      classes.sendOutputTo(null);
      if (hasEndedInOrder()) {
        classes.giveBack();
      }
      ended.countDown();
    }
  }

  /** Whether none of its threads may run any more. */
  private boolean hasEndedInOrder() {
    return !FATAL.contains(exitCode) && !(exitCode == FAILURE && hasBeenReady());
  }

  @Override
  public void terminate() {
    command.terminate();
  }

  @Override
  public void reload() {
    command.reload();
  }

  @Override
  void abandon() {
    terminate();
  }

  /** Fails if it leaked, logged an exception, or did not stop in order. */
  @Override
  void judge(int exit) {
    assertThat(exit).as("the exit code; the output is in %s", writeOutput()).isZero();
    assertThat(complaintsInContext()).as("complaints; all is in %s", writeOutput()).isEmpty();
  }

  @Override
  public boolean isAlive() {
    return ended.getCount() > 0;
  }

  @Override
  public int awaitExit() {
    try {
      if (!ended.await(Patience.MILLIS, TimeUnit.MILLISECONDS)) {
        throw new AssertionError("The broker did not end:\n" + String.join("\n", output()));
      }
      return exitCode;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
