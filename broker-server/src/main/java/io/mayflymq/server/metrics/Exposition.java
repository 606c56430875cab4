package io.mayflymq.server.metrics;

import io.mayflymq.server.http.BodySource;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.OpenMetricsTextFormatWriter;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.stream.Stream;

/**
 * Writes families one slice at a time. The library writes whole expositions only, so each slice is
 * written as one, and what an exposition has only once is removed: the lines about the family from
 * all slices but the first, and the end mark of OpenMetrics.
 */
final class Exposition implements BodySource {
  private static final byte[] END = "# EOF\n".getBytes(StandardCharsets.US_ASCII);

  private final ExpositionFormatWriter writer;
  private final boolean openMetrics;
  private final Iterator<MetricFamily> families;
  private final ByteArrayOutputStream slice = new ByteArrayOutputStream();
  private Iterator<MetricSnapshot> slices = Collections.emptyIterator();
  private boolean described;
  private boolean endMark;

  /**
   * @param writer the format
   */
  public Exposition(ExpositionFormatWriter writer, Stream<MetricFamily> families) {
    this.writer = writer;
    this.openMetrics = writer.getContentType().startsWith(OpenMetricsTextFormatWriter.CONTENT_TYPE);
    this.families = families.iterator();
  }

  @Override
  public boolean appendTo(ByteArrayOutputStream out) throws IOException {
    while (!slices.hasNext() && families.hasNext()) {
      slices = families.next().slices().iterator();
      described = false;
    }
    if (slices.hasNext()) {
      append(slices.next(), out);
      return true;
    }
    if (endMark) {
      out.writeBytes(END);
    }
    return false;
  }

  private void append(MetricSnapshot snapshot, ByteArrayOutputStream out) throws IOException {
    slice.reset();
    writer.write(slice, MetricSnapshots.of(snapshot));
    byte[] text = slice.toByteArray();
    if (snapshot instanceof HistogramSnapshot) {
      String histogram = new String(text, StandardCharsets.UTF_8);
      text =
          (openMetrics ? BucketBounds.rewrite(histogram) : TextFormat.rewriteBounds(histogram))
              .getBytes(StandardCharsets.UTF_8);
    }
    int end = text.length;
    if (endsWithMark(text)) {
      endMark = true;
      end -= END.length;
    }
    int start = described ? lengthOfDescription(text, end) : 0;
    described |= end > start;
    if (openMetrics || TextFormat.hasFractions(snapshot.getMetadata().getPrometheusName())) {
      out.write(text, start, end - start);
    } else {
      TextFormat.append(text, start, end, out);
    }
  }

  private static boolean endsWithMark(byte[] text) {
    int start = text.length - END.length;
    return start >= 0 && Arrays.equals(text, start, text.length, END, 0, END.length);
  }

  private static int lengthOfDescription(byte[] text, int end) {
    int start = 0;
    while (start < end && text[start] == '#') {
      while (text[start++] != '\n') {
        // to the end of the line
      }
    }
    return start;
  }
}
