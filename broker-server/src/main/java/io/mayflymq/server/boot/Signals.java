package io.mayflymq.server.boot;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles signals other than SIGTERM and SIGINT, which ShutdownHook handles: SIGHUP has the
 * configuration read again and the log files reopened, as service managers and logrotate expect;
 * SIGUSR1, which nothing here needs, is ignored rather than the end of the process.
 *
 * <p>Java calls a handler on a new thread, one for each signal. Exceptions of a handler are
 * reported and have no further effect.
 *
 * <p>sun.misc.Signal is the only way there is to a signal. It is part of every JDK (module
 * jdk.unsupported), but the compiler warns of it in a way that cannot be answered, so it is called
 * by reflection. Where there is no such class or no such signal, as on Windows, nothing is
 * answered.
 */
final class Signals {
  private static final Logger LOGGER = LoggerFactory.getLogger(Signals.class);

  private Signals() {}

  /**
   * Answers signals from now on, until the process ends.
   *
   * @param reload what SIGHUP does; called on a thread of its own, maybe several at a time
   */
  static void answer(Runnable reload) {
    on("HUP", reload);
    on("USR1", () -> LOGGER.debug("signal USR1 is ignored"));
  }

  private static void on(String name, Runnable action) {
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      Object proxy =
          Proxy.newProxyInstance(
              Signals.class.getClassLoader(), new Class<?>[] {handler}, handling(name, action));
      signal
          .getMethod("handle", signal, handler)
          .invoke(null, signal.getConstructor(String.class).newInstance(name), proxy);
    } catch (ReflectiveOperationException e) {
      LOGGER.debug("signal {} cannot be answered", name, e);
    }
  }

  private static InvocationHandler handling(String name, Runnable action) {
    return (proxy, method, arguments) ->
        switch (method.getName()) {
          case "handle" -> {
            handle(name, action);
            yield null;
          }
          case "equals" -> proxy == arguments[0];
          case "hashCode" -> System.identityHashCode(proxy);
          default -> "handler of signal " + name;
        };
  }

  private static void handle(String name, Runnable action) {
    try {
      action.run();
    } catch (RuntimeException e) {
      LOGGER.error("signal {}: what it asks for cannot be done", name, e);
    }
  }
}
