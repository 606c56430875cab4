package io.mayflymq.server.management.auth;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class BrowserCookieTest {
  @Test
  void theCookieIsHiddenFromScriptsAndFromOtherSites() {
    assertThat(BrowserCookie.SESSION.set(Map.of("host", "broker:15672"), false, "abc"))
        .isEqualTo("mayfly_session_15672=abc; Path=/; HttpOnly; SameSite=Strict");
  }

  @Test
  void theCookieIsSecureOverTls() {
    assertThat(BrowserCookie.SESSION.set(Map.of("host", "broker"), true, "abc"))
        .isEqualTo("__Host-mayfly_session=abc; Path=/; HttpOnly; SameSite=Strict; Secure");
  }

  @Test
  void theTokenIsFoundAmongOtherCookies() {
    Map<String, String> headers =
        Map.of("host", "[::1]:15672", "cookie", "a=b; mayfly_session_15672=abc;c=d");
    assertThat(BrowserCookie.SESSION.token(headers, false)).isEqualTo("abc");
    assertThat(BrowserCookie.SESSION.token(headers, true)).isNull();
  }

  @Test
  void theCookieOfABrokerOnAnotherPortIsAnother() {
    Map<String, String> headers = Map.of("host", "h:15673", "cookie", "mayfly_session_15672=abc");
    assertThat(BrowserCookie.SESSION.token(headers, false)).isNull();
  }

  @Test
  void thereIsNoTokenWithoutOrInAnEmptyCookie() {
    assertThat(BrowserCookie.SESSION.token(Map.of("host", "h"), false)).isNull();
    assertThat(BrowserCookie.SESSION.token(Map.of("host", "h", "cookie", "mayfly_session="), false))
        .isNull();
    assertThat(BrowserCookie.SESSION.token(Map.of("cookie", ";;=;"), false)).isNull();
  }

  @Test
  void theLogoutMakesTheBrowserForget() {
    assertThat(BrowserCookie.SESSION.clear(Map.of(), false))
        .startsWith("mayfly_session=; Max-Age=0;");
  }
}
