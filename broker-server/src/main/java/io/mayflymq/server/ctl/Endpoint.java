package io.mayflymq.server.ctl;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.mayflymq.server.config.ConfigException;
import io.mayflymq.server.config.Configuration;
import io.mayflymq.server.config.NodeName;
import io.mayflymq.server.json.JsonReader;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/**
 * The address of the broker and the credentials for it.
 *
 * @param url its scheme, host and port
 * @param authorization the header
 * @param authorities who may have signed its certificate; null for those that Java trusts
 * @param controlFile where this was read, or null if the broker is somewhere else
 * @param pid of the broker's process, or 0 if it is somewhere else
 * @param node the broker's name, or null if it is somewhere else
 */
public record Endpoint(
    String url, String authorization, Path authorities, Path controlFile, long pid, String node) {
  private static final String CONTROL_FILE = "mayfly.control";

  /**
   * Returns the broker that the options mean, or the environment: one at an address, or one on this
   * machine by the control file in its data directory.
   *
   * @throws ControlException if there is none, or it may not be controlled
   */
  public static Endpoint find(Invocation invocation, Map<String, String> environment) {
    String url = given(invocation, GlobalOptions.URL, environment, "MAYFLY_URL");
    if (url != null && invocation.option(GlobalOptions.DATA_DIR) == null) {
      return remote(url, invocation, environment);
    }
    return local(dataDirectory(invocation, environment).resolve(CONTROL_FILE), invocation);
  }

  private static String given(
      Invocation invocation, String option, Map<String, String> environment, String variable) {
    String value = invocation.option(option);
    return value == null ? nonEmpty(environment.get(variable)) : value;
  }

  private static String nonEmpty(String value) {
    return value == null || value.isEmpty() ? null : value;
  }

  private static Endpoint remote(
      String url, Invocation invocation, Map<String, String> environment) {
    URI uri;
    try {
      uri = URI.create(url);
    } catch (IllegalArgumentException e) {
      throw ControlException.usage("--url '%s' is no address: https://host:15671".formatted(url));
    }
    if (uri.getHost() == null || !List.of("http", "https").contains(uri.getScheme())) {
      throw ControlException.usage("--url '%s' is no address: https://host:15671".formatted(url));
    }
    String user = "guest";
    String password = null;
    if (uri.getUserInfo() != null) {
      String[] parts = uri.getUserInfo().split(":", 2);
      user = parts[0];
      password = parts.length == 2 ? parts[1] : null;
    }
    // Of a command that has a --user of its own, that is another user.
    if (!invocation.hasOwn(GlobalOptions.USER)) {
      String given = given(invocation, GlobalOptions.USER, environment, "MAYFLY_USER");
      user = given == null ? user : given;
    }
    String given = given(invocation, GlobalOptions.PASSWORD, environment, "MAYFLY_PASSWORD");
    password = given == null ? password : given;
    if (password == null) {
      throw ControlException.usage(
          "--url needs a password: --password, MAYFLY_PASSWORD, or http://user:password@host");
    }
    String port = uri.getPort() < 0 ? "" : ":" + uri.getPort();
    String authorities =
        given(invocation, GlobalOptions.AUTHORITIES, environment, "MAYFLY_CACERTFILE");
    return new Endpoint(
        uri.getScheme() + "://" + uri.getHost() + port,
        basic(user, password),
        authorities == null ? null : Path.of(authorities),
        null,
        0,
        null);
  }

  /** Returns the header that gives a user and a password. */
  static String basic(String user, String password) {
    return "Basic "
        + Base64.getEncoder()
            .encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
  }

  private static Path dataDirectory(Invocation invocation, Map<String, String> environment) {
    String given = given(invocation, GlobalOptions.DATA_DIR, environment, "MAYFLY_DATA_DIR");
    if (given != null) {
      return Path.of(given);
    }
    try {
      return Configuration.loadEncrypted(environment).settings().dataDir();
    } catch (ConfigException e) {
      throw ControlException.error(Sysexits.CONFIG, e.getMessage());
    }
  }

  private static Endpoint local(Path file, Invocation invocation) {
    try {
      if (JsonReader.DEFAULT.read(Files.readString(file)) instanceof Map<?, ?> control
          && control.get("url") instanceof String url
          && control.get("token") instanceof String token
          && control.get("pid") instanceof Long pid) {
        // A broker of version 0.2.0 or before does not write its name.
        String node = control.get("node") instanceof String name ? name : NodeName.value();
        return new Endpoint(url, "Bearer " + token, null, file, pid, node);
      }
      throw ControlException.error(
          Sysexits.DATA, "%s is not a control file of MayflyMQ".formatted(file.toAbsolutePath()));
    } catch (NoSuchFileException e) {
      throw unreachable(
          invocation,
          "there is no control file %s: no broker runs with this data directory"
              .formatted(file.toAbsolutePath().normalize()));
    } catch (JsonProcessingException e) {
      throw ControlException.error(
          Sysexits.DATA, "%s is not a control file of MayflyMQ".formatted(file.toAbsolutePath()));
    } catch (IOException e) {
      throw ControlException.error(
          Sysexits.UNAVAILABLE,
          "cannot read the control file %s (%s): it belongs to the user that runs the broker"
              .formatted(file.toAbsolutePath().normalize(), e.getClass().getSimpleName()));
    }
  }

  /** Returns what is said of a broker that does not answer. */
  static ControlException unreachable(Invocation invocation, String diagnosis) {
    String named = invocation.option(GlobalOptions.NODE);
    return ControlException.plain(
        Sysexits.UNAVAILABLE,
        """
        Error: unable to perform an operation on node '%s'. Please see diagnostics information \
        and suggestions below.

        Most common reasons for this are:

         * the broker is not running
         * it runs with another data directory: give --data-dir or MAYFLY_DATA_DIR
         * it runs on another machine: give --url, --user and --password

        DIAGNOSTICS
        ===========

        %s\
        """
            .formatted(named == null ? NodeName.value() : named, diagnosis));
  }

  /** Returns whether the broker is on this machine and is controlled through its control file. */
  public boolean local() {
    return controlFile != null;
  }
}
