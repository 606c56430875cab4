package io.mayflymq.server.auth;

import com.github.benmanes.caffeine.cache.Cache;
import io.mayflymq.core.runtime.BoundedCaches;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Keeps the answers of a service for a time, counted from when they came: use does not prolong it.
 * Failures are not kept; refusals only if that is wanted. It holds a bounded number of answers.
 * Passwords are kept as HMAC-SHA256 with a key that is made at the start and never leaves memory.
 */
final class AnswerCache implements AuthService {
  private static final int MOST = 10_000;
  private static final int KEY_BYTES = 32;
  private static final String HMAC = "HmacSHA256";

  /**
   * @param password the HMAC of the password that the question had; null if it had none
   */
  private record Key(Question question, String password) {}

  private record Kept(Answer answer, long untilMillis) {}

  private final AuthService service;
  private final long ttlMillis;
  private final boolean keepsRefusals;
  private final LongSupplier millis;
  private final SecretKeySpec secret;
  private final Cache<Key, Kept> kept = BoundedCaches.of(MOST);

  /** Counts what was forgotten: an answer that was asked for before is not kept after. */
  private final AtomicInteger cleared = new AtomicInteger();

  /**
   * @param service what is asked
   * @param ttlMillis how long an answer is kept
   * @param keepsRefusals whether refusals are kept too
   * @param millis a time that nothing sets, in ms
   */
  AnswerCache(AuthService service, long ttlMillis, boolean keepsRefusals, LongSupplier millis) {
    this.service = service;
    this.ttlMillis = ttlMillis;
    this.keepsRefusals = keepsRefusals;
    this.millis = millis;
    byte[] key = new byte[KEY_BYTES];
    new SecureRandom().nextBytes(key);
    this.secret = new SecretKeySpec(key, HMAC);
  }

  @Override
  public CompletableFuture<Answer> ask(Question question) {
    Key key = key(question);
    Kept found = kept.getIfPresent(key);
    if (found != null && millis.getAsLong() < found.untilMillis()) {
      return CompletableFuture.completedFuture(found.answer());
    }
    int before = cleared.get();
    return service
        .ask(question)
        .thenApply(
            answer -> {
              if (isKept(answer)) {
                Kept entry = new Kept(answer, millis.getAsLong() + ttlMillis);
                kept.put(key, entry);
                if (cleared.get() != before) {
                  kept.asMap().remove(key, entry);
                }
              } else if (found != null) {
                kept.asMap().remove(key, found);
              }
              return answer;
            });
  }

  private boolean isKept(Answer answer) {
    return switch (answer.kind()) {
      case ALLOWED -> true;
      case REFUSED -> keepsRefusals;
      case FAILED -> false;
    };
  }

  private Key key(Question question) {
    return question instanceof Question.Login login && login.password() != null
        ? new Key(new Question.Login(login.username(), null), hash(login.password()))
        : new Key(question, null);
  }

  private String hash(String password) {
    try {
      Mac mac = Mac.getInstance(HMAC);
      mac.init(secret);
      return Base64.getEncoder()
          .encodeToString(mac.doFinal(password.getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e); // every Java has HMAC-SHA256
    }
  }

  /**
   * Forgets what is kept about a user.
   *
   * @param user null for all users
   */
  void clear(String user) {
    cleared.incrementAndGet();
    if (user == null) {
      kept.invalidateAll();
    } else {
      kept.asMap().keySet().removeIf(key -> key.question().username().equals(user));
    }
  }

  /** Returns how many answers are kept, with those whose time is over. */
  long size() {
    return kept.estimatedSize();
  }

  @Override
  public void close() {
    service.close();
  }
}
