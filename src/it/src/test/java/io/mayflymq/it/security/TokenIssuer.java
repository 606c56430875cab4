package io.mayflymq.it.security;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.interfaces.RSAPublicKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;

/**
 * A provider of tokens: it describes itself and publishes its keys by HTTPS, and signs tokens with
 * RS256, all without the library that the broker reads them with. Thread-safe.
 */
final class TokenIssuer implements AutoCloseable {
  /** A key by which tokens are signed. */
  record SigningKey(String id, KeyPair pair) {}

  private static final ObjectMapper JSON = new ObjectMapper();

  private final HttpsServer server;
  private final AtomicInteger fetches = new AtomicInteger();
  private volatile List<SigningKey> published = new ArrayList<>();
  private volatile SigningKey key;

  TokenIssuer(SSLContext tls) throws IOException, GeneralSecurityException {
    this(tls, 0);
  }

  TokenIssuer(SSLContext tls, int port) throws IOException, GeneralSecurityException {
    server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(tls));
    server.createContext(
        "/.well-known/openid-configuration",
        exchange -> answer(exchange, Map.of("issuer", url(), "jwks_uri", url() + "/keys")));
    server.createContext(
        "/keys",
        exchange -> {
          fetches.incrementAndGet();
          answer(exchange, Map.of("keys", published.stream().map(TokenIssuer::jwk).toList()));
        });
    rotate("first");
    server.start();
  }

  /** Signs with a new key from now on, which replaces all others. */
  void rotate(String id) throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
    generator.initialize(2_048);
    key = new SigningKey(id, generator.generateKeyPair());
    published = List.of(key);
  }

  private static Map<String, Object> jwk(SigningKey each) {
    RSAPublicKey known = (RSAPublicKey) each.pair().getPublic();
    return Map.of(
        "kty", "RSA",
        "use", "sig",
        "kid", each.id(),
        "n", encode(unsigned(known.getModulus())),
        "e", encode(unsigned(known.getPublicExponent())));
  }

  private static byte[] unsigned(BigInteger number) {
    byte[] bytes = number.toByteArray();
    return bytes[0] == 0 ? java.util.Arrays.copyOfRange(bytes, 1, bytes.length) : bytes;
  }

  private static String encode(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  private static void answer(HttpExchange exchange, Object body) throws IOException {
    try (exchange) {
      byte[] bytes = JSON.writeValueAsBytes(body);
      exchange.getResponseHeaders().set("Content-Type", "application/json");
      exchange.sendResponseHeaders(200, bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }

  /** Returns who it is: where it describes itself. */
  String url() {
    return "https://127.0.0.1:" + port();
  }

  int port() {
    return server.getAddress().getPort();
  }

  /** Returns how often its keys were fetched. */
  int fetches() {
    return fetches.get();
  }

  /** Returns a token of a user for the resource server "broker", that ends in a minute. */
  String token(String user, String scopes) {
    return token(user, scopes, Map.of());
  }

  /**
   * The same with other claims.
   *
   * @param more by name, which replace those of the same name
   */
  String token(String user, String scopes, Map<String, Object> more) {
    Map<String, Object> claims = new HashMap<>();
    claims.put("iss", url());
    claims.put("sub", user);
    claims.put("aud", "broker");
    claims.put("exp", Instant.now().getEpochSecond() + 60);
    claims.put("scope", scopes);
    claims.putAll(more);
    try {
      String signed =
          encode(JSON.writeValueAsBytes(Map.of("alg", "RS256", "kid", key.id())))
              + "."
              + encode(JSON.writeValueAsBytes(claims));
      Signature signature = Signature.getInstance("SHA256withRSA");
      signature.initSign(key.pair().getPrivate());
      signature.update(signed.getBytes(StandardCharsets.US_ASCII));
      return signed + "." + encode(signature.sign());
    } catch (JsonProcessingException | GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
