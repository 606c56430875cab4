package io.mayflymq.server.auth.oauth2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.server.config.OAuthSettings.ResourceServer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TokenScopesTest {
  private static ResourceServer server(
      List<List<String>> claims, Map<String, List<String>> aliases) {
    return new ResourceServer(
        "broker", "broker.", Optional.of("mq"), true, true, claims, aliases, List.of(), "");
  }

  private static final ResourceServer SERVER =
      server(
          List.of(List.of("extra"), List.of("realm_access", "roles")),
          Map.of("dev", List.of("broker.read:*/dev.*", "broker.tag:monitoring")));

  private static TokenScopes of(Map<String, Object> claims) throws TokenException {
    return TokenScopes.of(claims, SERVER);
  }

  @Test
  void scopesOfOtherServersDoNotCount() throws Exception {
    TokenScopes scopes =
        of(
            Map.of(
                "scope",
                "openid broker.read:*/a other.read:*/b broker.tag:management broker.tag: read:*/c"));
    assertThat(scopes.scopes()).containsExactly("read:*/a");
    assertThat(scopes.tags()).containsExactly("management");
  }

  @Test
  void theyMayBeInAListAndInFurtherClaims() throws Exception {
    assertThat(
            of(Map.of(
                    "scope", List.of("broker.read:*/a", 7),
                    "extra", "broker.write:*/b broker.write:*/c",
                    "realm_access", Map.of("roles", List.of("broker.read:*/d", "offline"))))
                .scopes())
        .containsExactly("read:*/a", "write:*/b", "write:*/c", "read:*/d");
    assertThat(of(Map.of("extra", Map.of("broker", "read:*/a", "other", "read:*/b"))).scopes())
        .containsExactly("read:*/a");
    assertThat(of(Map.of("realm_access", "roles")).scopes()).isEmpty();
  }

  @Test
  void thoseOfARequestingPartyTokenCount() throws Exception {
    Object permissions = List.of(Map.of("scopes", List.of("broker.read:*/a")), Map.of(), "x");
    assertThat(of(Map.of("authorization", Map.of("permissions", permissions))).scopes())
        .containsExactly("read:*/a");
  }

  @Test
  void anAliasStandsForOthersWhereverItIs() throws Exception {
    TokenScopes scopes = of(Map.of("realm_access", Map.of("roles", List.of("dev"))));
    assertThat(scopes.scopes()).containsExactly("read:*/dev.*");
    assertThat(scopes.tags()).containsExactly("monitoring");
  }

  @Test
  void aVariableIsTheTextOfAClaim() throws Exception {
    assertThat(
            of(Map.of(
                    "scope", "broker.read:{tenant}/{sub}-* broker.read:{vhost}/{none}",
                    "tenant", "a/*",
                    "sub", "x%2F{vhost}"))
                .scopes())
        .containsExactly("read:a%2F%2A/x%252F%7Bvhost%7D-*");
    assertThat(of(Map.of("scope", "broker.read:{n}/*", "n", 7)).scopes()).isEmpty();
    assertThat(of(Map.of("scope", "broker.read:{vhost}/*")).scopes())
        .containsExactly("read:{vhost}/*");
  }

  @Test
  void richRequestsOfThisClusterCount() throws Exception {
    Map<String, Object> one =
        Map.of(
            "type", "mq",
            "locations",
                List.of(
                    "cluster:bro*/vhost:v/queue:q",
                    "cluster:other/queue:no",
                    "queue:no",
                    "cluster:broker/exchange:e/routing-key:a.*",
                    "cluster:broker/nothing"),
            "actions", List.of("read", "administrator"));
    Map<String, Object> other = Map.of("type", "x", "locations", "cluster:*", "actions", "write");
    Map<String, Object> all = Map.of("type", "mq", "locations", "cluster:*", "actions", "write");
    TokenScopes scopes = of(Map.of("authorization_details", List.of(one, other, all, 7)));
    assertThat(scopes.scopes()).containsExactly("read:v/q/*", "read:*/e/a.*", "write:*/*/*");
    assertThat(scopes.tags()).containsExactly("administrator");
    assertThat(of(Map.of("authorization_details", all)).scopes()).isEmpty();
    Map<String, Object> elsewhere =
        Map.of("type", "mq", "locations", "cluster:x", "actions", "administrator");
    assertThat(of(Map.of("authorization_details", List.of(elsewhere))).tags()).isEmpty();
  }

  @Test
  void tooManyAreRefused() {
    List<String> many = IntStream.range(0, 2_049).mapToObj(i -> "broker.read:*/" + i).toList();
    assertThatThrownBy(() -> of(Map.of("scope", many)))
        .isInstanceOf(TokenException.class)
        .hasMessage("the token has 2049 scopes, expected at most 2048");
  }
}
