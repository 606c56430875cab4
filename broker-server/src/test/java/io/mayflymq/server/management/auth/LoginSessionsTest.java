package io.mayflymq.server.management.auth;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.security.PasswordHash;
import io.mayflymq.core.security.User;
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

  @Test
  void aTokenFindsItsUserWithTheTagsOfNow() {
    User till = user("till");
    String token = sessions.begin(till);
    users.put("till", till.withTags(List.of("monitoring")));
    assertThat(sessions.user(token).orElseThrow().tags()).containsExactly("monitoring");
    assertThat(sessions.user(token + "x")).isEmpty();
    assertThat(sessions.user("")).isEmpty();
  }

  @Test
  void tokensAreLongAndDiffer() {
    User till = user("till");
    String one = sessions.begin(till);
    assertThat(one).hasSize(43).matches("[A-Za-z0-9_-]+").isNotEqualTo(sessions.begin(till));
  }

  @Test
  void aSessionEndsWhenItIsNotUsed() {
    String token = sessions.begin(user("till"));
    now += LoginSessions.IDLE_MILLIS - 1;
    assertThat(sessions.user(token)).isPresent();
    now += LoginSessions.IDLE_MILLIS - 1;
    assertThat(sessions.user(token)).isPresent();
    now += LoginSessions.IDLE_MILLIS;
    assertThat(sessions.user(token)).isEmpty();
    now -= 1;
    assertThat(sessions.user(token)).isEmpty();
  }

  @Test
  void aSessionEndsEightHoursAfterItsLoginAlsoWhenItIsUsed() {
    String token = sessions.begin(user("till"));
    long end = now + LoginSessions.LONGEST_MILLIS;
    while (now < end - 60_000) {
      now += 60_000;
      assertThat(sessions.user(token)).isPresent();
    }
    now = end;
    assertThat(sessions.user(token)).isEmpty();
  }

  @Test
  void aSessionEndsAtTheLogout() {
    User till = user("till");
    String token = sessions.begin(till);
    String other = sessions.begin(till);
    sessions.end(token);
    assertThat(sessions.user(token)).isEmpty();
    assertThat(sessions.user(other)).isPresent();
  }

  @Test
  void aSessionEndsWhenThePasswordIsChanged() {
    User till = user("till");
    String token = sessions.begin(till);
    users.put("till", till.withPasswordHash(PasswordHash.of("secret")));
    assertThat(sessions.user(token)).isEmpty();
  }

  @Test
  void aSessionEndsWhenTheUserIsDeletedAndDoesNotComeBackWithIt() {
    String token = sessions.begin(user("till"));
    users.remove("till");
    user("till");
    assertThat(sessions.user(token)).isEmpty();
  }

  @Test
  void aUserHasALimitedNumberOfSessionsAndTheLeastUsedEnds() {
    User till = user("till");
    List<String> tokens = new ArrayList<>();
    for (int i = 0; i < LoginSessions.MOST_OF_USER; i++) {
      now++;
      tokens.add(sessions.begin(till));
    }
    now++;
    assertThat(sessions.user(tokens.get(0))).isPresent();
    String last = sessions.begin(till);
    assertThat(sessions.size()).isEqualTo(LoginSessions.MOST_OF_USER);
    assertThat(sessions.user(tokens.get(1))).isEmpty();
    assertThat(sessions.user(tokens.get(0))).isPresent();
    assertThat(sessions.user(last)).isPresent();
  }

  @Test
  void theNumberOfSessionsIsLimitedInTotal() {
    for (int i = 0; i < LoginSessions.MOST + 10; i++) {
      now++;
      sessions.begin(user("user " + i));
    }
    assertThat(sessions.size()).isEqualTo(LoginSessions.MOST);
  }

  @Test
  void endedSessionsAreRemovedByTheNextLogin() {
    sessions.begin(user("a"));
    sessions.begin(user("b"));
    now += LoginSessions.IDLE_MILLIS;
    sessions.begin(user("c"));
    assertThat(sessions.size()).isEqualTo(1);
  }
}
