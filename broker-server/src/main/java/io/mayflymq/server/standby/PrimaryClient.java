package io.mayflymq.server.standby;

import io.mayflymq.core.codec.ByteFormatException;
import io.mayflymq.server.config.StandbySettings;
import io.mayflymq.server.json.JsonReader;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;

/** A node of the primary, as its management API shows it. It is only read. */
final class PrimaryClient {
  /** For so long a node may be silent. */
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final HttpClient http;
  private final String address;
  private final String base;
  private final String authorization;

  /**
   * Prepares it; nothing is asked yet.
   *
   * @param primary with user and password
   */
  PrimaryClient(HttpClient http, URI primary) {
    this.http = http;
    this.address = StandbySettings.shown(primary);
    String path = primary.getRawPath() == null ? "" : primary.getRawPath().replaceFirst("/+$", "");
    this.base = address + path + "/api/";
    String login =
        URLDecoder.decode(primary.getRawUserInfo().replace("+", "%2B"), StandardCharsets.UTF_8);
    this.authorization =
        "Basic " + Base64.getEncoder().encodeToString(login.getBytes(StandardCharsets.UTF_8));
  }

  /** Returns its address without the login. */
  @Override
  public String toString() {
    return address;
  }

  /** Returns the state of its queues. */
  PrimaryState state() throws PrimaryException, InterruptedException {
    byte[] body = get("standby/queues", null).body();
    try {
      return PrimaryState.read(body);
    } catch (ByteFormatException e) {
      throw unreadable(e);
    }
  }

  private PrimaryException unreadable(ByteFormatException e) {
    return new PrimaryException(
        "%s gives what cannot be read: %s".formatted(address, e.getMessage()), true);
  }

  /**
   * Returns messages of a queue; nothing if it has none, or is not on this node any more.
   * Parameters as in {@link QueueReading.Wanted}.
   */
  Optional<QueueSlice> slice(QueueKey key, QueueReading.Wanted wanted)
      throws PrimaryException, InterruptedException {
    String path =
        "standby/queues/%s/%s?part=%d&after=%d&bytes=%d&present=%s"
            .formatted(
                encoded(key.vhost()),
                encoded(key.queue()),
                key.partNumber(),
                wanted.after(),
                wanted.bytes(),
                wanted.present());
    if (wanted.sinceMillis() != Long.MAX_VALUE) {
      path += "&since=" + wanted.sinceMillis();
    }
    HttpResponse<byte[]> answer = get(path, null);
    if (answer.statusCode() == 204) {
      return Optional.empty();
    }
    try {
      return Optional.of(QueueSlice.read(answer.body()));
    } catch (ByteFormatException e) {
      throw unreadable(e);
    }
  }

  private static String encoded(String name) {
    return URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
  }

  /**
   * Definitions.
   *
   * @param json as they were sent
   * @param tag what tells them from others
   */
  @SuppressWarnings("ArrayRecordComponent") // written once, and never compared
  record Exported(byte[] json, String tag) {}

  /**
   * Returns its definitions; nothing if they are those of the tag.
   *
   * @param tag empty for none
   */
  Optional<Exported> definitions(String tag) throws PrimaryException, InterruptedException {
    HttpResponse<byte[]> answer = get("definitions", tag.isEmpty() ? null : tag);
    return answer.statusCode() == 304
        ? Optional.empty()
        : Optional.of(new Exported(answer.body(), answer.headers().firstValue("etag").orElse("")));
  }

  private HttpResponse<byte[]> get(String path, String tag)
      throws PrimaryException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(base + path))
            .timeout(PATIENCE)
            .header("Authorization", authorization)
            .header("User-Agent", "MayflyMQ standby");
    if (tag != null) {
      request.header("If-None-Match", tag);
    }
    HttpResponse<byte[]> answer;
    try {
      answer = http.send(request.build(), BodyHandlers.ofByteArray());
    } catch (IOException e) {
      throw new PrimaryException(reason(e), false);
    }
    int status = answer.statusCode();
    if (status == 200 || status == 204 || status == 304) {
      return answer;
    }
    throw new PrimaryException(
        "%s answers GET /api/%s with %d%s%s"
            .formatted(address, path.replaceAll("\\?.*", ""), status, detail(answer), hint(status)),
        true);
  }

  private String reason(IOException e) {
    if (e instanceof ConnectException || e.getCause() instanceof UnresolvedAddressException) {
      return "cannot connect to " + address;
    }
    if (e instanceof HttpTimeoutException) {
      return "%s does not answer within %d s".formatted(address, PATIENCE.toSeconds());
    }
    return "the connection to %s fails: %s"
        .formatted(address, e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage());
  }

  private static String detail(HttpResponse<byte[]> answer) {
    try {
      return JsonReader.DEFAULT.read(new String(answer.body(), StandardCharsets.UTF_8))
                  instanceof Map<?, ?> error
              && error.get("reason") instanceof String reason
          ? ": " + reason
          : "";
    } catch (IOException e) {
      return "";
    }
  }

  private static String hint(int status) {
    return switch (status) {
      case 401 -> ". Its user needs the tag administrator, and the right password";
      case 404 -> ". It needs to be a MayflyMQ of this version or a later one";
      default -> "";
    };
  }
}
