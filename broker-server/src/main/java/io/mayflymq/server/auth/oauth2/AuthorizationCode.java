package io.mayflymq.server.auth.oauth2;

import io.mayflymq.server.config.OAuthSettings.TokenProvider;
import io.mayflymq.server.config.PageLoginSettings;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/**
 * How users of a browser log in: they go to the provider's page and come back with a code, for
 * which the broker gets their token (RFC 6749, section 4.1). A code is of no use to others, as only
 * the broker knows the verifier that it was asked for with (PKCE, RFC 7636). Any thread may call;
 * futures fail with an exception whose message says why, without anything secret.
 */
public final class AuthorizationCode {
  private final TokenProvider provider;
  private final ProviderClient client;
  private final PageLoginSettings settings;

  AuthorizationCode(TokenProvider provider, ProviderClient client, PageLoginSettings settings) {
    this.provider = provider;
    this.client = client;
    this.settings = settings;
  }

  /**
   * Returns the page of the provider.
   *
   * @param state what comes back with the code
   * @param verifier a secret, 43 to 128 letters and digits
   * @param redirect where the code is to go; the provider knows that URL
   */
  public CompletableFuture<URI> page(String state, String verifier, URI redirect) {
    Map<String, String> parameters = new LinkedHashMap<>();
    parameters.put("response_type", "code");
    parameters.put("client_id", settings.clientId().orElseThrow());
    parameters.put("redirect_uri", redirect.toString());
    parameters.put("scope", settings.scopes());
    parameters.put("state", state);
    parameters.put("code_challenge", challenge(verifier));
    parameters.put("code_challenge_method", "S256");
    parameters.putAll(settings.authorizationParameters());
    return endpoint(provider.authorizationEndpoint(), "authorization_endpoint")
        .thenApply(
            at -> URI.create(at + (at.getRawQuery() == null ? "?" : "&") + form(parameters)));
  }

  /**
   * Gets the token of a user who has come back.
   *
   * @param verifier that of {@link #page}
   * @param redirect that of {@link #page}
   */
  public CompletableFuture<String> token(String code, String verifier, URI redirect) {
    Map<String, String> parameters = new LinkedHashMap<>();
    parameters.put("grant_type", "authorization_code");
    parameters.put("client_id", settings.clientId().orElseThrow());
    parameters.put("code", code);
    parameters.put("redirect_uri", redirect.toString());
    parameters.put("code_verifier", verifier);
    settings.clientSecret().ifPresent(secret -> parameters.put("client_secret", secret));
    parameters.putAll(settings.tokenParameters());
    return endpoint(provider.tokenEndpoint(), "token_endpoint")
        .thenCompose(at -> client.token(at, form(parameters)));
  }

  private CompletableFuture<URI> endpoint(Optional<URI> configured, String name) {
    return configured
        .map(CompletableFuture::completedFuture)
        .orElseGet(
            () ->
                client
                    .describe()
                    .thenApply(
                        description ->
                            description
                                .url(name)
                                .orElseThrow(
                                    () ->
                                        ProviderClient.failed(
                                            "%s has no %s of https"
                                                .formatted(
                                                    provider.discovery().orElseThrow(), name)))));
  }

  private static String challenge(String verifier) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(verifier.getBytes(StandardCharsets.US_ASCII));
      return Base64.getUrlEncoder().withoutPadding().encodeToString(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every Java has SHA-256
    }
  }

  private static String form(Map<String, String> parameters) {
    return parameters.entrySet().stream()
        .map(
            each ->
                URLEncoder.encode(each.getKey(), StandardCharsets.UTF_8)
                    + "="
                    + URLEncoder.encode(each.getValue(), StandardCharsets.UTF_8))
        .collect(Collectors.joining("&"));
  }
}
