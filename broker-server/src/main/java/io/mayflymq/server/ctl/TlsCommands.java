package io.mayflymq.server.ctl;

import io.mayflymq.server.config.CipherSuites;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;

/** What TLS a node speaks: versions and cipher suites of this Java, and its certificates. */
final class TlsCommands {
  private static final String FORMAT = "--format";
  private static final String OPENSSL = "openssl";
  private static final String IANA = "iana";

  private TlsCommands() {}

  static List<Command> all() {
    return List.of(
        Command.named("tls_versions", "Lists the versions of TLS that this Java has")
            .shownAs(OutputFormat.STRING)
            .action(TlsCommands::versions),
        Command.named("cipher_suites", "Lists the cipher suites that are enabled by default")
            .option(Option.text("<names>", "openssl, or iana; openssl if not given", FORMAT))
            .option(Option.flag("all that a configuration may list", "--all"))
            .shownAs(OutputFormat.STRING)
            .action(TlsCommands::suites),
        Command.named("certificates", "Shows the certificates of the listeners with TLS")
            .shownAs(OutputFormat.STRING)
            .action(TlsCommands::certificates));
  }

  private static Result versions(Invocation invocation) {
    invocation.banner("Listing all TLS versions supported by the runtime...");
    try {
      List<String> versions =
          Arrays.stream(SSLContext.getDefault().getSupportedSSLParameters().getProtocols())
              .filter(name -> name.startsWith("TLSv"))
              .map(name -> name.toLowerCase(Locale.ROOT))
              .sorted(Collections.reverseOrder())
              .toList();
      return new Result.Value(Map.of("versions", versions), String.join("\n", versions));
    } catch (NoSuchAlgorithmException e) {
      throw ControlException.error(Sysexits.UNAVAILABLE, "this Java has no TLS");
    }
  }

  private static Result suites(Invocation invocation) {
    String given = invocation.option(FORMAT);
    String format = given == null ? OPENSSL : given.toLowerCase(Locale.ROOT);
    if (!List.of(OPENSSL, IANA).contains(format)) {
      throw ControlException.usage(
          "format '%s' is not supported. Please use one of: openssl, iana".formatted(given));
    }
    invocation.banner(
        "Listing available cipher suites in %s format", format.equals(IANA) ? "IANA" : "OpenSSL");
    List<String> suites =
        (invocation.flag("--all") ? CipherSuites.offered() : CipherSuites.byDefault())
            .stream()
                .map(suite -> format.equals(IANA) ? suite : CipherSuites.openSslName(suite))
                .toList();
    return new Result.Value(suites, String.join("\n", suites));
  }

  private static Result certificates(Invocation invocation) {
    invocation.banner("Certificates of node %s ...", invocation.node());
    List<Map<String, Object>> listeners =
        ((List<?>) invocation.api().control("GET", "certificates", null))
            .stream().map(Api::object).toList();
    return new Result.Value(
        listeners,
        listeners.isEmpty()
            ? "No listener has TLS"
            : listeners.stream().map(TlsCommands::listener).collect(Collectors.joining("\n\n")));
  }

  private static String listener(Map<String, Object> listener) {
    return "Interface: %s, port: %s, protocol: %s%s"
        .formatted(
            listener.get("interface"),
            listener.get("port"),
            listener.get("protocol"),
            ((List<?>) listener.get("certificates"))
                .stream()
                    .map(Api::object)
                    .map(TlsCommands::certificate)
                    .collect(Collectors.joining()));
  }

  private static String certificate(Map<String, Object> certificate) {
    return "\n%s: subject %s, issuer %s, serial number %s, good from %s to %s"
        .formatted(
            certificate.get("file"),
            certificate.get("subject"),
            certificate.get("issuer"),
            certificate.get("serial_number"),
            certificate.get("not_before"),
            certificate.get("not_after"));
  }
}
