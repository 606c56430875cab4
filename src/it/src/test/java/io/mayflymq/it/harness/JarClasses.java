package io.mayflymq.it.harness;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The classes of the packaged jar in the process of the tests, by a class loader that shares
 * nothing with the tests but Java itself. A broker has them for itself, as its log and the name of
 * its node are static; then they are used again, as loading and compiling them is what the start of
 * a process takes most of its time for.
 *
 * <p>What is printed by a thread whose context class loader this is, as all of a broker are, is the
 * output of the broker that has these classes. Thread-safe.
 */
final class JarClasses {
  private static final Deque<JarClasses> FREE = new ArrayDeque<>();

  static {
    System.setOut(new PrintStream(new Divided(System.out), true, StandardCharsets.UTF_8));
    System.setErr(new PrintStream(new Divided(System.err), true, StandardCharsets.UTF_8));
  }

  private final Path jar;
  private final Loader loader;

  private JarClasses(Path jar) {
    this.jar = jar;
    this.loader = new Loader(jar);
  }

  /** Returns classes of a jar that no broker uses. */
  static JarClasses take(Path jar) {
    synchronized (JarClasses.class) {
      if (jar.equals(Broker.jar()) && !FREE.isEmpty()) {
        return FREE.pop();
      }
    }
    return new JarClasses(jar);
  }

  /** Returns the classes of all control commands, any number of which may run at a time. */
  static JarClasses ofCommands() {
    return Commands.CLASSES;
  }

  /** Made when the first command runs. */
  private static final class Commands {
    private static final JarClasses CLASSES = new JarClasses(Broker.jar());
  }

  /** Says that no thread uses these classes any more. Those of another jar are not used again. */
  void giveBack() {
    if (!jar.equals(Broker.jar())) {
      return;
    }
    synchronized (JarClasses.class) {
      FREE.push(this);
    }
  }

  ClassLoader loader() {
    return loader;
  }

  /** Sends what is printed to this sink, a line at a time; to where it went before if null. */
  void sendOutputTo(Consumer<String> sink) {
    loader.output = sink == null ? null : new Lines(sink);
  }

  /**
   * Sets which buffers Netty watches for leaks.
   *
   * @param all whether it is all of them, rather than Netty's sample
   */
  void trackBuffers(boolean all) {
    try {
      Class<?> detector = loader.loadClass("io.netty.util.ResourceLeakDetector");
      Class<?> level = loader.loadClass("io.netty.util.ResourceLeakDetector$Level");
      Object wanted = level.getField(all ? "PARANOID" : "SIMPLE").get(null);
      detector.getMethod("setLevel", level).invoke(null, wanted);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A stream that passes on what is written to it, a line at a time. */
  static OutputStream lines(Consumer<String> sink) {
    return new Lines(sink);
  }

  /** One run of the jar, by its {@code EmbeddedServer}. */
  final class Command {
    private final Object server;

    private Command(Object server) {
      this.server = server;
    }

    /** Runs it to its end, with the arguments of the jar, and returns its exit code. */
    int run(List<String> arguments) {
      Thread thread = Thread.currentThread();
      ClassLoader before = thread.getContextClassLoader();
      thread.setContextClassLoader(loader);
      try {
        return (int) call("run", String[].class, arguments.toArray(String[]::new));
      } finally {
        thread.setContextClassLoader(before);
      }
    }

    /** Ends the broker as SIGTERM does. */
    void terminate() {
      call("terminate", null, null);
    }

    /** Has the broker read its configuration again. */
    void reload() {
      call("reload", null, null);
    }

    private Object call(String method, Class<?> type, Object argument) {
      try {
        Class<?> server = this.server.getClass();
        return type == null
            ? server.getMethod(method).invoke(this.server)
            : server.getMethod(method, type).invoke(this.server, argument);
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** Prepares a run of the jar. */
  Command command(
      Map<String, String> environment, InputStream in, OutputStream out, OutputStream err) {
    try {
      return new Command(
          loader
              .loadClass("io.mayflymq.server.boot.EmbeddedServer")
              .getConstructor(Map.class, InputStream.class, PrintWriter.class, PrintWriter.class)
              .newInstance(environment, in, writer(out), writer(err)));
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  private static PrintWriter writer(OutputStream stream) {
    return new PrintWriter(stream, true, StandardCharsets.UTF_8);
  }

  private static final class Loader extends URLClassLoader {
    private volatile OutputStream output;

    private Loader(Path jar) {
      super(new URL[] {url(jar)}, ClassLoader.getPlatformClassLoader());
    }

    private static URL url(Path jar) {
      try {
        return jar.toUri().toURL();
      } catch (MalformedURLException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** Standard output or error, divided by who prints. */
  private static final class Divided extends OutputStream {
    private final PrintStream others;

    private Divided(PrintStream others) {
      this.others = others;
    }

    private OutputStream stream() {
      return Thread.currentThread().getContextClassLoader() instanceof Loader loader
              && loader.output != null
          ? loader.output
          : others;
    }

    @Override
    public void write(int character) throws IOException {
      stream().write(character);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      stream().write(bytes, offset, length);
    }

    @Override
    public void flush() throws IOException {
      stream().flush();
    }
  }

  private static final class Lines extends OutputStream {
    private final Consumer<String> sink;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();

    private Lines(Consumer<String> sink) {
      this.sink = sink;
    }

    @Override
    public synchronized void write(int character) {
      if (character == '\n') {
        sink.accept(line.toString(StandardCharsets.UTF_8));
        line.reset();
      } else {
        line.write(character);
      }
    }

    @Override
    public synchronized void write(byte[] bytes, int offset, int length) {
      for (int i = 0; i < length; i++) {
        write(bytes[offset + i]);
      }
    }
  }
}
