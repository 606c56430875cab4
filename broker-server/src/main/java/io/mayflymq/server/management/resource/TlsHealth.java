package io.mayflymq.server.management.resource;

import io.mayflymq.server.config.TlsSettings;
import io.mayflymq.server.json.Json;
import io.mayflymq.server.management.api.ApiException;
import io.mayflymq.server.tls.PemFiles;
import io.mayflymq.server.tls.TlsException;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Checks when the certificates of listeners expire, by the current files. */
record TlsHealth(TlsSettings settings) {
  /** The units of time that can be asked for, as in a path. */
  static final List<String> UNITS = List.of("days", "weeks", "months", "years");

  /** Returns the end of a time that begins now. */
  static Instant end(long count, String unit) {
    return LocalDateTime.now(ZoneOffset.UTC)
        .plus(count, ChronoUnit.valueOf(unit.toUpperCase(Locale.ROOT)))
        .toInstant(ZoneOffset.UTC);
  }

  /**
   * Returns the certificates that are no longer good at a time: the file and when each of them
   * ends. Empty if all are.
   *
   * @throws ApiException 503 if a file cannot be read
   */
  Map<String, Object> expiredAt(Instant time) {
    Map<String, Object> expired = Json.object();
    add(expired, "certfile", settings.certificate(), time);
    add(expired, "cacertfile", settings.authorities(), time);
    return expired;
  }

  /**
   * Returns what the files have.
   *
   * @throws ApiException 503 if a file cannot be read
   */
  List<Map<String, Object>> certificates() {
    List<Map<String, Object>> all = new ArrayList<>();
    add(all, "certfile", settings.certificate());
    add(all, "cacertfile", settings.authorities());
    return all;
  }

  private void add(List<Map<String, Object>> all, String option, Optional<Path> file) {
    if (file.isPresent()) {
      for (X509Certificate certificate : read(option, file.get())) {
        all.add(
            Json.object(
                "option", option,
                "file", file.get().toString(),
                "subject", certificate.getSubjectX500Principal().getName(),
                "issuer", certificate.getIssuerX500Principal().getName(),
                "serial_number", certificate.getSerialNumber().toString(),
                "not_before", certificate.getNotBefore().toInstant().toString(),
                "not_after", certificate.getNotAfter().toInstant().toString()));
      }
    }
  }

  private List<X509Certificate> read(String option, Path file) {
    try {
      return PemFiles.certificates(settings.option(option), file);
    } catch (TlsException e) {
      throw new ApiException(503, "failed", e.getMessage());
    }
  }

  private void add(Map<String, Object> expired, String option, Optional<Path> file, Instant time) {
    if (file.isEmpty()) {
      return;
    }
    List<Instant> ends =
        read(option, file.get()).stream()
            .map(X509Certificate::getNotAfter)
            .map(Date::toInstant)
            .filter(end -> end.isBefore(time))
            .toList();
    if (!ends.isEmpty()) {
      expired.put(option, file.get().toString());
      expired.put(option + "_expires_on", ends.stream().map(Instant::toString).toList());
    }
  }
}
