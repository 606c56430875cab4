package io.mayflymq.server.management.auth;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.security.PasswordHash;
import io.mayflymq.core.security.User;
import io.mayflymq.server.auth.AuthenticatedUser;
import io.mayflymq.server.auth.LoginState;
import io.mayflymq.server.management.api.Principal;
import java.net.InetAddress;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LoginSessionsTest {
  private final Map<String, User> users = new HashMap<>();
  private long now = 1_000_000;
  private final LoginSessions sessions =
      new LoginSessions(users::get, () -> Instant.ofEpochMilli(now));

  private User user(String name) {
    User user = new User(name, PasswordHash.of("secret"), List.of("management"));
    users.put(name, user);
    return user;
  }

  private static Principal login(User user) {
    return new Principal(user.name(), user.tags(), false);
  }

  @Test
  void aTokenFindsItsUserWithTheTagsOfNow() {
    User till = user("till");
    String token = sessions.begin(login(till));
    users.put("till", till.withTags(List.of("monitoring")));
    assertThat(sessions.principal(token).orElseThrow().tags()).containsExactly("monitoring");
    assertThat(sessions.principal(token + "x")).isEmpty();
    assertThat(sessions.principal("")).isEmpty();
  }

  @Test
  void tokensAreLongAndDiffer() {
    User till = user("till");
    String one = sessions.begin(login(till));
    assertThat(one).hasSize(43).matches("[A-Za-z0-9_-]+").isNotEqualTo(sessions.begin(login(till)));
  }

  @Test
  void aSessionEndsWhenItIsNotUsed() {
    String token = sessions.begin(login(user("till")));
    now += LoginSessions.IDLE_MILLIS - 1;
    assertThat(sessions.principal(token)).isPresent();
    now += LoginSessions.IDLE_MILLIS - 1;
    assertThat(sessions.principal(token)).isPresent();
    now += LoginSessions.IDLE_MILLIS;
    assertThat(sessions.principal(token)).isEmpty();
    now -= 1;
    assertThat(sessions.principal(token)).isEmpty();
  }

  @Test
  void aSessionEndsEightHoursAfterItsLoginAlsoWhenItIsUsed() {
    String token = sessions.begin(login(user("till")));
    long end = now + LoginSessions.LONGEST_MILLIS;
    while (now < end - 60_000) {
      now += 60_000;
      assertThat(sessions.principal(token)).isPresent();
    }
    now = end;
    assertThat(sessions.principal(token)).isEmpty();
  }

  @Test
  void aSessionOfATokenEndsWithTheToken() {
    LoginState expiring = new LoginState(now + 1_000, List.of(), null);
    Principal ann =
        Principal.of(
            new AuthenticatedUser(
                "ann", List.of("monitoring"), List.of("monitoring"), "oauth2", "oauth2", expiring),
            InetAddress.getLoopbackAddress());
    String token = sessions.begin(ann);
    now += 999;
    assertThat(sessions.principal(token)).contains(ann);
    now++;
    assertThat(sessions.principal(token)).isEmpty();
  }

  @Test
  void aSessionEndsAtTheLogout() {
    User till = user("till");
    String token = sessions.begin(login(till));
    String other = sessions.begin(login(till));
    sessions.end(token);
    assertThat(sessions.principal(token)).isEmpty();
    assertThat(sessions.principal(other)).isPresent();
  }

  @Test
  void aSessionEndsWhenThePasswordIsChanged() {
    User till = user("till");
    String token = sessions.begin(login(till));
    users.put("till", till.withPasswordHash(PasswordHash.of("secret")));
    assertThat(sessions.principal(token)).isEmpty();
  }

  @Test
  void aSessionEndsWhenTheUserIsDeletedAndDoesNotComeBackWithIt() {
    String token = sessions.begin(login(user("till")));
    users.remove("till");
    user("till");
    assertThat(sessions.principal(token)).isEmpty();
  }

  @Test
  void aUserHasALimitedNumberOfSessionsAndTheLeastUsedEnds() {
    User till = user("till");
    List<String> tokens = new ArrayList<>();
    for (int i = 0; i < LoginSessions.MOST_OF_USER; i++) {
      now++;
      tokens.add(sessions.begin(login(till)));
    }
    now++;
    assertThat(sessions.principal(tokens.get(0))).isPresent();
    String last = sessions.begin(login(till));
    assertThat(sessions.size()).isEqualTo(LoginSessions.MOST_OF_USER);
    assertThat(sessions.principal(tokens.get(1))).isEmpty();
    assertThat(sessions.principal(tokens.get(0))).isPresent();
    assertThat(sessions.principal(last)).isPresent();
  }

  @Test
  void theNumberOfSessionsIsLimitedInTotal() {
    for (int i = 0; i < LoginSessions.MOST + 10; i++) {
      now++;
      sessions.begin(login(user("user " + i)));
    }
    assertThat(sessions.size()).isEqualTo(LoginSessions.MOST);
  }

  @Test
  void endedSessionsAreRemovedByTheNextLogin() {
    sessions.begin(login(user("a")));
    sessions.begin(login(user("b")));
    now += LoginSessions.IDLE_MILLIS;
    sessions.begin(login(user("c")));
    assertThat(sessions.size()).isEqualTo(1);
  }

  @Test
  void aSessionOfAUserWhomAServiceKnowsEndsAfterAnHour() {
    Principal ann =
        Principal.of(
            new AuthenticatedUser("ann", List.of("monitoring"), List.of("monitoring"), "http"),
            InetAddress.getLoopbackAddress());
    String token = sessions.begin(ann);
    long end = now + LoginSessions.LONGEST_OF_SERVICE_MILLIS;
    while (now < end - 60_000) {
      now += 60_000;
      assertThat(sessions.principal(token)).contains(ann);
    }
    now = end;
    assertThat(sessions.principal(token)).isEmpty();
  }

  @Test
  void tagsThatAServiceHasGivenLastAsLongAsTheSession() {
    User till = user("till");
    String token =
        sessions.begin(
            Principal.of(
                new AuthenticatedUser(
                    "till", List.of("monitoring", "management"), List.of("monitoring"), "internal"),
                InetAddress.getLoopbackAddress()));
    users.put("till", till.withTags(List.of()));
    assertThat(sessions.principal(token).orElseThrow().tags()).containsExactly("monitoring");
  }
}
