package io.mayflymq.test;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * A broker that runs, as its class {@code EmbeddedBroker} has it. Only classes of Java pass between
 * the two. Thread-safe.
 */
final class RunningBroker {
  private static final String NAME = "io.mayflymq.server.boot.EmbeddedBroker";

  private final BrokerClasses classes;
  private final Object broker;

  private RunningBroker(BrokerClasses classes, Object broker) {
    this.classes = classes;
    this.broker = broker;
  }

  /**
   * Starts one. Its threads inherit nothing from the caller's: no values of thread locals, no class
   * loader.
   *
   * @param realClock whether its clock is that of the machine
   * @throws IOException if it cannot start; the message says why
   */
  static RunningBroker start(List<String> settings, String logLevel, boolean realClock)
      throws IOException {
    Start start = new Start(settings, logLevel, realClock);
    Thread thread = new Thread(null, start, "mayfly-start", 0, false);
    thread.setDaemon(true);
    thread.start();
    boolean interrupted = false;
    while (true) {
      try {
        thread.join();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return start.result();
  }

  private static final class Start implements Runnable {
    private final List<String> settings;
    private final String logLevel;
    private final boolean realClock;
    private RunningBroker started;
    private Throwable failure;

    Start(List<String> settings, String logLevel, boolean realClock) {
      this.settings = settings;
      this.logLevel = logLevel;
      this.realClock = realClock;
    }

    @Override
    public void run() {
      try {
        BrokerClasses classes =
            realClock ? BrokerClasses.ofRealClock() : BrokerClasses.ofManualClock();
        started =
            among(
                classes,
                () ->
                    new RunningBroker(
                        classes,
                        classes
                            .loadClass(NAME)
                            .getConstructor(List.class, String.class)
                            .newInstance(settings, logLevel)));
      } catch (InvocationTargetException e) {
        failure = e.getCause();
      } catch (Exception | Error e) {
        failure = e;
      }
    }

    RunningBroker result() throws IOException {
      if (failure instanceof IOException refused) {
        throw new IOException(refused.getMessage(), refused);
      }
      if (failure != null) {
        throw new IllegalStateException("the broker has not started", failure);
      }
      return started;
    }
  }

  /** Runs it with the class loader that the broker's threads have. */
  private static <T> T among(BrokerClasses classes, Callable<T> task) throws Exception {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(classes);
    try {
      return task.call();
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  private Object call(String name, Class<?>[] types, Object... arguments) throws IOException {
    try {
      Method method = broker.getClass().getMethod(name, types);
      return among(classes, () -> method.invoke(broker, arguments));
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof IOException refused) {
        throw new IOException(refused.getMessage(), refused);
      }
      throw new IllegalStateException(e.getCause());
    } catch (IOException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  int port() throws IOException {
    return (int) call("port", new Class<?>[0]);
  }

  int httpPort() throws IOException {
    return (int) call("httpPort", new Class<?>[0]);
  }

  /** Answers a request to the HTTP API, with all rights. */
  Object ask(String method, String path, Object body) throws IOException {
    return call(
        "ask", new Class<?>[] {String.class, String.class, Object.class}, method, path, body);
  }

  void dropConnections() throws IOException {
    call("dropConnections", new Class<?>[0]);
  }

  void setScarce(String resource, boolean scarce) throws IOException {
    call("setScarce", new Class<?>[] {String.class, boolean.class}, resource, scarce);
  }

  void setConfirms(String fate) throws IOException {
    call("setConfirms", new Class<?>[] {String.class}, fate);
  }

  void setAcks(String fate) throws IOException {
    call("setAcks", new Class<?>[] {String.class}, fate);
  }

  /** Ends it at once, and leaves a copy of its data as it was then. */
  void kill(Path copy) throws IOException {
    call("kill", new Class<?>[] {Path.class}, copy);
  }

  /** Ends it in order. */
  void close() throws IOException {
    call("close", new Class<?>[0]);
  }
}
