package io.mayflymq.server.boot;

import io.mayflymq.server.config.BuildInfo;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.IntSupplier;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/**
 * The arguments of the daemon's jar, and what each command does.
 *
 * <p>The commands are defined with picocli's programmatic model, not its annotations: reading
 * annotations would take a good part of the start-up time.
 */
final class CommandLineInterface {
  private static final String CONTROL = "ctl";
  private static final String TRAIN = "train";
  private static final String CLOCK = "--clock";

  private final Commands commands;
  private final PrintWriter out;
  private final PrintWriter err;

  /**
   * What the commands do; each returns the exit code.
   *
   * @param server runs the broker until it is told to stop
   * @param checkData reports on a data directory
   * @param train runs a load on a temporary broker
   * @param control runs the control command with the arguments behind {@code ctl}
   */
  public record Commands(
      ToIntFunction<ServerOptions> server,
      ToIntFunction<CheckOptions> checkData,
      IntSupplier train,
      ToIntFunction<List<String>> control) {}

  /**
   * @param out for what was asked for
   * @param err for one-line errors
   */
  public CommandLineInterface(Commands commands, PrintWriter out, PrintWriter err) {
    this.commands = commands;
    this.out = out;
    this.err = err;
  }

  /** Does what the arguments say and returns the exit code of the process. */
  public int execute(String... args) {
    // Its arguments are its own, and it must be quick: nothing else is built for it.
    if (args.length > 0 && args[0].equals(CONTROL)) {
      return commands.control().applyAsInt(List.of(args).subList(1, args.length));
    }
    return PlainArguments.parse(args)
        .map(commands.server()::applyAsInt)
        .orElseGet(() -> parse(args));
  }

  private int parse(String... args) {
    return new CommandLine(spec())
        .setOut(out)
        .setErr(err)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setExecutionStrategy(this::run)
        .setParameterExceptionHandler(this::refuse)
        .execute(args);
  }

  /** Returns the commands with their options, for the manual too. */
  public static CommandSpec spec() {
    CommandSpec root =
        withServerOptions("mayfly", "Runs the MayflyMQ broker.")
            .version(BuildInfo.PRODUCT + " " + BuildInfo.version())
            .addOption(
                OptionSpec.builder("--version")
                    .versionHelp(true)
                    .type(boolean.class)
                    .description("Prints the version and exits.")
                    .build());
    root.addSubcommand(
        "server", withServerOptions("server", "Runs the broker; the same as no command at all."));
    root.addSubcommand("check-data", checkData());
    root.addSubcommand(
        TRAIN,
        described(
            TRAIN,
            "Runs a load of some seconds on a broker of its own with temporary data, which Java observes;",
            "bin/mayfly train makes an archive of classes or an ahead-of-time cache of it."));
    root.addSubcommand(
        CONTROL, described(CONTROL, "Controls a running broker; bin/mayflyctl calls it."));
    return root;
  }

  private static CommandSpec withServerOptions(String name, String description) {
    CommandSpec command =
        described(name, description)
            .addOption(
                OptionSpec.builder("--config")
                    .paramLabel("FILE")
                    .type(Path.class)
                    .description("Reads this configuration file, in the format of rabbitmq.conf.")
                    .build())
            .addOption(
                OptionSpec.builder("--set")
                    .paramLabel("KEY=VALUE")
                    .arity("1")
                    .type(List.class)
                    .auxiliaryTypes(String.class)
                    .description("Sets a key, over the environment and the file; repeatable.")
                    .build())
            .addOption(
                OptionSpec.builder(CLOCK)
                    .paramLabel("CLOCK")
                    .type(String.class)
                    .description(
                        "The same as --set clock=CLOCK: real, or manual for a broker whose clock",
                        "stands until mayflyctl advance_clock moves it, for tests.")
                    .build())
            .addOption(
                OptionSpec.builder("--accept-loss")
                    .description(
                        "Starts although files of the data directory are missing or damaged, and",
                        "goes on without what they held. See first what that is: check-data.")
                    .build());
    command
        .usageMessage()
        .footer(
            "",
            "Exit codes: 0 stopped in order, 1 could not start or stop, 3 out of memory,",
            "64 wrong arguments, 65 the data directory is damaged or not complete,",
            "70 a fault that ends the broker, 78 wrong configuration.");
    return command;
  }

  private static CommandSpec described(String name, String... description) {
    return CommandSpec.create()
        .name(name)
        .usageMessage(new UsageMessageSpec().description(description))
        .addOption(
            OptionSpec.builder("-h", "--help")
                .usageHelp(true)
                .type(boolean.class)
                .description("Prints this and exits.")
                .build());
  }

  private static CommandSpec checkData() {
    CommandSpec command =
        described(
            "check-data",
            "Lists what a data directory holds and what is damaged, and changes nothing.");
    command
        .usageMessage()
        .footer(
            "",
            "Exit codes: 0 nothing is damaged, 65 something is, 64 wrong arguments,",
            "66 there is no data directory, or it cannot be read.");
    return command
        .addOption(
            OptionSpec.builder("--formatter")
                .paramLabel("FORMAT")
                .type(CheckOptions.Formatter.class)
                .defaultValue("table")
                .description("How to print it: table (the default) or json.")
                .build())
        .addPositional(
            PositionalParamSpec.builder()
                .paramLabel("DIR")
                .index("0")
                .required(true)
                .arity("1")
                .type(Path.class)
                .description("The data directory (data_dir) of a broker.")
                .build());
  }

  private int run(ParseResult parsed) {
    Integer help = CommandLine.executeHelpRequest(parsed);
    if (help != null) {
      return help;
    }
    ParseResult command = parsed.hasSubcommand() ? parsed.subcommand() : parsed;
    if (command.commandSpec().name().equals("check-data")) {
      return commands
          .checkData()
          .applyAsInt(
              new CheckOptions(
                  command.matchedPositionalValue(0, null),
                  command.matchedOptionValue("--formatter", CheckOptions.Formatter.TABLE)));
    }
    if (command.commandSpec().name().equals(TRAIN)) {
      return commands.train().getAsInt();
    }
    // Options may stand before the word "server" too; those after it are the stronger ones.
    Path config = command.matchedOptionValue("--config", null);
    List<String> sets = command.matchedOptionValue("--set", List.of());
    String clock = command.matchedOptionValue(CLOCK, parsed.matchedOptionValue(CLOCK, null));
    boolean acceptsLoss =
        command.hasMatchedOption("--accept-loss") || parsed.hasMatchedOption("--accept-loss");
    if (command != parsed) {
      config = config == null ? parsed.matchedOptionValue("--config", null) : config;
      List<String> before = parsed.matchedOptionValue("--set", List.of());
      sets = Stream.concat(before.stream(), sets.stream()).toList();
    }
    if (clock != null) {
      sets = Stream.concat(Stream.of("clock=" + clock), sets.stream()).toList();
    }
    return commands
        .server()
        .applyAsInt(new ServerOptions(Optional.ofNullable(config), sets, acceptsLoss));
  }

  private int refuse(ParameterException e, String[] args) {
    String reason = e.getMessage().lines().findFirst().orElse("bad arguments");
    err.println("mayfly: " + reason + " (--help lists what there is)");
    return ExitCode.USAGE;
  }
}
