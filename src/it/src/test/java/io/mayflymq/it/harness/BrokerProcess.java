package io.mayflymq.it.harness;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * A broker in a process of its own: for tests that kill it, send it signals, look at its exit code
 * or its process, or need options of the Java virtual machine. Thread-safe.
 */
public final class BrokerProcess extends Broker {
  private static final Set<Process> ALIVE = ConcurrentHashMap.newKeySet();

  static {
    // A test that ran out of time is left behind in the middle, and its brokers with it.
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> ALIVE.forEach(Process::destroyForcibly), "orphans"));
  }

  private final Process process;
  private final List<Thread> readers = new ArrayList<>();

  private BrokerProcess(Process process, Builder builder, Directories directories) {
    super(builder, directories);
    this.process = process;
    ALIVE.add(process);
    process.onExit().thenAccept(ALIVE::remove);
    collect(process.getInputStream(), "out");
    collect(process.getErrorStream(), "err");
  }

  /** How to start one; every part has a sensible default. */
  public static final class Builder extends Broker.Builder<Builder, BrokerProcess> {
    private final List<String> wrapper = new ArrayList<>();
    private final List<String> jvm = new ArrayList<>();
    private boolean archive = true;
    private Path jar;
    private boolean longLived;
    private Path directory;

    private Builder() {}

    @Override
    Builder self() {
      return this;
    }

    /** Adds an option of the Java virtual machine. */
    public Builder jvm(String option) {
      jvm.add(option);
      return this;
    }

    /** Starts it by this command, which is given the one of the broker as its arguments. */
    public Builder wrappedBy(List<String> command) {
      wrapper.addAll(command);
      return this;
    }

    /** Runs it in this directory rather than in one of its own. */
    public Builder directory(Path wanted) {
      directory = wanted;
      return this;
    }

    /** Runs another jar than the one under test. */
    public Builder jar(Path other) {
      jar = other;
      return withoutArchive();
    }

    /** Starts without the archive of classes: for the broker that makes it. */
    Builder withoutArchive() {
      archive = false;
      return this;
    }

    /**
     * Has the virtual machine compile what runs often with its second compiler too. Others live for
     * seconds, and that compiler would take a third of the time of the processor.
     */
    Builder longLived() {
      longLived = true;
      return this;
    }

    /**
     * Has signals do in it what they do by default, also where the tests were started with some
     * ignored, as by {@code nohup}: a process inherits that, and Java leaves it at that.
     */
    public Builder defaultSignals() {
      wrapper.addAll(List.of("env", "--default-signal=HUP,INT,TERM,USR1"));
      return this;
    }

    @Override
    BrokerProcess launch(List<String> arguments, Directories directories) throws IOException {
      List<String> command = new ArrayList<>(wrapper);
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      if (archive) {
        command.addAll(ClassArchive.options());
      }
      if (!longLived) {
        command.add("-XX:TieredStopAtLevel=1");
      }
      command.addAll(jvm);
      command.add("-jar");
      command.add((jar == null ? Broker.jar() : jar).toString());
      command.addAll(arguments);
      ProcessBuilder process =
          new ProcessBuilder(command)
              .directory((directory == null ? directories.work() : directory).toFile());
      process.environment().putAll(environment);
      return new BrokerProcess(process.start(), this, directories);
    }
  }

  /** A broker in a process of its own. */
  public static Builder builder() {
    return new Builder();
  }

  private void collect(InputStream stream, String name) {
    Thread reader =
        new Thread(
            () -> {
              try (BufferedReader lines =
                  new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                  add(line);
                }
              } catch (IOException e) {
                // The stream of a killed process may break rather than end: what was read counts.
                add("(output ended: " + e.getMessage() + ")");
              }
            },
            "broker-" + process.pid() + "-" + name);
    reader.setDaemon(true);
    reader.start();
    readers.add(reader);
  }

  /** The number of the process. */
  public long pid() {
    return process.pid();
  }

  /** The processor time that the process has used so far. */
  public Duration cpu() {
    return process.info().totalCpuDuration().orElseThrow();
  }

  @Override
  public void terminate() {
    process.destroy();
  }

  /** Sends a signal by its name, such as HUP. */
  public void signal(String name) throws IOException, InterruptedException {
    // The shell's own kill: not every machine has the command.
    Process kill =
        new ProcessBuilder("sh", "-c", "kill -" + name + " " + process.pid()).inheritIO().start();
    if (kill.waitFor() != 0) {
      throw new IOException("signal " + name + " was not sent");
    }
  }

  @Override
  public void reload() throws IOException, InterruptedException {
    signal("HUP");
  }

  /** Sends SIGKILL. */
  public void kill() {
    process.destroyForcibly();
  }

  @Override
  void abandon() {
    kill();
  }

  @Override
  public boolean isAlive() {
    return process.isAlive();
  }

  @Override
  public int awaitExit() {
    try {
      if (!process.waitFor(Patience.MILLIS, TimeUnit.MILLISECONDS)) {
        process.destroyForcibly();
        throw new AssertionError("The broker did not end:\n" + String.join("\n", output()));
      }
      for (Thread reader : readers) {
        reader.join(Patience.MILLIS);
      }
      return process.exitValue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
