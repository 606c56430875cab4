package io.mayflymq.server.auth.oauth2;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jwt.SignedJWT;
import io.mayflymq.core.runtime.Causes;
import io.mayflymq.server.auth.oauth2.ProviderClient.KeySet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** When keys are fetched, by a time that is moved by hand. */
class ProviderKeysTest {
  private static final Signer FIRST = Signer.rsa("first");

  private final Signer first = FIRST;
  private final Signer second = Signer.ec("second");
  private final List<CompletableFuture<KeySet>> fetches = new ArrayList<>();
  private long now = 1_000_000;
  private final ProviderKeys keys =
      new ProviderKeys(Signer.provider(), Map.of(), this::fetch, () -> now);

  private CompletableFuture<KeySet> fetch() {
    fetches.add(new CompletableFuture<>());
    return fetches.get(fetches.size() - 1);
  }

  private void publish(Signer... signers) {
    List<VerificationKey> published = new ArrayList<>();
    for (Signer signer : signers) {
      published.add(VerificationKey.of(signer.jwk()).orElseThrow());
    }
    fetches.get(fetches.size() - 1).complete(new KeySet(published, "https://issuer"));
  }

  private String refusal(SignedJWT token) {
    CompletableFuture<Void> checked = keys.check(token);
    assertThat(checked).isDone();
    try {
      checked.join();
      return "none";
    } catch (CompletionException e) {
      return Causes.of(e).getMessage();
    }
  }

  @Test
  void keysAreFetchedOnceForAllTokensOfTheMoment() {
    CompletableFuture<Void> one = keys.check(first.sign(Map.of()));
    CompletableFuture<Void> other = keys.check(second.sign(Map.of()));
    assertThat(one).isNotDone();
    assertThat(fetches).hasSize(1);
    publish(first, second);
    assertThat(one).isCompleted();
    assertThat(other).isCompleted();
    assertThat(keys.issuer()).isEqualTo("https://issuer");
    assertThat(refusal(first.sign(Map.of()))).isEqualTo("none");
    assertThat(fetches).hasSize(1);
  }

  @Test
  void anUnknownKeyIsLookedForButNotAgainAndAgain() {
    keys.check(first.sign(Map.of()));
    publish(first);
    now += ProviderKeys.PAUSE_MILLIS - 1;
    assertThat(refusal(second.sign(Map.of()))).isEqualTo("the provider has no key 'second'");
    assertThat(fetches).hasSize(1);
    now++;
    CompletableFuture<Void> later = keys.check(second.sign(Map.of()));
    assertThat(later).isNotDone();
    publish(first, second);
    assertThat(later).isCompleted();
  }

  @Test
  void aWithdrawnKeyEndsByItself() {
    keys.check(first.sign(Map.of()));
    publish(first);
    now += ProviderKeys.FRESH_MILLIS - 1;
    assertThat(refusal(first.sign(Map.of()))).isEqualTo("none");
    now++;
    CompletableFuture<Void> checked = keys.check(first.sign(Map.of()));
    publish(second);
    assertThat(checked).isCompletedExceptionally();
    assertThat(refusal(first.sign(Map.of()))).isEqualTo("the provider has no key 'first'");
  }

  @Test
  void keysThatAreThereCountOnIfTheProviderIsDown() {
    CompletableFuture<Void> early = keys.check(first.sign(Map.of()));
    fetches.get(0).completeExceptionally(new TokenException("cannot connect to x"));
    assertThat(early).isCompletedExceptionally();
    assertThat(refusal(first.sign(Map.of())))
        .isEqualTo("the provider has no key 'first'; its keys are not known: cannot connect to x");
    now += ProviderKeys.PAUSE_MILLIS;
    keys.check(first.sign(Map.of()));
    publish(first);
    now += ProviderKeys.FRESH_MILLIS;
    CompletableFuture<Void> stale = keys.check(first.sign(Map.of()));
    fetches.get(2).completeExceptionally(new TokenException("cannot connect to x"));
    assertThat(stale).isCompleted();
  }

  @Test
  void aTokenWithoutAnIdIsSignedWithTheOnlyKeyOrOneWithoutAnId() {
    keys.check(first.sign(Map.of()));
    publish(first);
    assertThat(refusal(first.signWithoutId(Map.of()))).isEqualTo("none");
    Signer nameless = Signer.ec(null);
    now += ProviderKeys.FRESH_MILLIS;
    keys.check(first.sign(Map.of()));
    publish(first, second, nameless);
    assertThat(refusal(nameless.sign(Map.of()))).isEqualTo("none");
    assertThat(refusal(second.signWithoutId(Map.of())))
        .isEqualTo("the signature of the token is wrong");
    now += ProviderKeys.FRESH_MILLIS;
    keys.check(first.sign(Map.of()));
    publish(first, second);
    assertThat(refusal(second.signWithoutId(Map.of())))
        .isEqualTo("the token names no key (kid), and default_key is not set");
  }

  @Test
  void aSignatureOfAnotherKeyOrOfOtherClaimsIsWrong() throws Exception {
    keys.check(first.sign(Map.of()));
    publish(first);
    assertThat(refusal(Signer.ec("first").sign(Map.of())))
        .isEqualTo("the signature of the token is wrong");
    String[] good = first.sign(Map.of("sub", "ann")).serialize().split("\\.");
    String[] other = first.sign(Map.of("sub", "bob")).serialize().split("\\.");
    assertThat(refusal(SignedJWT.parse(good[0] + "." + other[1] + "." + good[2])))
        .isEqualTo("the signature of the token is wrong");
  }

  @Test
  void aKeyIsForItsOwnAlgorithmsOnly() {
    Signer rs256Only = first.only("RS256");
    keys.check(first.sign(Map.of()));
    publish(rs256Only);
    assertThat(refusal(rs256Only.sign(Map.of(), "RS256"))).isEqualTo("none");
    assertThat(refusal(rs256Only.sign(Map.of(), "PS256")))
        .isEqualTo("the signature of the token is wrong");
    assertThat(refusal(Signer.shared("first").sign(Map.of())))
        .startsWith("the token is signed with HS256, expected one of [ES256, ES384, ES512, EdDSA,");
  }

  @Test
  void everyKindOfKeyIsKnown() {
    for (Signer signer : List.of(first, Signer.ec("k"), Signer.ec384("k"), Signer.ed25519("k"))) {
      now += ProviderKeys.FRESH_MILLIS;
      keys.check(signer.sign(Map.of()));
      publish(signer);
      assertThat(refusal(signer.sign(Map.of()))).isEqualTo("none");
    }
  }
}
