package io.mayflymq.server.auth.oauth2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.core.security.Permission;
import io.mayflymq.core.security.ResourceKind;
import io.mayflymq.core.security.VhostAccess;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.ConnectionException;
import io.mayflymq.server.auth.Answer;
import io.mayflymq.server.auth.AuthenticatedUser;
import io.mayflymq.server.auth.LoginAttempt;
import io.mayflymq.server.auth.LoginState;
import io.mayflymq.server.auth.oauth2.ProviderClient.KeySet;
import io.mayflymq.server.config.Configuration;
import io.mayflymq.server.config.OAuthSettings;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OAuthBackendTest {
  private static final long NOW = 1_800_000_000L;
  private static final Signer SIGNER = Signer.rsa("key");

  private Instant now = Instant.ofEpochSecond(NOW);

  private OAuthBackend backend(String... sets) throws Exception {
    List<String> all = new ArrayList<>(List.of(sets));
    all.add("auth_backends.1=oauth2");
    all.add("auth_oauth2.issuer=https://login.example.com");
    if (all.stream().noneMatch(set -> set.startsWith("auth_oauth2.resource_servers"))) {
      all.add("auth_oauth2.resource_server_id=broker");
    }
    OAuthSettings settings =
        Configuration.load(Optional.empty(), Map.of(), all).settings().auth().oauth();
    KeySet published =
        new KeySet(
            List.of(VerificationKey.of(SIGNER.jwk()).orElseThrow()), "https://other.example.com");
    ProviderKeys keys =
        new ProviderKeys(
            settings.providers().get(""),
            Map.of(),
            () -> CompletableFuture.completedFuture(published),
            () -> 0);
    return new OAuthBackend(settings, Map.of("", keys), () -> now);
  }

  private static Map<String, Object> claims(Object... more) {
    Map<String, Object> claims = new HashMap<>();
    claims.put("sub", "ann");
    claims.put("aud", "broker");
    claims.put("exp", NOW + 60);
    claims.put("scope", "broker.read:*/orders.* broker.tag:management");
    for (int i = 0; i < more.length; i += 2) {
      claims.put((String) more[i], more[i + 1]);
      if (more[i + 1] == null) {
        claims.remove(more[i]);
      }
    }
    return claims;
  }

  private static Answer login(OAuthBackend backend, Object... more) {
    return backend
        .authenticate(new LoginAttempt("any", SIGNER.sign(claims(more)).serialize()))
        .join();
  }

  private static AuthenticatedUser user(Answer answer) {
    return new AuthenticatedUser(
        answer.username(), answer.tags(), answer.tags(), "oauth2", "oauth2", answer.state());
  }

  @Test
  void aTokenHasTheNameTheTagsTheRightsAndTheEnd() throws Exception {
    Answer answer = login(backend());
    assertThat(answer.isAllowed()).isTrue();
    assertThat(answer.username()).isEqualTo("ann");
    assertThat(answer.tags()).containsExactly("management");
    assertThat(answer.state().facts()).containsExactly("read:*/orders.*");
    assertThat(answer.state().expiresMillis()).isEqualTo((NOW + 65) * 1_000);
  }

  @Test
  void whatIsNoTokenIsRefusedWithoutBeingRepeated() throws Exception {
    for (String password : List.of("secret", "a.b.c", "", "e30.e30.e30")) {
      Answer answer = backend().authenticate(new LoginAttempt("ann", password)).join();
      assertThat(answer.kind()).isEqualTo(Answer.Kind.REFUSED);
      assertThat(answer.reason()).isEqualTo("the password is no token (JWT)");
    }
    assertThat(backend().authenticate(LoginAttempt.proved("ann")).join().reason())
        .isEqualTo("there is no token");
  }

  @ParameterizedTest
  @CsvSource({
    "aud, other, 'the token is for [other] (aud), expected [broker]'",
    "aud, , 'the token is for [] (aud), expected [broker]'",
    "exp, , 'the token has nothing in its claim exp, expected a number of seconds'",
    "iss, https://evil, 'the token is from ''https://evil'' (iss), expected ''https://login.example.com'''",
  })
  void aTokenForOthersOrOfOthersIsRefused(String claim, String value, String reason)
      throws Exception {
    Answer answer = login(backend(), claim, value);
    assertThat(answer.kind()).isEqualTo(Answer.Kind.REFUSED);
    assertThat(answer.reason()).isEqualTo(reason);
  }

  @Test
  void theAudienceMayBeAListOrSeveralWords() throws Exception {
    assertThat(login(backend(), "aud", List.of("x", "broker")).isAllowed()).isTrue();
    assertThat(login(backend(), "aud", "x broker").isAllowed()).isTrue();
    assertThat(login(backend("auth_oauth2.verify_aud=false"), "aud", null).isAllowed()).isTrue();
  }

  @Test
  void theIssuerMayCallItselfOtherwiseThanItsUrl() throws Exception {
    for (String issuer : List.of("https://login.example.com/", "https://other.example.com")) {
      assertThat(login(backend(), "iss", issuer).isAllowed()).isTrue();
    }
  }

  @Test
  void timesHaveATolerance() throws Exception {
    now = Instant.ofEpochSecond(NOW + 64);
    assertThat(login(backend()).isAllowed()).isTrue();
    now = Instant.ofEpochSecond(NOW + 65);
    assertThat(login(backend()).reason())
        .isEqualTo("the token has expired at 1800000060 (exp), and it is 1800000065");
    assertThat(login(backend("auth_oauth2.clock_tolerance=0"), "exp", NOW + 65).isAllowed())
        .isFalse();
    assertThat(login(backend("auth_oauth2.clock_tolerance=0"), "exp", NOW + 66).isAllowed())
        .isTrue();
    now = Instant.ofEpochSecond(NOW);
    assertThat(login(backend(), "nbf", NOW + 5).isAllowed()).isTrue();
    assertThat(login(backend(), "nbf", NOW + 6).reason())
        .isEqualTo("the token counts from 1800000006 on (nbf), and it is 1800000000");
    assertThat(login(backend("auth_oauth2.require_exp=false"), "exp", null).state().expiresMillis())
        .isEqualTo(LoginState.NEVER);
  }

  @Test
  void theNameIsInTheFirstClaimThatHasOne() throws Exception {
    assertThat(login(backend(), "sub", null, "client_id", "app").username()).isEqualTo("app");
    assertThat(login(backend(), "sub", null).username()).isEqualTo("unknown");
    OAuthBackend preferring =
        backend(
            "auth_oauth2.preferred_username_claims.1=email",
            "auth_oauth2.preferred_username_claims.2=name");
    assertThat(login(preferring, "name", "Ann").username()).isEqualTo("Ann");
    assertThat(login(preferring, "name", "Ann", "email", "a@b").username()).isEqualTo("a@b");
    assertThat(login(preferring).username()).isEqualTo("unknown");
    assertThat(login(backend(), "sub", "a\nb").reason())
        .startsWith("the claim sub is no name of a user");
  }

  @Test
  void severalResourceServersInheritAndAreToldApartByTheAudience() throws Exception {
    OAuthBackend backend =
        backend(
            "auth_oauth2.resource_servers.one.scope_prefix=",
            "auth_oauth2.resource_servers.2.id=two",
            "auth_oauth2.additional_scopes_key=extra");
    assertThat(login(backend, "aud", "one", "scope", "read:*/a").state().facts())
        .containsExactly("read:*/a");
    assertThat(login(backend, "aud", "two", "extra", "two.read:*/b").state().facts())
        .containsExactly("read:*/b");
    assertThat(login(backend, "aud", List.of("one", "two")).reason())
        .isEqualTo("the token is for [one, two] (aud), expected [two, one], one of them only");
  }

  @Test
  void aScopeGivesItsRightsAndTheVirtualHost() throws Exception {
    OAuthBackend backend = backend();
    AuthenticatedUser ann =
        user(
            login(
                backend,
                "scope",
                "broker.read:eu/orders.* broker.write:eu/amq.default broker.write:eu/t/a.*"
                    + " broker.write:eu/u broker.configure:us/*"));
    assertThat(backend.enter(ann, "eu", null).join().isAllowed()).isTrue();
    assertThat(backend.enter(ann, "us", null).join().isAllowed()).isTrue();
    assertThat(backend.enter(ann, "/", null).join().reason())
        .isEqualTo("the token has no scope for this virtual host");
    assertThatThrownBy(() -> backend.access(ann, "/")).isInstanceOf(ConnectionException.class);
    VhostAccess access = backend.access(ann, "eu");
    for (int i = 0; i < 2; i++) {
      access.check(ResourceKind.QUEUE, "orders.new", Permission.READ);
      access.check(ResourceKind.EXCHANGE, "", Permission.WRITE);
      access.checkTopic("t", "a.b", Permission.WRITE);
    }
    assertThat(access.allows(ResourceKind.QUEUE, "orders.new", Permission.WRITE)).isFalse();
    assertThat(access.allows(ResourceKind.QUEUE, "any", Permission.CONFIGURE)).isFalse();
    assertThat(access.allowsTopic("t", "b", Permission.WRITE)).isFalse();
    assertThat(access.allowsTopic("u", "b", Permission.WRITE)).isFalse();
    assertThat(access.hasTag("management")).isFalse();
    assertThatThrownBy(() -> access.checkTopic("u", "b", Permission.WRITE))
        .isInstanceOf(ChannelException.class)
        .hasMessageContaining(
            "write access to topic 'b' in exchange 'u' in vhost 'eu' refused for user 'ann'");
  }

  @Test
  void anExpiredTokenOpensNothing() throws Exception {
    OAuthBackend backend = backend();
    AuthenticatedUser ann = user(login(backend));
    now = Instant.ofEpochSecond(NOW + 65);
    assertThat(backend.enter(ann, "/", null).join().reason()).isEqualTo("the token has expired");
    assertThatThrownBy(() -> backend.access(ann, "/")).isInstanceOf(ConnectionException.class);
  }
}
