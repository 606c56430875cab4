package io.mayflymq.it.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;

/**
 * The metrics of one response.
 *
 * @param lines all lines of the response
 */
record ScrapedText(int status, String contentType, List<String> lines) {
  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  static ScrapedText of(int port, String path, String accept)
      throws IOException, InterruptedException {
    return send("GET", port, path, accept);
  }

  static ScrapedText send(String method, int port, String path, String accept)
      throws IOException, InterruptedException {
    HttpResponse<String> response =
        CLIENT.send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .method(method, HttpRequest.BodyPublishers.noBody())
                .header("Accept", accept)
                .build(),
            HttpResponse.BodyHandlers.ofString());
    return new ScrapedText(
        response.statusCode(),
        response.headers().firstValue("content-type").orElse(""),
        response.body().lines().toList());
  }

  /** Returns the value of the sample with exactly this name and these labels. */
  double value(String sample) {
    List<String> found = lines.stream().filter(line -> line.startsWith(sample + " ")).toList();
    assertThat(found).as(sample).hasSize(1);
    return Double.parseDouble(found.get(0).substring(sample.length() + 1));
  }

  /**
   * Returns the values of the samples of a metric that have these labels, and perhaps others.
   *
   * @param labels an empty value stands for a label that is absent
   */
  List<Double> values(String name, Map<String, String> labels) {
    return lines.stream()
        .filter(line -> line.startsWith(name + " ") || line.startsWith(name + "{"))
        .filter(
            line ->
                labels.entrySet().stream()
                    .allMatch(
                        label ->
                            label.getValue().isEmpty()
                                ? !line.contains(label.getKey() + "=")
                                : line.contains(label.getKey() + "=\"" + label.getValue() + "\"")))
        .map(line -> Double.valueOf(line.substring(line.lastIndexOf(' ') + 1)))
        .toList();
  }

  /** Returns the samples of a metric, with their labels and without their values. */
  List<String> samples(String name) {
    return lines.stream()
        .filter(line -> line.startsWith(name + " ") || line.startsWith(name + "{"))
        .map(line -> line.substring(0, line.lastIndexOf(' ')))
        .toList();
  }

  /** Returns the type of a metric. */
  String type(String name) {
    String start = "# TYPE " + name + " ";
    List<String> found = lines.stream().filter(line -> line.startsWith(start)).toList();
    assertThat(found).as(start).hasSize(1);
    return found.get(0).substring(start.length());
  }
}
