package io.mayflymq.test;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;

/**
 * The classes of the broker, which the jar of this class has below the directory {@code broker},
 * with a suffix that no class path knows. The parent is the platform's class loader, so they see
 * nothing of the application, and the application sees nothing of them.
 *
 * <p>They are read in place, from the jar or the directory in which they are found at first.
 * Brokers of a JVM share them, those whose clock is moved and those of real time apart: how exact a
 * deadline is belongs to the classes. They are kept until the JVM ends, and so is the open jar.
 */
final class BrokerClasses extends ClassLoader {
  private static final String SUFFIX = ".class";
  private static final String SUFFIX_HERE = ".classdata";
  private static final String DIRECTORY = "broker/";
  private static final String SAMPLE = "io/mayflymq/server/boot/EmbeddedBroker";

  static {
    registerAsParallelCapable();
  }

  private final Source source;

  /** Where the files are. */
  private interface Source {
    /** Returns the content of a file, or null if there is none of that name. */
    byte[] read(String name) throws IOException;

    /** Returns where the file is, or null if there is none of that name. */
    URL url(String name) throws IOException;
  }

  private BrokerClasses(Source source) {
    super("mayfly", ClassLoader.getPlatformClassLoader());
    this.source = source;
  }

  /** Returns the classes of brokers whose clock is moved. */
  static BrokerClasses ofManualClock() {
    return OfManualClock.CLASSES;
  }

  /** Returns the classes of brokers whose clock is that of the machine. */
  static BrokerClasses ofRealClock() {
    return OfRealClock.CLASSES;
  }

  /** Made when the first such broker starts. */
  private static final class OfManualClock {
    private static final BrokerClasses CLASSES = new BrokerClasses(Opened.SOURCE);
  }

  /** Made when the first such broker starts. */
  private static final class OfRealClock {
    private static final BrokerClasses CLASSES = new BrokerClasses(Opened.SOURCE);
  }

  /** Opened when the first broker starts. */
  private static final class Opened {
    private static final Source SOURCE = source();
  }

  private static Source source() {
    String sample = DIRECTORY + SAMPLE + SUFFIX_HERE;
    URL found = BrokerClasses.class.getResource(sample);
    if (found == null) {
      throw new IllegalStateException(
          "the broker is not where its test kit is: expected " + sample + " beside its classes");
    }
    try {
      URLConnection connection = found.openConnection();
      if (connection instanceof JarURLConnection jar
          && jar.getJarFileURL().getProtocol().equals("file")) {
        String entry = jar.getEntryName();
        return new Jar(
            new JarFile(Path.of(jar.getJarFileURL().toURI()).toFile(), false),
            jar.getJarFileURL(),
            entry.substring(0, entry.length() - SAMPLE.length() - SUFFIX_HERE.length()));
      }
      if (found.getProtocol().equals("file")) {
        Path root = Path.of(found.toURI());
        for (int i = Path.of(SAMPLE).getNameCount(); i > 0; i--) {
          root = root.getParent();
        }
        return new Directory(root);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
    return new Nested();
  }

  /** A jar file. */
  private record Jar(JarFile jar, URL url, String prefix) implements Source {
    @Override
    public byte[] read(String name) throws IOException {
      ZipEntry entry = jar.getEntry(prefix + name);
      if (entry == null) {
        return null;
      }
      try (InputStream in = jar.getInputStream(entry)) {
        return in.readAllBytes();
      }
    }

    @Override
    public URL url(String name) throws IOException {
      return jar.getEntry(prefix + name) == null
          ? null
          : new URL("jar:" + url + "!/" + prefix + name);
    }
  }

  /** A directory, as where this module is built. */
  private record Directory(Path root) implements Source {
    @Override
    public byte[] read(String name) throws IOException {
      Path file = root.resolve(name);
      return Files.isRegularFile(file) ? Files.readAllBytes(file) : null;
    }

    @Override
    public URL url(String name) throws IOException {
      Path file = root.resolve(name);
      return Files.isRegularFile(file) ? file.toUri().toURL() : null;
    }
  }

  /** Whatever else the class loader of the kit can read, such as a jar within a jar. */
  private record Nested() implements Source {
    @Override
    public byte[] read(String name) throws IOException {
      try (InputStream in = BrokerClasses.class.getResourceAsStream(DIRECTORY + name)) {
        return in == null ? null : in.readAllBytes();
      }
    }

    @Override
    public URL url(String name) {
      return BrokerClasses.class.getResource(DIRECTORY + name);
    }
  }

  private static String fileOf(String resource) {
    return resource.endsWith(SUFFIX)
        ? resource.substring(0, resource.length() - SUFFIX.length()) + SUFFIX_HERE
        : resource;
  }

  @Override
  protected Class<?> findClass(String name) throws ClassNotFoundException {
    try {
      byte[] bytes = source.read(name.replace('.', '/') + SUFFIX_HERE);
      if (bytes == null) {
        throw new ClassNotFoundException(name);
      }
      return defineClass(name, bytes, 0, bytes.length);
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
  }

  @Override
  protected URL findResource(String name) {
    try {
      return source.url(fileOf(name));
    } catch (IOException e) {
      return null;
    }
  }

  @Override
  protected Enumeration<URL> findResources(String name) {
    URL found = findResource(name);
    return Collections.enumeration(found == null ? List.of() : List.of(found));
  }

  @Override
  public InputStream getResourceAsStream(String name) {
    try {
      byte[] bytes = source.read(fileOf(name));
      return bytes == null
          ? getParent().getResourceAsStream(name)
          : new ByteArrayInputStream(bytes);
    } catch (IOException e) {
      return null;
    }
  }
}
