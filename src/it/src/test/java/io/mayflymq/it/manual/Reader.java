package io.mayflymq.it.manual;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.rabbitmq.client.ConnectionFactory;
import io.mayflymq.it.harness.Broker;
import io.mayflymq.it.harness.BrokerProcess;
import io.mayflymq.it.harness.Distribution;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.Patience;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.LoggerFactory;

/**
 * One who follows a page, block by block, with a broker that runs already: a directory in which the
 * files of the page are, with the distribution where the pages have it. Ports of the pages are
 * replaced by free ones. Confined to one thread.
 */
final class Reader implements AutoCloseable {
  private static final int AMQP = 5672;
  private static final int HTTP = 15672;
  private static final List<Integer> OTHER_PORTS = List.of(5671, 5673, 15671, 15673, 15691, 15692);
  private static final Pattern PORT = Pattern.compile("\\b1?5[67]\\d\\d\\b");

  private static final String SLAPD = "/usr/sbin/slapd";

  /** The first line of a program or file that says what it is called. */
  private static final Pattern NAME = Pattern.compile("\\A(?:#|//) ([\\w-]+\\.\\w+)");

  private static final Pattern STARTS_BROKER =
      Pattern.compile("(?:java -jar \\S*mayfly\\.jar|bin/mayfly)((?: +--\\S.*)?)(?: +#.*)?");

  private final Path directory =
      Files.createTempDirectory(Files.createDirectories(Path.of("target/manual")), "page")
          .toAbsolutePath();
  private final Path bin = Distribution.bin("mayflyctl").getParent();
  private final Path environment = directory.resolve("environment");
  private final Map<Integer, Integer> ports = new TreeMap<>();
  private final List<String> wrong = new ArrayList<>();
  private Broker broker = EmbeddedBroker.builder().start();
  private int pieces;

  Reader() throws IOException {
    ports.put(AMQP, broker.port());
    ports.put(HTTP, broker.httpPort());
    OTHER_PORTS.forEach(port -> ports.put(port, Broker.freePort()));
    Path target = Files.createDirectories(directory.resolve("broker-server/target"));
    Files.createSymbolicLink(target.resolve("mayfly.jar"), Broker.jar());
    Files.createSymbolicLink(target.resolve("mayfly"), bin.getParent());
    Files.createSymbolicLink(directory.resolve("mayfly.jar"), Broker.jar());
    Files.createSymbolicLink(directory.resolve("bin"), bin);
    Files.createSymbolicLink(directory.resolve("mayfly-data"), broker.data());
    Files.createFile(environment);
    // What a program of the pages connects to by default.
    Files.writeString(
        directory.resolve("sitecustomize.py"),
        """
        try:
            from pika.connection import Parameters
            Parameters.DEFAULT_PORT = %d
        except ImportError:
            pass
        """
            .formatted(broker.port()));
  }

  /** Follows a page and returns what is wrong on it. */
  List<String> follow(Page page) throws IOException, InterruptedException {
    String printed = "";
    for (Page.Block block : page.blocks()) {
      if (!block.isRun()) {
        save(block);
        continue;
      }
      String before = printed;
      String where = page + ":" + block.line() + ": ";
      List<String> faults = new ArrayList<>();
      printed =
          switch (block.language()) {
            case "sh" -> shell(block, faults);
            case "python" -> program(block, List.of("python3", save(block)), faults);
            case "java" -> program(block, java(save(block)), faults);
            case "ini" -> settings(save(block), faults);
            case "json" -> json(block, save(block), faults);
            default -> exactly(block, before, faults);
          };
      faults.forEach(fault -> wrong.add(where + fault));
    }
    return wrong;
  }

  private String withPorts(String text) {
    return PORT.matcher(text)
        .replaceAll(
            port -> {
              int number = Integer.parseInt(port.group());
              return Integer.toString(ports.getOrDefault(number, number));
            });
  }

  /** Writes a block into the file that its first line names, and returns that. */
  private String save(Page.Block block) throws IOException {
    Matcher name = NAME.matcher(block.text());
    String file = name.find() ? name.group(1) : block.file();
    String text = withPorts(block.text());
    if (block.language().equals("java")) {
      text =
          text.replace(
              "new ConnectionFactory()",
              "new ConnectionFactory() {{ setPort(" + broker.port() + "); }}");
    }
    Files.writeString(directory.resolve(file), text);
    return file;
  }

  /** Runs the commands of a block in turn, each with the comment lines below it as its output. */
  private String shell(Page.Block block, List<String> faults)
      throws IOException, InterruptedException {
    StringBuilder all = new StringBuilder();
    StringBuilder commands = new StringBuilder();
    StringBuilder shown = new StringBuilder();
    for (String line : (block.text() + "end of block").lines().toList()) {
      boolean isComment = line.startsWith("#");
      boolean isAlone = startsBroker(line) || startsBroker(commands.toString().trim());
      boolean isNew = !isComment && (!shown.isEmpty() || isAlone);
      if (isNew || line.equals("end of block")) {
        all.append(piece(commands.toString(), shown.toString(), faults));
        commands.setLength(0);
        shown.setLength(0);
      }
      if (!isComment && !line.equals("end of block")) {
        commands.append(line).append('\n');
      } else if (!commands.isEmpty()) {
        shown.append(line.substring(1)).append('\n');
      }
    }
    return all.toString();
  }

  private static boolean startsBroker(String line) {
    return STARTS_BROKER.matcher(line.replaceAll("\\\\$", "")).matches();
  }

  /** Commands, and what they print. */
  private String piece(String commands, String shown, List<String> faults)
      throws IOException, InterruptedException {
    assumeSlapd(commands);
    Matcher start = STARTS_BROKER.matcher(commands.replace("\\\n", " ").trim());
    if (start.matches()) {
      return restart(start.group(1), shown, faults);
    }
    Path script = directory.resolve("piece-" + ++pieces + ".sh");
    // A reader's shell remembers what has been exported, and where one is.
    Files.writeString(
        script,
        ". "
            + environment
            + "\n"
            + "trap 'echo \"exit code $? of: $BASH_COMMAND\" >&2; exit 99' ERR\n"
            + withPorts(commands)
            + "\ntrap - ERR\nexport -p >"
            + environment
            + "\n");
    Result result = run(List.of("bash", "-u", script.toString()));
    String fault =
        result.exit() == 0 ? Shown.ofCommand(withPorts(shown), result.output()) : result.output();
    if (fault != null) {
      faults.add(fault);
    }
    return result.output();
  }

  /** Ends the broker, and starts one with other options in the directory of the page. */
  private String restart(String options, String shown, List<String> faults)
      throws IOException, InterruptedException {
    broker.close();
    BrokerProcess.Builder builder =
        BrokerProcess.builder()
            .port(ports.get(AMQP))
            .httpPort(ports.get(HTTP))
            .data(broker.data())
            .directory(directory);
    String words = "printf '%s\\n' " + withPorts(options);
    run(List.of("bash", "-c", words))
        .output()
        .lines()
        .filter(word -> !word.isEmpty())
        .forEach(builder::arguments);
    run(List.of("bash", "-c", ". " + environment + "; env"))
        .output()
        .lines()
        .filter(line -> line.startsWith("MAYFLY_") && !line.startsWith("MAYFLY_DATA_DIR"))
        .map(line -> line.split("=", 2))
        .forEach(variable -> builder.environment(variable[0], variable[1]));
    broker = builder.start();
    String printed = String.join("\n", broker.output());
    String fault = Shown.ofCommand(shown, printed);
    if (fault != null) {
      faults.add(fault);
    }
    return printed;
  }

  private String program(Page.Block block, List<String> command, List<String> faults)
      throws IOException, InterruptedException {
    if (block.language().equals("python")) {
      assumePika();
    }
    Result result = run(command);
    String fault =
        result.exit() == 0 ? Shown.ofProgram(block.text(), result.output()) : result.output();
    if (fault != null) {
      faults.add(fault);
    }
    return result.output();
  }

  /** What a page needs that not every machine has. */
  private static void assumeSlapd(String commands) {
    if (commands.contains(SLAPD) && System.getenv("CI") == null) {
      assumeTrue(Files.isExecutable(Path.of(SLAPD)), "slapd is not installed");
    }
  }

  private void assumePika() throws IOException, InterruptedException {
    boolean there = run(List.of("python3", "-c", "import pika")).exit() == 0;
    if (System.getenv("CI") == null) {
      assumeTrue(there, "python3 cannot import pika");
    }
  }

  private static List<String> java(String file) {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:TieredStopAtLevel=1",
        "-cp",
        jarOf(ConnectionFactory.class) + File.pathSeparator + jarOf(LoggerFactory.class),
        file);
  }

  private static String jarOf(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Starts a broker with a file of settings, which has to take all of them. */
  private String settings(String file, List<String> faults) throws IOException {
    try (BrokerProcess other =
        BrokerProcess.builder().directory(directory).arguments("--config", file).start()) {
      other.output().stream()
          .filter(line -> line.contains("has no effect") || line.contains("unknown key"))
          .forEach(faults::add);
      return String.join("\n", other.output());
    } catch (AssertionError e) {
      faults.add(e.getMessage());
      return "";
    }
  }

  private static String json(Page.Block block, String file, List<String> faults) {
    try {
      new ObjectMapper().readTree(block.text());
    } catch (JsonProcessingException e) {
      faults.add(e.getOriginalMessage());
    }
    return file;
  }

  /** A block behind a program that shows all that it prints. */
  private static String exactly(Page.Block block, String printed, List<String> faults) {
    String actual = printed.replaceAll("(?m)^SLF4J.*\n", "");
    if (!actual.equals(block.text())) {
      faults.add("does not show all that is printed, which was:\n" + actual);
    }
    return "";
  }

  private record Result(int exit, String output) {}

  private Result run(List<String> command) throws IOException, InterruptedException {
    Path output = directory.resolve("output");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectInput(new File("/dev/null"))
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    Map<String, String> environment = builder.environment();
    environment.put("PATH", bin + File.pathSeparator + environment.get("PATH"));
    environment.put("JAVA_HOME", System.getProperty("java.home"));
    environment.put("PYTHONPATH", directory.toString());
    environment.put("AMQP_URI", "amqp://127.0.0.1:" + broker.port());
    environment.put("MAYFLY_DATA_DIR", broker.data().toString());
    environment.put("MAYFLY_CACHE_DIR", directory.getParent().toString());
    Process process = builder.start();
    try {
      if (!process.waitFor(2L * Patience.SECONDS, TimeUnit.SECONDS)) {
        return new Result(-1, "does not end: " + command + "\n" + Files.readString(output));
      }
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
    return new Result(process.exitValue(), Files.readString(output));
  }

  @Override
  public void close() {
    broker.close();
  }
}
