package io.mayflymq.server.ctl;

import java.util.List;

/** The options that every command has. */
final class GlobalOptions {
  /** The default name of the script. */
  public static final String DEFAULT_SCRIPT = "mayflyctl";

  public static final String NODE = "--node";
  public static final String VHOST = "--vhost";
  public static final String QUIET = "--quiet";
  public static final String SILENT = "--silent";
  public static final String TIMEOUT = "--timeout";
  public static final String FORMATTER = "--formatter";
  public static final String NO_HEADERS = "--no-table-headers";
  public static final String FILE = "--file";
  static final String DATA_DIR = "--data-dir";
  static final String URL = "--url";
  static final String USER = "--user";
  static final String PASSWORD = "--password";
  static final String AUTHORITIES = "--cacertfile";
  public static final String SCRIPT_NAME = "--script-name";
  public static final String HELP = "--help";
  public static final String DRY_RUN = "--dry-run";

  public static final String VERSION = "--version";

  /** What {@code --dry-run} does with commands that do not tell more. */
  public static final Option NO_CHANGE = Option.flag("changes nothing", DRY_RUN);

  public static final List<Option> ALL =
      List.of(
          Option.text(
              "<dir>",
              "the data directory of a broker on this machine; otherwise MAYFLY_DATA_DIR,"
                  + " or what the configuration says",
              DATA_DIR),
          Option.text(
              "<url>",
              "the management API of a broker elsewhere, such as https://host:15671;"
                  + " otherwise MAYFLY_URL",
              URL),
          Option.text("<user>", "the user at --url; otherwise MAYFLY_USER, or guest", USER),
          Option.text("<password>", "the password of --user; otherwise MAYFLY_PASSWORD", PASSWORD),
          Option.text(
              "<path>",
              "who may have signed the certificate at --url, in PEM; otherwise"
                  + " MAYFLY_CACERTFILE, or those that Java trusts",
              AUTHORITIES),
          Option.text("<vhost>", "the virtual host, / if not given", "-p", VHOST),
          Option.number("<seconds>", "how long to wait for an answer, 60 s", "-t", TIMEOUT),
          Option.text(
                  "<format>",
                  "table, pretty_table, json, json_stream, csv, erlang, inspect or string",
                  FORMATTER)
              .suggesting(
                  List.of(
                      "table",
                      "pretty_table",
                      "json",
                      "json_stream",
                      "csv",
                      "erlang",
                      "inspect",
                      "string")),
          Option.flag("shows no banner", "-q", QUIET),
          Option.flag("shows no banner and no column names", "-s", SILENT),
          Option.flag("shows no column names", NO_HEADERS),
          Option.text("<path>", "writes what was found into a file", FILE),
          Option.flag("prints the command's usage", "-?", "-h", HELP),
          Option.text(
              "<node>",
              "the name of the broker, with or without its host; of another one it is an error",
              "-n",
              NODE),
          NO_CHANGE,
          Option.flag("prints the version", VERSION),
          Option.flag("means nothing here", "-l", "--longnames"),
          Option.text("<printer>", "means nothing here", "--printer"),
          Option.text("<cookie>", "means nothing here", "--erlang-cookie"),
          Option.text("<name>", "what this command is called in texts", SCRIPT_NAME));

  /** The options for the address of the broker and the credentials. */
  public static final List<String> ADDRESS =
      List.of(SCRIPT_NAME, DATA_DIR, URL, USER, PASSWORD, AUTHORITIES);

  private GlobalOptions() {}

  /** Returns whether this is one of them whose value is the next argument. */
  public static boolean takesNext(String argument) {
    return ALL.stream()
        .anyMatch(option -> option.label() != null && option.names().contains(argument));
  }
}
