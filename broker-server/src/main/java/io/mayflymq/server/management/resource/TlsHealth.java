package io.mayflymq.server.management.resource;

import io.mayflymq.server.config.settings.TlsSettings;
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

  private void add(Map<String, Object> expired, String option, Optional<Path> file, Instant time) {
    if (file.isEmpty()) {
      return;
    }
    List<Instant> ends;
    try {
      ends =
          PemFiles.certificates(settings.option(option), file.get()).stream()
              .map(X509Certificate::getNotAfter)
              .map(Date::toInstant)
              .filter(end -> end.isBefore(time))
              .toList();
    } catch (TlsException e) {
      throw new ApiException(503, "failed", e.getMessage());
    }
    if (!ends.isEmpty()) {
      expired.put(option, file.get().toString());
      expired.put(option + "_expires_on", ends.stream().map(Instant::toString).toList());
    }
  }
}
