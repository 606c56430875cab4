package io.mayflymq.server.auth.oauth2;

import com.nimbusds.jwt.SignedJWT;
import io.mayflymq.core.runtime.Causes;
import io.mayflymq.server.config.OAuthSettings.TokenProvider;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The keys of a provider: those of files, and those that it publishes. These are fetched when a
 * token needs them, again when they are {@link #FRESH_MILLIS} old, so that a withdrawn key ends by
 * itself, and when a token names a key that is not among them; never twice at once, nor within
 * {@link #PAUSE_MILLIS}. If that fails, those that are there count on. Any thread may call.
 */
final class ProviderKeys {
  /** How old keys are when they are fetched again, in ms. */
  static final long FRESH_MILLIS = TimeUnit.MINUTES.toMillis(5);

  /** The least time between two fetches, in ms. */
  static final long PAUSE_MILLIS = TimeUnit.SECONDS.toMillis(5);

  private static final Logger LOGGER = LoggerFactory.getLogger(ProviderKeys.class);

  /**
   * What is known of a provider.
   *
   * @param published the last that it was asked for; none at first
   * @param fetchedMillis when that was
   * @param failure why the last fetch has failed; null if it has not
   */
  private record Known(ProviderClient.KeySet published, long fetchedMillis, String failure) {}

  private static final ProviderClient.KeySet NONE = new ProviderClient.KeySet(List.of(), null);

  private final TokenProvider provider;
  private final Map<String, VerificationKey> ofFiles;

  /** Null if the provider publishes none. */
  private final Supplier<CompletableFuture<ProviderClient.KeySet>> fetch;

  private final LongSupplier millis;

  /** Guarded by this, as is {@link #underWay} and {@link #triedMillis}. */
  private Known known = new Known(NONE, Long.MIN_VALUE, null);

  private CompletableFuture<Void> underWay;
  private long triedMillis = Long.MIN_VALUE;

  /**
   * @param ofFiles by their ids
   * @param fetch asks the provider; null if it publishes no keys
   * @param millis a time that nothing sets, in ms
   */
  ProviderKeys(
      TokenProvider provider,
      Map<String, VerificationKey> ofFiles,
      Supplier<CompletableFuture<ProviderClient.KeySet>> fetch,
      LongSupplier millis) {
    this.provider = provider;
    this.ofFiles = Map.copyOf(ofFiles);
    this.fetch = fetch;
    this.millis = millis;
  }

  /**
   * Checks who has signed a token.
   *
   * @return done when it is known; fails with a {@link TokenException} if it was not the provider,
   *     or its keys are not known
   */
  CompletableFuture<Void> check(SignedJWT token) {
    String algorithm = token.getHeader().getAlgorithm().getName();
    if (!provider.algorithms().contains(algorithm)) {
      return failed(
          "the token is signed with %s, expected one of %s"
              .formatted(algorithm, provider.algorithms().stream().sorted().toList()));
    }
    String id = id(token);
    boolean isKnown = id != null && ofFiles.containsKey(id);
    if (isKnown || fetch == null) {
      return verify(token, id);
    }
    return refreshed(id).thenCompose(done -> verify(token, id));
  }

  private String id(SignedJWT token) {
    String named = token.getHeader().getKeyID();
    return named != null ? named : provider.defaultKey().orElse(null);
  }

  private CompletableFuture<Void> verify(SignedJWT token, String id) {
    Known now = known();
    List<VerificationKey> candidates = candidates(now, id);
    if (candidates.isEmpty()) {
      return failed(
          (id == null
                  ? "the token names no key (kid), and default_key is not set"
                  : "the provider has no key '%s'".formatted(id))
              + (now.failure() == null ? "" : "; its keys are not known: " + now.failure()));
    }
    if (candidates.stream().noneMatch(key -> key.verifies(token))) {
      return failed("the signature of the token is wrong");
    }
    return CompletableFuture.completedFuture(null);
  }

  /**
   * A token without an id may be signed with any key that has none either, or with the only one.
   */
  private List<VerificationKey> candidates(Known now, String id) {
    VerificationKey ofFile = id == null ? null : ofFiles.get(id);
    if (ofFile != null) {
      return List.of(ofFile);
    }
    List<VerificationKey> all =
        Stream.concat(ofFiles.values().stream(), now.published().keys().stream()).toList();
    if (id == null && all.size() == 1) {
      return all;
    }
    List<VerificationKey> named =
        id == null ? List.of() : all.stream().filter(key -> id.equals(key.id())).toList();
    return named.isEmpty() ? all.stream().filter(key -> key.id() == null).toList() : named;
  }

  private synchronized Known known() {
    return known;
  }

  /** Returns who the provider says that it is; null if it was not asked. */
  String issuer() {
    return known().published().issuer();
  }

  /** Fetches the keys, unless those that are there are fresh enough to have this one. */
  private synchronized CompletableFuture<Void> refreshed(String id) {
    long now = millis.getAsLong();
    boolean isFresh =
        known.fetchedMillis() != Long.MIN_VALUE && now - known.fetchedMillis() < FRESH_MILLIS;
    boolean wasJustTried = triedMillis != Long.MIN_VALUE && now - triedMillis < PAUSE_MILLIS;
    if (underWay != null) {
      return underWay;
    }
    if (wasJustTried || (isFresh && !candidates(known, id).isEmpty())) {
      return CompletableFuture.completedFuture(null);
    }
    triedMillis = now;
    CompletableFuture<Void> begun = new CompletableFuture<>();
    underWay = begun;
    fetch
        .get()
        .whenComplete(
            (published, error) -> {
              fetched(published, error);
              begun.complete(null);
            });
    return begun;
  }

  private synchronized void fetched(ProviderClient.KeySet published, Throwable error) {
    underWay = null;
    if (error == null) {
      known = new Known(published, millis.getAsLong(), null);
      return;
    }
    String reason = Causes.of(error).getMessage();
    known = new Known(known.published(), known.fetchedMillis(), reason);
    LOGGER.warn(
        "the keys of a provider of tokens cannot be fetched: {}{}",
        reason,
        known.published().keys().isEmpty() ? "" : "; those of before count on");
  }

  private static CompletableFuture<Void> failed(String reason) {
    return CompletableFuture.failedFuture(new TokenException(reason));
  }
}
