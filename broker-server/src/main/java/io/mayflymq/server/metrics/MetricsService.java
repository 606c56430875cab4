package io.mayflymq.server.metrics;

import io.mayflymq.core.fault.Faults;
import io.mayflymq.server.config.settings.PrometheusSettings;
import io.mayflymq.server.http.BodyLimit;
import io.mayflymq.server.http.HttpResponse;
import io.mayflymq.server.http.HttpService;
import io.mayflymq.server.http.RequestHead;
import io.mayflymq.server.metrics.family.Exposition;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.OpenMetricsTextFormatWriter;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** Answers scrapes. */
final class MetricsService implements HttpService {
  private static final Set<String> METHODS = Set.of("GET", "HEAD");

  /** A scrape has no body. */
  private static final BodyLimit NO_BODY = new BodyLimit(0, 1_000);

  private final PrometheusSettings settings;
  private final MetricsAccess access;
  private final ScrapeTelemetry telemetry = new ScrapeTelemetry();
  private final Scraper scraper;
  private final Faults faults;

  /**
   * @param faults gets exceptions that are defects
   */
  MetricsService(
      PrometheusSettings settings, MetricsAccess access, Scraper scraper, Faults faults) {
    this.settings = settings;
    this.access = access;
    this.scraper = scraper;
    this.faults = faults;
  }

  @Override
  public Admission admit(RequestHead head) {
    Admission.Refused refused = access.refuse(head);
    if (refused != null) {
      return refused;
    }
    Scrape scrape;
    try {
      scrape = scrape(head);
    } catch (IllegalArgumentException e) {
      return new Admission.Refused(HttpResponse.text(400, e.getMessage()));
    }
    if (scrape == null) {
      return new Admission.Refused(HttpResponse.text(404, "Unknown Registry"));
    }
    if (!METHODS.contains(head.method())) {
      return new Admission.Refused(HttpResponse.empty(405, Map.of("allow", "GET, HEAD")));
    }
    return new Admission.Accepted(NO_BODY, body -> answer(scrape, writer(head.header("accept"))));
  }

  /** Returns what a request asks for; null if there is no such path. */
  private Scrape scrape(RequestHead head) {
    String path = head.path();
    if (!path.startsWith(settings.path())) {
      return null;
    }
    return switch (path.substring(settings.path().length())) {
      case "", "/" ->
          Scrape.of(settings.perObject() ? Scrape.Endpoint.PER_OBJECT : Scrape.Endpoint.AGGREGATED);
      case "/per-object" -> Scrape.of(Scrape.Endpoint.PER_OBJECT);
      case "/memory-breakdown" -> Scrape.of(Scrape.Endpoint.MEMORY_BREAKDOWN);
      case "/detailed" -> Scrape.detailed(head.query());
      default -> null;
    };
  }

  private static ExpositionFormatWriter writer(String accept) {
    ExpositionFormatWriter openMetrics = OpenMetricsTextFormatWriter.create();
    return openMetrics.accepts(accept) ? openMetrics : PrometheusTextFormatWriter.create();
  }

  private HttpResponse answer(Scrape scrape, ExpositionFormatWriter writer) {
    try {
      long began = System.nanoTime();
      ScrapedFamilies families = scraper.read(scrape);
      String contentType = writer.getContentType();
      Exposition body =
          new Exposition(
              writer, Stream.concat(families.all(), telemetry.families()), families.held());
      return new HttpResponse(
          200,
          Map.of("content-type", contentType),
          telemetry.measured(scrape.endpoint(), contentType, System.nanoTime() - began, body));
    } catch (OpenObjects.UnavailableException e) {
      return HttpResponse.text(503, e.getMessage());
    }
  }

  @Override
  public HttpResponse refusal(int status, String error, String reason) {
    return HttpResponse.text(status, error + ": " + reason);
  }

  @Override
  public HttpResponse failure(RequestHead head, Throwable thrown) {
    faults.contained("a scrape of metrics", head, thrown);
    return HttpResponse.text(500, "The broker's log tells what happened");
  }
}
