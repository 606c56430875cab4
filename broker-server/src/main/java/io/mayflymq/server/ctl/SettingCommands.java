package io.mayflymq.server.ctl;

import io.mayflymq.server.config.ConfigException;
import io.mayflymq.server.config.Keys;
import io.mayflymq.server.json.Json;
import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Commands that change settings of the running broker, until its next start. */
final class SettingCommands {
  private static final Pattern SIZE =
      Pattern.compile("([0-9]+(?:\\.[0-9]+)?)([kKmMgGtT]?)(i?)[bB]?");
  private static final String UNITS = "kmgt";

  private SettingCommands() {}

  public static List<Command> all() {
    return List.of(
        Command.named("set_vm_memory_high_watermark", "Sets the vm_memory_high_watermark setting")
            .arguments("fraction")
            .optionalArgument("value")
            .noting("<fraction> of the largest heap, or: absolute <value>, such as 2GB.")
            .action(SettingCommands::setMemory),
        Command.named("set_disk_free_limit", "Sets the disk_free_limit setting")
            .arguments("disk_limit")
            .optionalArgument("fraction")
            .noting("<disk_limit> such as 50MB, or: mem_relative <fraction>.")
            .action(SettingCommands::setDisk),
        Command.named("environment", "Displays every key of the configuration and its source")
            .action(SettingCommands::environment),
        Command.named("set_config", "Changes a key of the configuration until the process ends")
            .arguments("key", "value")
            .noting("Only keys that the broker looks at while it runs; others are named if tried.")
            .action(SettingCommands::setConfig),
        Command.named("set_alarm", "Raises an alarm manually, which blocks publishers")
            .arguments("resource")
            .noting("<resource> is memory or disk. The alarm stays until clear_alarm.")
            .action(SettingCommands::setAlarm),
        Command.named("clear_alarm", "Clears an alarm that was raised manually")
            .arguments("resource")
            .action(SettingCommands::clearAlarm));
  }

  private static Result environment(Invocation invocation) {
    List<String> columns = List.of("key", "value", "source");
    invocation.banner("Application environment of node %s ...", invocation.node());
    List<?> settings = (List<?>) invocation.api().control("GET", "environment", null);
    return new Result.Rows(
        columns,
        settings.stream()
            .map(setting -> ControlValues.only(Api.object(setting), columns))
            .collect(Collectors.toList()));
  }

  private static Result setConfig(Invocation invocation) {
    String key = invocation.argument(0);
    String value = invocation.argument(1);
    invocation.banner(
        "Setting %s to %s on node %s ...",
        key,
        Keys.isSecret(key) ? ConfigException.NOT_SHOWN : "\"" + value + "\"",
        invocation.node());
    put(invocation, Api.path("config", key), Json.object("value", value));
    return Result.DONE;
  }

  private static Result setAlarm(Invocation invocation) {
    String resource = invocation.argument(0);
    invocation.banner("Setting the %s alarm on node %s ...", resource, invocation.node());
    put(invocation, Api.path("alarms", resource), null);
    return Result.DONE;
  }

  private static Result clearAlarm(Invocation invocation) {
    String resource = invocation.argument(0);
    invocation.banner("Clearing the %s alarm on node %s ...", resource, invocation.node());
    invocation.api().control("DELETE", Api.path("alarms", resource), null);
    return Result.DONE;
  }

  private static ControlException bad(String more) {
    return ControlException.usage(Sysexits.DATA, "Bad argument" + more);
  }

  private static Result setMemory(Invocation invocation) {
    String given = invocation.argument(0);
    if (given.equals("absolute")) {
      if (invocation.arguments().size() < 2) {
        throw ControlException.usage("not enough arguments.");
      }
      String size = invocation.argument(1);
      long bytes = bytes(size);
      invocation.banner("Setting memory threshold on %s to %s bytes ...", invocation.node(), size);
      put(invocation, "vm-memory-high-watermark", Json.object("absolute", bytes));
      return Result.DONE;
    }
    requireOne(invocation);
    double fraction = fraction(given);
    if (fraction > 1) {
      throw bad(": The threshold should be a fraction between 0.0 and 1.0");
    }
    invocation.banner("Setting memory threshold on %s to %s ...", invocation.node(), fraction);
    put(invocation, "vm-memory-high-watermark", Json.object("relative", fraction));
    return Result.DONE;
  }

  private static Result setDisk(Invocation invocation) {
    String given = invocation.argument(0);
    if (given.equals("mem_relative")) {
      if (invocation.arguments().size() < 2) {
        throw ControlException.usage("not enough arguments.");
      }
      double fraction = fraction(invocation.argument(1));
      invocation.banner(
          "Setting disk free limit on %s to %s times the total RAM ...",
          invocation.node(), fraction);
      put(invocation, "disk-free-limit", Json.object("relative", fraction));
      return Result.DONE;
    }
    requireOne(invocation);
    long bytes = bytes(given);
    invocation.banner("Setting disk free limit on %s to %s bytes ...", invocation.node(), given);
    put(invocation, "disk-free-limit", Json.object("absolute", bytes));
    return Result.DONE;
  }

  private static void requireOne(Invocation invocation) {
    if (invocation.arguments().size() > 1) {
      throw ControlException.usage("too many arguments.");
    }
  }

  private static void put(Invocation invocation, String path, Map<String, Object> body) {
    invocation.api().control("PUT", path, body);
  }

  private static double fraction(String text) {
    if (!text.matches("[0-9]+(\\.[0-9]+)?")) {
      throw bad(".");
    }
    return Double.parseDouble(text);
  }

  /** Parses a size with a unit: k, M, G and T are powers of 1,000, Ki and so on those of 1,024. */
  private static long bytes(String text) {
    Matcher size = SIZE.matcher(text);
    if (!size.matches()) {
      throw bad(".");
    }
    int power =
        size.group(2).isEmpty() ? 0 : UNITS.indexOf(size.group(2).toLowerCase(Locale.ROOT)) + 1;
    BigDecimal unit = BigDecimal.valueOf(size.group(3).isEmpty() ? 1000 : 1024).pow(power);
    try {
      return new BigDecimal(size.group(1)).multiply(unit).toBigInteger().longValueExact();
    } catch (ArithmeticException e) {
      throw bad(": %s is more than 2^63 - 1 bytes".formatted(text));
    }
  }
}
