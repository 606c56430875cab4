package io.mayflymq.server.config;

import io.mayflymq.core.runtime.SettableClock;
import io.mayflymq.core.security.NamePattern;
import java.math.BigInteger;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The types that values of configuration keys have. */
public final class ValueTypes {
  private static final Pattern SIZE = Pattern.compile("([0-9]{1,18})([a-z]*)");
  private static final Pattern FRACTION = Pattern.compile("[0-9]{1,9}(\\.[0-9]{1,18})?");
  private static final long LARGEST_SIZE = 1L << 60;

  /** RabbitMQ's information units: {@code k} and {@code kib} are 1024 bytes, {@code kb} is 1000. */
  private static final Map<String, Long> UNITS =
      Map.ofEntries(
          Map.entry("", 1L),
          Map.entry("k", 1L << 10),
          Map.entry("kib", 1L << 10),
          Map.entry("kb", 1_000L),
          Map.entry("m", 1L << 20),
          Map.entry("mib", 1L << 20),
          Map.entry("mb", 1_000_000L),
          Map.entry("g", 1L << 30),
          Map.entry("gib", 1L << 30),
          Map.entry("gb", 1_000_000_000L),
          Map.entry("t", 1L << 40),
          Map.entry("tib", 1L << 40),
          Map.entry("tb", 1_000_000_000_000L));

  private ValueTypes() {}

  /** Any text but the empty one. */
  public static ValueType<String> text() {
    return new ValueType<>("a text that is not empty", ValueTypes::nonEmpty);
  }

  /** Any text but the empty one, which is a secret, such as a password. */
  public static ValueType<String> secretText() {
    return new ValueType<>(text().expected(), true, ValueTypes::nonEmpty);
  }

  /** True or false, in lower case. */
  public static ValueType<Boolean> bool() {
    return oneOf(Map.of("true", true, "false", false));
  }

  /** One of these words. */
  public static ValueType<String> word(String... words) {
    return oneOf(Arrays.stream(words).collect(Collectors.toMap(word -> word, word -> word)));
  }

  /** Any constant of an enum, written in lower case. */
  public static <E extends Enum<E>> ValueType<E> constant(Class<E> type) {
    List<E> constants = List.of(type.getEnumConstants());
    return oneOf(constants.stream().collect(Collectors.toMap(ValueTypes::lowerCaseName, c -> c)))
        .describedAs(alternatives(constants.stream().map(ValueTypes::lowerCaseName).toList()));
  }

  private static String lowerCaseName(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  /** Returns the type of a word that stands for a value. */
  public static <T> ValueType<T> oneOf(Map<String, T> values) {
    return new ValueType<>(
        alternatives(values.keySet().stream().sorted().toList()),
        text -> Optional.ofNullable(values.get(text)));
  }

  private static String alternatives(List<String> words) {
    int last = words.size() - 1;
    return last == 0
        ? words.get(0)
        : String.join(", ", words.subList(0, last)) + " or " + words.get(last);
  }

  /** Returns the type of a whole number from {@code min} to {@code max}, both included. */
  public static ValueType<Integer> wholeNumber(String unit, int min, int max) {
    return new ValueType<>(
        "a whole number" + (unit.isEmpty() ? "" : " of " + unit) + " from " + min + " to " + max,
        text -> number(text, min, max));
  }

  /** Returns the type of a whole number for which 0 has a special meaning. */
  public static ValueType<Integer> zeroOr(String zero, String unit, int min, int max) {
    return new ValueType<>(
        "0 (" + zero + ") or a whole number of " + unit + " from " + min + " to " + max,
        text -> text.equals("0") ? Optional.of(0) : number(text, min, max));
  }

  /** Returns the type of a whole number of up to 18 digits that is not less than {@code min}. */
  public static ValueType<Long> largeNumber(String unit, long min) {
    return new ValueType<>(
        "a whole number of " + unit + " from " + min + ", of 18 digits at most",
        text -> digits(text).filter(value -> value >= min));
  }

  private static Optional<Integer> number(String text, int min, int max) {
    return digits(text).filter(value -> value >= min && value <= max).map(Long::intValue);
  }

  private static Optional<Long> digits(String text) {
    return text.isEmpty() || text.length() > 18 || !text.chars().allMatch(c -> c >= '0' && c <= '9')
        ? Optional.empty()
        : Optional.of(Long.parseLong(text));
  }

  /** Returns the type of a number of bytes, bare or with one of RabbitMQ's units. */
  public static ValueType<Integer> bytes(int min, int max) {
    return new ValueType<>(
        "a size from " + min + " to " + max + " bytes, such as 65536, 64KiB or 128MB",
        text -> size(text, min, max).map(Math::toIntExact));
  }

  /** Returns the type of a number of bytes as large as a heap or a disk. */
  public static ValueType<Long> largeBytes() {
    return new ValueType<>(
        "a size in bytes, at most 2^60, such as 50MB or 4GiB", text -> size(text, 0, LARGEST_SIZE));
  }

  private static Optional<Long> size(String text, long min, long max) {
    Matcher matcher = SIZE.matcher(text.toLowerCase(Locale.ROOT));
    if (!matcher.matches()) {
      return Optional.empty();
    }
    Long unit = UNITS.get(matcher.group(2));
    if (unit == null) {
      return Optional.empty();
    }
    BigInteger size = new BigInteger(matcher.group(1)).multiply(BigInteger.valueOf(unit));
    return size.compareTo(BigInteger.valueOf(min)) < 0
            || size.compareTo(BigInteger.valueOf(max)) > 0
        ? Optional.empty()
        : Optional.of(size.longValueExact());
  }

  /** Returns the type of a number from 0 to {@code max}, with or without a fraction. */
  public static ValueType<Double> fraction(int max) {
    return new ValueType<>(
        "a number from 0 to " + max + ", such as 0.5",
        text ->
            Optional.of(text)
                .filter(FRACTION.asMatchPredicate())
                .map(Double::valueOf)
                .filter(value -> value <= max));
  }

  /** Another type, or a word that says "none of them". */
  public static <T> ValueType<Optional<T>> orWord(String word, ValueType<T> type) {
    return new ValueType<>(
        type.expected() + ", or " + word,
        type.secret(),
        text -> {
          Optional<T> value = text.equals(word) ? Optional.empty() : type.parser().apply(text);
          return value.isPresent() || text.equals(word) ? Optional.of(value) : Optional.empty();
        });
  }

  /** The path of a file or directory, absolute or relative to the working directory. */
  public static ValueType<Path> path() {
    return new ValueType<>(
        "a path",
        text -> {
          try {
            return nonEmpty(text).map(Path::of);
          } catch (InvalidPathException e) {
            return Optional.empty();
          }
        });
  }

  /** Returns the type of a moment, in the form of ISO 8601. */
  public static ValueType<Instant> instant() {
    return new ValueType<>(
        "a moment such as 2026-01-01T00:00:00Z, from 1970 to 2199",
        text -> {
          try {
            Instant moment = Instant.parse(text);
            return moment.isBefore(Instant.EPOCH) || moment.isAfter(SettableClock.LAST)
                ? Optional.empty()
                : Optional.of(moment);
          } catch (DateTimeParseException e) {
            return Optional.empty();
          }
        });
  }

  /** A regular expression over names. */
  public static ValueType<String> regularExpression() {
    return new ValueType<>(
        "a regular expression, of at most %d characters with its repetitions written out"
            .formatted(NamePattern.MAX_COPIES),
        text -> {
          try {
            return Optional.of(NamePattern.of(text).source());
          } catch (IllegalArgumentException e) {
            return Optional.empty();
          }
        });
  }

  /** Returns the type of a cipher suite of TLS by its name, as Java names it. */
  public static ValueType<String> cipherSuite() {
    return new ValueType<>(
        "the name of a cipher suite that Java offers, such as ECDHE-RSA-AES256-GCM-SHA384 or"
            + " TLS_AES_256_GCM_SHA384",
        CipherSuites::named);
  }

  /**
   * Returns the type of a port, or an address and a port: 5672, 127.0.0.1:5672, [::1]:5672,
   * ::1:5672, host:5672.
   */
  public static ValueType<ListenAddress> listenAddress() {
    return new ValueType<>(
        "a port from 0 to 65535 or an address and a port, such as 5672, 127.0.0.1:5672 or"
            + " [::1]:5672",
        ValueTypes::address);
  }

  /** Returns the type of the name of a host, without a port. */
  public static ValueType<String> hostName() {
    return new ValueType<>(
        "a host without a port, such as broker.example.com, in letters, digits and . _ -",
        text -> HOST_NAME.matcher(text).matches() ? Optional.of(text) : Optional.empty());
  }

  /** Returns the type of a node's name: mayfly@host. */
  public static ValueType<String> nodeName() {
    return new ValueType<>(
        "a name and a host, such as mayfly@host, in letters, digits and . _ -",
        text -> NODE_NAME.matcher(text).matches() ? Optional.of(text) : Optional.empty());
  }

  /** Returns the type of a node's name and where other nodes reach it: mayfly@host:25672. */
  public static ValueType<NodeAddress> nodeAddress() {
    return new ValueType<>(
        "a node's name, and a port unless it is 25672, such as mayfly@host or mayfly@host:25672",
        ValueTypes::node);
  }

  private static Optional<NodeAddress> node(String text) {
    int colon = text.indexOf(':');
    String name = colon < 0 ? text : text.substring(0, colon);
    if (!NODE_NAME.matcher(name).matches()) {
      return Optional.empty();
    }
    String host = name.substring(name.indexOf('@') + 1);
    return colon < 0
        ? Optional.of(new NodeAddress(name, host, NodeAddress.DEFAULT_PORT))
        : address(text.substring(colon + 1))
            .filter(at -> at.port() > 0)
            .map(at -> new NodeAddress(name, at.host().isEmpty() ? host : at.host(), at.port()));
  }

  /** Returns the type of an address of a server of HTTP. */
  public static ValueType<URI> httpUrl() {
    return new ValueType<>("a URL such as http://127.0.0.1:4318", ValueTypes::url);
  }

  private static Optional<URI> url(String text) {
    try {
      URI url = new URI(text);
      return ("http".equals(url.getScheme()) || "https".equals(url.getScheme()))
              && url.getHost() != null
              && url.getUserInfo() == null
          ? Optional.of(url)
          : Optional.empty();
    } catch (URISyntaxException e) {
      return Optional.empty();
    }
  }

  private static final Pattern HOST_NAME = Pattern.compile("[A-Za-z0-9._-]{1,253}");
  private static final Pattern NODE_NAME =
      Pattern.compile("[A-Za-z0-9_-]{1,64}@[A-Za-z0-9._-]{1,253}");

  private static Optional<ListenAddress> address(String text) {
    int colon = text.lastIndexOf(':');
    String host = colon < 0 ? "" : text.substring(0, colon);
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    }
    boolean wellFormed =
        colon < 0 || (!host.isEmpty() && host.chars().noneMatch(c -> " []/\t".indexOf(c) >= 0));
    String plainHost = host;
    return wellFormed
        ? number(text.substring(colon + 1), 0, 65_535)
            .map(port -> new ListenAddress(plainHost, port))
        : Optional.empty();
  }

  private static Optional<String> nonEmpty(String text) {
    return text.isEmpty() ? Optional.empty() : Optional.of(text);
  }
}
