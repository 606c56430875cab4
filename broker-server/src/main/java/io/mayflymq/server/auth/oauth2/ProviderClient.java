package io.mayflymq.server.auth.oauth2;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.nimbusds.jose.jwk.JWKSet;
import io.mayflymq.core.runtime.Causes;
import io.mayflymq.server.auth.http.LimitedBody;
import io.mayflymq.server.config.OAuthSettings.TokenProvider;
import io.mayflymq.server.json.JsonReader;
import io.mayflymq.server.tls.ClientTls;
import io.mayflymq.server.tls.TlsException;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.text.ParseException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;

/**
 * Asks a provider by HTTPS: how it describes itself (OpenID Connect Discovery 1.0, RFC 8414), and
 * for its keys. No thread waits. Redirects are not followed, and no proxy is used. Any thread may
 * call; futures fail with a {@link TokenException} that says why.
 */
final class ProviderClient {
  private static final Duration TIME_LIMIT = Duration.ofSeconds(10);
  private static final Duration CONNECT_TIME_LIMIT = Duration.ofSeconds(5);
  private static final int MOST_BYTES = 512 * 1024;

  /**
   * How a provider describes itself.
   *
   * @param issuer what it says that its tokens have in {@code iss}
   * @param fields all of it
   */
  record Description(String issuer, Map<?, ?> fields) {
    /** Returns one of its URLs; empty if it has none of this name, or one that is no https. */
    Optional<URI> url(String name) {
      return fields.get(name) instanceof String text && text.startsWith("https://")
          ? Optional.of(URI.create(text))
          : Optional.empty();
    }
  }

  /**
   * The keys of a provider.
   *
   * @param keys those that can sign tokens
   * @param issuer as it describes itself; null if it was not asked
   */
  record KeySet(List<VerificationKey> keys, String issuer) {
    KeySet {
      keys = List.copyOf(keys);
    }
  }

  private final TokenProvider provider;
  private final HttpClient client;

  /**
   * @throws TlsException if a certificate or a key cannot be used
   */
  ProviderClient(TokenProvider provider, ExecutorService threads) throws TlsException {
    this.provider = provider;
    this.client =
        HttpClient.newBuilder()
            .followRedirects(HttpClient.Redirect.NEVER)
            .proxy(HttpClient.Builder.NO_PROXY)
            .connectTimeout(CONNECT_TIME_LIMIT)
            .executor(threads)
            .sslContext(ClientTls.context(provider.tls()))
            .sslParameters(
                new SSLParameters(null, provider.tls().versions().toArray(String[]::new)))
            .build();
  }

  /** Asks how it describes itself. */
  CompletableFuture<Description> describe() {
    URI at = provider.discovery().orElseThrow();
    return get(at)
        .thenApply(
            text -> {
              if (object(at, text).get("issuer") instanceof String issuer) {
                return new Description(issuer, object(at, text));
              }
              throw failed("%s has no issuer".formatted(at));
            });
  }

  /** Asks for its keys. */
  CompletableFuture<KeySet> keys() {
    if (provider.discovery().isEmpty()) {
      return keys(provider.keySet().orElseThrow(), null);
    }
    return describe()
        .thenCompose(
            description ->
                keys(
                    provider
                        .keySet()
                        .or(() -> description.url("jwks_uri"))
                        .orElseThrow(
                            () ->
                                failed(
                                    "%s has no jwks_uri of https"
                                        .formatted(provider.discovery().get()))),
                    description.issuer()));
  }

  private CompletableFuture<KeySet> keys(URI at, String issuer) {
    return get(at)
        .thenApply(
            text -> {
              List<VerificationKey> keys = new ArrayList<>();
              try {
                JWKSet.parse(text)
                    .getKeys()
                    .forEach(key -> VerificationKey.of(key).ifPresent(keys::add));
              } catch (ParseException e) {
                throw failed("%s is no set of keys: %s".formatted(at, e.getMessage()));
              }
              if (keys.isEmpty()) {
                throw failed("%s has no key for signatures of tokens".formatted(at));
              }
              return new KeySet(keys, issuer);
            });
  }

  /**
   * Asks for a token.
   *
   * @param form the parameters, which may be secret
   */
  CompletableFuture<String> token(URI at, String form) {
    return send(request(at)
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(BodyPublishers.ofString(form))
            .build())
        .thenApply(
            text -> {
              if (object(at, text).get("access_token") instanceof String token) {
                return token;
              }
              throw failed("%s answered without an access_token".formatted(at));
            });
  }

  private CompletableFuture<String> get(URI at) {
    return send(request(at).build());
  }

  private static HttpRequest.Builder request(URI at) {
    return HttpRequest.newBuilder(at)
        .timeout(TIME_LIMIT)
        .header("Accept", "application/json")
        .header("User-Agent", "MayflyMQ");
  }

  private CompletableFuture<String> send(HttpRequest request) {
    URI at = request.uri();
    return client
        .sendAsync(request, head -> new LimitedBody(MOST_BYTES))
        .handle(
            (response, error) -> {
              if (error != null) {
                throw failed(reason(at, Causes.of(error)));
              }
              if (response.statusCode() != HttpURLConnection.HTTP_OK) {
                throw failed("%s answered with %d".formatted(at, response.statusCode()));
              }
              return new String(response.body(), StandardCharsets.UTF_8);
            });
  }

  private static Map<?, ?> object(URI at, String text) {
    try {
      if (JsonReader.DEFAULT.read(text) instanceof Map<?, ?> fields) {
        return fields;
      }
    } catch (JsonProcessingException e) {
      throw failed("%s is no JSON".formatted(at));
    }
    throw failed("%s is no object of JSON".formatted(at));
  }

  private static String reason(URI at, Throwable error) {
    if (error instanceof ConnectException) {
      return "cannot connect to " + at.getRawAuthority();
    }
    if (error instanceof SSLException) {
      return "no TLS with %s: %s".formatted(at.getRawAuthority(), error.getMessage());
    }
    return "%s: %s".formatted(at, error.getMessage() == null ? error : error.getMessage());
  }

  static CompletionException failed(String reason) {
    return new CompletionException(new TokenException(reason));
  }
}
