package io.mayflymq.server.metrics;

import io.mayflymq.core.runtime.Faults;
import io.mayflymq.server.config.PrometheusSettings;
import io.mayflymq.server.http.BodyLimit;
import io.mayflymq.server.http.BodySource;
import io.mayflymq.server.http.HttpResponse;
import io.mayflymq.server.http.HttpService;
import io.mayflymq.server.http.RequestHead;
import io.mayflymq.server.metrics.Renderings.Lane;
import io.mayflymq.server.metrics.Renderings.RefusedException;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.OpenMetricsTextFormatWriter;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Answers scrapes. */
final class MetricsService implements HttpService {
  private static final Set<String> METHODS = Set.of("GET", "HEAD");

  private static final Pattern MEDIA_RANGE = Pattern.compile("[^\\s/]+/[^\\s/]+");

  /** What a client may ask for to get one of the formats. */
  private static final Set<String> OFFERED =
      Set.of("text/plain", "text/*", "application/openmetrics-text", "application/*", "*/*");

  /** A scrape has no body. */
  private static final BodyLimit NO_BODY = new BodyLimit(0, 1_000);

  /**
   * Metrics that are being read, and those kept for clients, take at most this part of the heap.
   */
  private static final int PART_OF_HEAP = 8;

  private static final ExpositionFormatWriter OPEN_METRICS = OpenMetricsTextFormatWriter.create();
  private static final ExpositionFormatWriter PLAIN = PrometheusTextFormatWriter.create();

  /** What two scrapes have in common that get the same text. */
  private record Kind(Scrape scrape, boolean openMetrics) {
    ExpositionFormatWriter writer() {
      return openMetrics ? OPEN_METRICS : PLAIN;
    }
  }

  private final PrometheusSettings settings;
  private final MetricsAccess access;
  private final ScrapeTelemetry telemetry = new ScrapeTelemetry();
  private final Scraper scraper;
  private final Faults faults;

  private final Renderings<Kind> renderings;

  /**
   * @param worker makes them, in one thread
   * @param faults gets exceptions that are defects
   */
  MetricsService(
      PrometheusSettings settings,
      MetricsAccess access,
      Scraper scraper,
      Executor worker,
      Faults faults) {
    this.settings = settings;
    this.access = access;
    this.scraper = scraper;
    this.faults = faults;
    this.renderings =
        new Renderings<>(
            Draft::new,
            Runtime.getRuntime().maxMemory() / PART_OF_HEAP,
            worker,
            CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS, Runnable::run));
  }

  @Override
  public Admission admit(RequestHead head) {
    return access.admit(head, () -> admitted(head));
  }

  private Admission admitted(RequestHead head) {
    int unacceptable = unacceptable(head.header("accept"));
    if (unacceptable != 0) {
      return new Admission.Refused(HttpResponse.empty(unacceptable, Map.of()));
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
    Kind kind = new Kind(scrape, OPEN_METRICS.accepts(head.header("accept")));
    return new Admission.Awaited(NO_BODY, () -> answer(kind, head.takesGzip()));
  }

  /**
   * Returns the status of the answer to a client that does not want any of the formats; 0 if it
   * does. Source: RabbitMQ 4.3.6, which goes by the types and not by their parameters.
   *
   * @param accept a header; null if there is none
   */
  private static int unacceptable(String accept) {
    if (accept == null || accept.isBlank()) {
      return 0;
    }
    boolean wanted = false;
    for (String range : accept.split(",")) {
      String type = range.split(";")[0].strip().toLowerCase(Locale.ROOT);
      if (!MEDIA_RANGE.matcher(type).matches()) {
        return 400;
      }
      wanted |= OFFERED.contains(type);
    }
    return wanted ? 0 : 406;
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

  private CompletableFuture<HttpResponse> answer(Kind kind, boolean gzip) {
    Lane lane = kind.scrape.endpoint() == Scrape.Endpoint.DETAILED ? Lane.FILTERED : Lane.FIXED;
    return renderings.get(kind, lane, gzip).thenApply(answer -> answer(kind, gzip, answer));
  }

  private HttpResponse answer(Kind kind, boolean gzip, Renderings.Answer answer) {
    String contentType = kind.writer().getContentType();
    telemetry.answered(
        kind.scrape.endpoint(),
        contentType,
        answer.rendering().nanos(),
        answer.rendering().textBytes());
    Map<String, String> headers = new HashMap<>();
    headers.put("content-type", contentType);
    headers.put("vary", "Accept, Accept-Encoding");
    if (gzip) {
      headers.put("content-encoding", "gzip");
    }
    return new HttpResponse(200, headers, answer.body());
  }

  private final class Draft implements Renderings.Draft {
    private final Kind kind;
    private final Scraper.Selection selection;

    Draft(Kind kind) {
      this.kind = kind;
      this.selection = scraper.select(kind.scrape);
    }

    @Override
    public long bytes() {
      return selection.bytes();
    }

    @Override
    public String subject() {
      return selection.size() + " queues and connections";
    }

    @Override
    public BodySource read() throws RefusedException {
      try {
        return new Exposition(
            kind.writer(), Stream.concat(selection.read().all(), telemetry.families()));
      } catch (OpenObjects.UnavailableException e) {
        throw new RefusedException(e.getMessage());
      }
    }
  }

  @Override
  public HttpResponse refusal(int status, String error, String reason) {
    return HttpResponse.text(status, error + ": " + reason);
  }

  @Override
  public HttpResponse failure(RequestHead head, Throwable thrown) {
    Throwable cause = thrown instanceof CompletionException ? thrown.getCause() : thrown;
    if (cause instanceof RefusedException || cause instanceof BodySource.GivenUpException) {
      return HttpResponse.text(503, cause.getMessage());
    }
    faults.report("a scrape of metrics", head, cause);
    return HttpResponse.text(500, "The broker's log tells what happened");
  }
}
