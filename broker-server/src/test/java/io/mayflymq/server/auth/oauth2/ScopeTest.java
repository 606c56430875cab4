package io.mayflymq.server.auth.oauth2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.core.security.Permission;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ScopeTest {
  @ParameterizedTest
  @CsvSource({
    "orders, orders, true",
    "orders, Orders, false",
    "orders, orders1, false",
    "*, orders, true",
    "*, '', true",
    "o*s, orders, true",
    "o*s, os, true",
    "o*s, o, false",
    "aba*aba, ababa, false",
    "aba*aba, abaaba, true",
    "*a*b*, xaxbx, true",
    "*a*b*, xbxax, false",
    "*.eu.*, orders.eu.1, true",
    "%2F, /, true",
    "%2f*, /a, true",
    "%2A, *, true",
    "%2A, a, false",
    "%C3%A4, ä, true",
    "ä, ä, true",
    "a+b, a b, false",
  })
  void aStarIsAnyTextAndAPercentCodeACharacter(String pattern, String text, boolean matches) {
    assertThat(WildcardPattern.of(pattern).matches(text)).isEqualTo(matches);
  }

  @ParameterizedTest
  @ValueSource(strings = {"%", "%2", "a%", "%zz", "%2*", "*%f"})
  void aMalformedPercentCodeIsNoPattern(String pattern) {
    assertThatThrownBy(() -> WildcardPattern.of(pattern))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(Scope.of("read:*/" + pattern)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"a*b", "/", "%2F", "{vhost}", "ä/*", "plain"})
  void anEscapedTextMatchesItselfOnly(String text) {
    WildcardPattern pattern = WildcardPattern.of(WildcardPattern.escape(text));
    assertThat(pattern.matches(text)).isTrue();
    assertThat(pattern.matches(text + "x")).isFalse();
    assertThat(WildcardPattern.escape(text)).doesNotContain("*", "/", "{", "}");
  }

  @Test
  void aScopeHasAPermissionAndTwoOrThreeParts() {
    Scope scope = Scope.of("configure:eu-*/orders.*").orElseThrow();
    assertThat(scope.permission()).isEqualTo(Permission.CONFIGURE);
    assertThat(scope.isAbout("eu-1")).isTrue();
    assertThat(scope.isAbout("us-1")).isFalse();
    assertThat(scope.names("eu-1").matches("orders.new")).isTrue();
    assertThat(scope.keys("eu-1")).isNull();
    assertThat(Scope.of("write:*/events/a.*").orElseThrow().keys("v").matches("a.#")).isTrue();
    assertThat(Scope.of(scope.toString())).contains(scope);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"read:*", "read:a/b/c/d", "READ:*/*", "own:*/*", "read", "", "read.*/*", "tag:x"})
  void otherTextsGiveNoRight(String text) {
    assertThat(Scope.of(text)).isEmpty();
  }

  @Test
  void theNameOfAVirtualHostIsPlainText() {
    Scope own = Scope.of("read:{vhost}/{vhost}-*").orElseThrow();
    assertThat(own.isAbout("/")).isTrue();
    assertThat(own.names("/").matches("/-a")).isTrue();
    assertThat(own.isAbout("*")).isTrue();
    assertThat(own.names("*").matches("a-b")).isFalse();
    assertThat(own.names("a%2Ab").matches("a*b-c")).isFalse();
  }
}
