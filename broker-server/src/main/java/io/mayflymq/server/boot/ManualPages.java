package io.mayflymq.server.boot;

import io.mayflymq.server.config.BuildInfo;
import io.mayflymq.server.config.Key;
import io.mayflymq.server.config.Keys;
import io.mayflymq.server.ctl.ControlManual;
import io.mayflymq.server.ctl.ControlManual.Entry;
import io.mayflymq.server.ctl.ControlManual.Term;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** The pages of the manual. */
final class ManualPages {
  private static final String PRODUCT = BuildInfo.PRODUCT + " " + BuildInfo.version();

  /** A variable in the comment at the beginning of a start script. */
  private static final Pattern VARIABLE = Pattern.compile("#   ([A-Z][A-Z_, ]*[A-Z]) {2,}(.*)");

  private ManualPages() {}

  /**
   * Returns the page of the broker's command.
   *
   * @param script the content of its start script, whose comment lists the environment variables
   */
  static String ofBroker(String script) {
    CommandSpec spec = CommandLineInterface.spec();
    Roff page = new Roff("mayfly", 1, PRODUCT);
    page.section("NAME").paragraph("mayfly - " + beginningSmall(description(spec)));
    page.section("SYNOPSIS").paragraph(synopsis(spec));
    spec.subcommands()
        .values()
        .forEach(sub -> page.paragraph("mayfly " + synopsis(sub.getCommandSpec())));
    page.section("OPTIONS");
    options(page, spec);
    page.section("COMMANDS");
    spec.subcommands()
        .values()
        .forEach(
            sub -> {
              CommandSpec command = sub.getCommandSpec();
              page.subsection(synopsis(command)).paragraph(description(command));
              options(page, command);
              page.paragraph(footer(command));
            });
    page.section("EXIT STATUS").paragraph(footer(spec));
    return seeAlso(environment(page, script), "mayflyctl(1), mayflymq.conf(5)");
  }

  /** Returns the page of the control command. */
  static String ofControl(String script) {
    String name = ControlManual.SCRIPT;
    Roff page = new Roff(name, 1, PRODUCT);
    page.section("NAME").paragraph(name + " - controls a running MayflyMQ broker");
    page.section("SYNOPSIS").paragraph(name + " [<options>] <command> [<arguments>]");
    page.section("OPTIONS");
    ControlManual.generalOptions().forEach(option -> term(page, option));
    page.section("COMMANDS");
    ControlManual.commands()
        .forEach(
            (title, commands) -> {
              page.subsection(title);
              for (Entry command : commands) {
                page.term(command.synopsis(), command.description());
                command.note().ifPresent(page::more);
                command.terms().forEach(term -> page.more(term.name() + ": " + term.meaning()));
              }
            });
    return seeAlso(environment(page, script), "mayfly(1), mayflymq.conf(5)");
  }

  /** Returns the page of the configuration file. */
  static String ofConfiguration() {
    Roff page = new Roff("mayflymq.conf", 5, PRODUCT);
    page.section("NAME").paragraph("mayflymq.conf - the configuration of MayflyMQ");
    page.section("DESCRIPTION")
        .paragraph(
            "Each line is key = value, and # begins a comment. The keys are those of rabbitmq.conf where they mean the"
                + " same. Files conf.d/*.conf beside this file are read after it; a later value replaces an earlier"
                + " one.");
    page.section("KEYS");
    Map<String, Key<?>> sorted =
        Keys.ALL.stream()
            .collect(Collectors.toMap(Key::name, key -> key, (a, b) -> a, TreeMap::new));
    sorted
        .values()
        .forEach(
            key -> {
              page.term(key.name(), key.plainDoc());
              String defaults =
                  key.defaults().entrySet().stream()
                      .map(
                          entry ->
                              entry.getKey().equals(key.name())
                                  ? entry.getValue()
                                  : entry.getKey() + " = " + entry.getValue())
                      .sorted()
                      .collect(Collectors.joining(", "));
              page.more(
                  "Value: "
                      + key.type().expected()
                      + (defaults.isEmpty() ? "" : ". Default: " + defaults));
            });
    return seeAlso(page, "mayfly(1), mayflyctl(1)");
  }

  private static Roff environment(Roff page, String script) {
    page.section("ENVIRONMENT");
    script
        .lines()
        .map(VARIABLE::matcher)
        .filter(Matcher::matches)
        .forEach(line -> page.term(line.group(1), line.group(2)));
    return page;
  }

  private static String seeAlso(Roff page, String pages) {
    page.section("SEE ALSO").paragraph(pages);
    return page.toString();
  }

  private static void term(Roff page, Term term) {
    page.term(term.name(), term.meaning());
  }

  private static void options(Roff page, CommandSpec spec) {
    for (OptionSpec option : spec.options()) {
      page.term(
          String.join(", ", option.names()) + label(option),
          String.join(" ", option.description()));
    }
    for (PositionalParamSpec parameter : spec.positionalParameters()) {
      page.term(parameter.paramLabel(), String.join(" ", parameter.description()));
    }
  }

  private static String label(OptionSpec option) {
    return option.arity().max() == 0 ? "" : " " + option.paramLabel();
  }

  private static String synopsis(CommandSpec spec) {
    String options =
        spec.options().stream()
            .map(option -> " [" + option.longestName() + label(option) + "]")
            .collect(Collectors.joining());
    String parameters =
        spec.positionalParameters().stream()
            .map(parameter -> " " + parameter.paramLabel())
            .collect(Collectors.joining());
    return spec.name() + options + parameters;
  }

  private static String description(CommandSpec spec) {
    return String.join(" ", List.of(spec.usageMessage().description()));
  }

  private static String footer(CommandSpec spec) {
    return String.join(" ", List.of(spec.usageMessage().footer())).strip();
  }

  private static String beginningSmall(String sentence) {
    return Character.toLowerCase(sentence.charAt(0)) + sentence.substring(1).replaceAll("\\.$", "");
  }
}
