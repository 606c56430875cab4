package io.mayflymq.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.core.runtime.ManualClock;
import io.mayflymq.core.security.AuthenticationResult.Accepted;
import io.mayflymq.core.security.AuthenticationResult.Refused;
import io.mayflymq.core.security.SecurityState.PermissionEntry;
import io.mayflymq.core.security.SecurityState.TopicPermissionEntry;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.ConnectionException;
import io.mayflymq.protocol.types.ReplyCode;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AccessControlTest {
  private static final String VHOST = "/";

  private final User reader = new User("reader", PasswordHash.of("secret"), List.of("monitoring"));
  private SecurityState state =
      SecurityState.initial("guest", "guest", VHOST)
          .withUser(reader)
          .withPermissions("reader", VHOST, Permissions.of("^own-", "", "^(own|shared)-"));
  private final ManualClock clock = new ManualClock();
  private final AccessControl control =
      new AccessControl(state, AccessControl.DEFAULT_LOOPBACK_USERS, clock);

  private void change(SecurityState changed) {
    state = changed;
    control.publish(changed);
  }

  private AuthenticationResult login(String user, String password, String address) {
    try {
      return control.locate(
          control.check(new Credentials(user, password)), InetAddress.getByName(address));
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }

  private VhostAccess access(String user) {
    return control.checkVhostAccess(user, VHOST, Map.of());
  }

  private static void assertRefused(ThrowingCallable check, ReplyCode code, String detail) {
    assertThatThrownBy(check)
        .isInstanceOfSatisfying(
            ChannelException.class,
            e -> {
              assertThat(e.code()).isEqualTo(code);
              assertThat(e.detail()).isEqualTo(detail);
            });
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1"})
  void guestCanLogInFromLocalhost(String address) {
    assertThat(login("guest", "guest", address)).isEqualTo(new Accepted(state.user("guest")));
    assertThat(state.user("guest").hasTag(User.ADMINISTRATOR)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.1", "::2", "::ffff:10.0.0.1"})
  void guestCannotLogInFromOtherHosts(String address) {
    assertThat(login("guest", "guest", address))
        .isEqualTo(new Refused("guest", "user 'guest' can only connect via localhost"));
    assertThat(login("reader", "secret", address)).isEqualTo(new Accepted(reader));
  }

  private long pause(String address) {
    return ((Refused) login("reader", "wrong", address)).pauseMillis();
  }

  @Test
  void repeatedLoginFailuresAreDelayedEverLonger() {
    for (int i = 0; i < 5; i++) {
      assertThat(pause("10.0.0.1")).isZero();
    }
    assertThat(pause("10.0.0.1")).isEqualTo(100);
    assertThat(pause("10.0.0.1")).isEqualTo(200);
    assertThat(login("reader", "secret", "10.0.0.1")).isEqualTo(new Accepted(reader));
    assertThat(pause("10.0.0.1")).isEqualTo(400);
    for (int i = 0; i < 100; i++) {
      assertThat(pause("10.0.0.1")).isLessThanOrEqualTo(5_000);
    }
    assertThat(pause("10.0.0.1")).isEqualTo(5_000);
    assertThat(pause("10.0.0.2")).isZero();
    clock.advance(60_001);
    assertThat(pause("10.0.0.1")).isZero();
  }

  @Test
  void loginFailuresOfAnIpv6NetworkAreCountedTogether() {
    for (int i = 0; i < 5; i++) {
      assertThat(pause("2001:db8::" + i)).isZero();
    }
    assertThat(pause("2001:db8::ffff")).isEqualTo(100);
    assertThat(pause("2001:db8:0:1::1")).isZero();
  }

  @Test
  void provedUserNameNeedsAnExistingUserAndAnAllowedAddress() throws Exception {
    InetAddress near = InetAddress.getLoopbackAddress();
    InetAddress far = InetAddress.getByAddress(new byte[] {10, 0, 0, 1});
    assertThat(control.locate(control.checkProved("reader"), far)).isEqualTo(new Accepted(reader));
    assertThat(control.locate(control.checkProved("unknown"), near))
        .isEqualTo(new Refused("unknown", "user 'unknown' - invalid credentials"));
    assertThat(control.locate(control.checkProved("guest"), far))
        .isEqualTo(new Refused("guest", "user 'guest' can only connect via localhost"));
  }

  @Test
  void wrongUserNamesAndWrongPasswordsHaveTheSameError() {
    Refused wrong = (Refused) login("reader", "wrong", "10.0.0.1");
    assertThat(wrong.reason()).isEqualTo("user 'reader' - invalid credentials");
    assertThat(wrong.logText("PLAIN"))
        .isEqualTo("PLAIN login refused: user 'reader' - invalid credentials");
    assertThat(login("unknown", "unknown", "127.0.0.1"))
        .isEqualTo(new Refused("unknown", "user 'unknown' - invalid credentials"));
    assertThat(login("guest", "wrong", "10.0.0.1"))
        .as("says nothing of where from before the password is right")
        .isEqualTo(new Refused("guest", "user 'guest' - invalid credentials"));
    assertThat(Refused.clientText("PLAIN"))
        .isEqualTo(
            "Login was refused using authentication mechanism PLAIN. For details see the broker"
                + " logfile.");
  }

  @Test
  void blankPasswordIsRefused() {
    change(state.withUser(reader.withPasswordHash(PasswordHash.of(""))));
    assertThat(((Refused) login("reader", "", "10.0.0.1")).reason())
        .startsWith("user 'reader' attempted to log in with a blank password, which is prohibited");
  }

  @Test
  void userCanAccessOnlyVhostsWithPermissions() {
    assertThatThrownBy(() -> control.checkVhostAccess("reader", "other", Map.of()))
        .isInstanceOfSatisfying(
            ConnectionException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ReplyCode.NOT_ALLOWED);
              assertThat(e.detail()).isEqualTo("access to vhost 'other' refused for user 'reader'");
            });
    assertThat(access("reader").vhost()).isEqualTo(VHOST);
    assertThat(access("reader").user()).isEqualTo("reader");
  }

  @Test
  void permissionIsCheckedByKindOfAccess() {
    VhostAccess access = access("reader");
    access.check(ResourceKind.QUEUE, "own-q", Permission.CONFIGURE);
    access.check(ResourceKind.QUEUE, "shared-q", Permission.READ);
    assertRefused(
        () -> access.check(ResourceKind.QUEUE, "shared-q", Permission.CONFIGURE),
        ReplyCode.ACCESS_REFUSED,
        "configure access to queue 'shared-q' in vhost '/' refused for user 'reader'");
    assertRefused(
        () -> access.check(ResourceKind.QUEUE, "q", Permission.READ),
        ReplyCode.ACCESS_REFUSED,
        "read access to queue 'q' in vhost '/' refused for user 'reader'");
    assertRefused(
        () -> access.check(ResourceKind.EXCHANGE, "own-x", Permission.WRITE),
        ReplyCode.ACCESS_REFUSED,
        "write access to exchange 'own-x' in vhost '/' refused for user 'reader'");
  }

  @Test
  void anyPermissionIsEnoughToSeeSomething() {
    VhostAccess access = access("reader");
    access.checkAny(ResourceKind.QUEUE, "own-q");
    access.checkAny(ResourceKind.QUEUE, "shared-q");
    assertRefused(
        () -> access.checkAny(ResourceKind.QUEUE, "q"),
        ReplyCode.ACCESS_REFUSED,
        "configure access to queue 'q' in vhost '/' refused for user 'reader'");
    change(state.withPermissions("reader", VHOST, Permissions.of("", "^q", "")));
    access.checkAny(ResourceKind.QUEUE, "q");
  }

  @Test
  void defaultExchangeIsCheckedAsAmqDefault() {
    VhostAccess access = access("reader");
    assertRefused(
        () -> access.check(ResourceKind.EXCHANGE, "", Permission.WRITE),
        ReplyCode.ACCESS_REFUSED,
        "write access to exchange 'amq.default' in vhost '/' refused for user 'reader'");
    change(state.withPermissions("reader", VHOST, Permissions.of("", "^amq\\.default$", "")));
    access.check(ResourceKind.EXCHANGE, "", Permission.WRITE);
    assertThat(access.allows(ResourceKind.QUEUE, "q", Permission.WRITE)).isFalse();
  }

  @Test
  void changedPermissionsApplyToOpenConnections() {
    VhostAccess access = access("reader");
    assertThat(access.allows(ResourceKind.QUEUE, "q", Permission.WRITE)).isFalse();
    change(state.withPermissions("reader", VHOST, Permissions.ALL));
    assertThat(access.allows(ResourceKind.QUEUE, "q", Permission.WRITE)).isTrue();
    change(state.withoutPermissions("reader", VHOST));
    assertThat(access.allows(ResourceKind.QUEUE, "q", Permission.WRITE)).isFalse();
    assertThat(access.allows(ResourceKind.QUEUE, "", Permission.WRITE)).isFalse();
    change(state.withPermissions("reader", VHOST, Permissions.ALL).withoutUser("reader"));
    assertThat(access.allows(ResourceKind.QUEUE, "q", Permission.WRITE)).isFalse();
  }

  @Test
  void topicPermissionsRestrictRoutingKeys() {
    VhostAccess access = access("reader");
    access.checkTopic("amq.topic", "any.key", Permission.WRITE);
    change(
        state.withTopicPermissions(
            "reader", VHOST, "amq.topic", new TopicPermissions("^{username}-{vhost}\\.", "^x")));
    access.checkTopic("amq.topic", "reader-/.a", Permission.WRITE);
    access.checkTopic("amq.topic", "xyz", Permission.READ);
    access.checkTopic("other.topic", "any.key", Permission.WRITE);
    assertRefused(
        () -> access.checkTopic("amq.topic", "any.key", Permission.WRITE),
        ReplyCode.ACCESS_REFUSED,
        "write access to topic 'any.key' in exchange 'amq.topic' in vhost '/' refused for user"
            + " 'reader'");
    assertRefused(
        () -> access.checkTopic("amq.topic", "reader-/.a", Permission.READ),
        ReplyCode.ACCESS_REFUSED,
        "read access to topic 'reader-/.a' in exchange 'amq.topic' in vhost '/' refused for user"
            + " 'reader'");
    change(
        state.withTopicPermissions(
            "reader", VHOST, "amq.topic", new TopicPermissions("^any", "^any")));
    access.checkTopic("amq.topic", "any.key", Permission.WRITE);
    assertThatThrownBy(() -> access.checkTopic("amq.topic", "reader-/.a", Permission.WRITE))
        .isInstanceOf(ChannelException.class);
    change(state.withoutTopicPermissions("reader", VHOST, "amq.topic"));
    access.checkTopic("amq.topic", "reader-/.a", Permission.WRITE);
  }

  @Test
  void variablesInTopicPermissionsMatchLiterally() {
    change(
        state.withTopicPermissions(
            "guest", VHOST, "t", new TopicPermissions("^{client_id}$", "^{missing}$")));
    VhostAccess access = control.checkVhostAccess("guest", VHOST, Map.of("client_id", ".*"));
    access.checkTopic("t", ".*", Permission.WRITE);
    assertThatThrownBy(() -> access.checkTopic("t", "ab", Permission.WRITE))
        .isInstanceOf(ChannelException.class);
    assertThatThrownBy(() -> access.checkTopic("t", "ab", Permission.READ))
        .isInstanceOf(ChannelException.class);
  }

  @Test
  void invalidTopicPermissionPatternsAreRefusedOrMatchNothing() {
    TopicPermissions kept = new TopicPermissions("((a{1000}){1000}){1000}", "^b");
    assertThat(kept.problem()).contains("is too large");
    assertThat(kept.expand(Permission.WRITE, Map.of()).matches("aaa")).isFalse();
    assertThat(kept.expand(Permission.READ, Map.of()).matches("b")).isTrue();
    assertThatCode(() -> TopicPermissions.of("^{username}", "")).doesNotThrowAnyException();
    assertThatThrownBy(() -> TopicPermissions.of("(", ""))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> TopicPermissions.of("", "["))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void onlyImpersonatorsMayPublishWithTheUserIdOfAnotherUser() {
    VhostAccess access = access("reader");
    access.checkUserId(null);
    access.checkUserId("reader");
    assertRefused(
        () -> access.checkUserId("guest"),
        ReplyCode.PRECONDITION_FAILED,
        "user_id property set to 'guest' but authenticated user was 'reader'");
    change(state.withUser(reader.withTags(List.of(User.IMPERSONATOR))));
    access.checkUserId("guest");
  }

  @Test
  void deletingAUserDeletesItsPermissions() {
    change(state.withTopicPermissions("reader", VHOST, "t", new TopicPermissions("a", "b")));
    SecurityState without = state.withoutUser("reader");
    assertThat(without.users()).extracting(User::name).containsExactly("guest");
    assertThat(without.permissions())
        .containsExactly(new PermissionEntry("guest", VHOST, Permissions.ALL));
    assertThat(without.topicPermissions()).isEmpty();
    assertThat(state.topicPermissions())
        .containsExactly(
            new TopicPermissionEntry("reader", VHOST, "t", new TopicPermissions("a", "b")));
    assertThat(without.withoutUser("reader")).isSameAs(without);
  }

  @Test
  void deletingAVhostDeletesItsPermissions() {
    SecurityState other =
        state
            .withPermissions("reader", "other", Permissions.ALL)
            .withTopicPermissions("reader", "other", "t", new TopicPermissions("a", "b"))
            .withoutVhost("other");
    assertThat(other.permissions()).containsExactlyInAnyOrderElementsOf(state.permissions());
    assertThat(other.topicPermissions()).isEmpty();
  }

  @Test
  void permissionsNeedAnExistingUser() {
    assertThatThrownBy(() -> state.withPermissions("unknown", VHOST, Permissions.ALL))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(
            () -> state.withTopicPermissions("unknown", VHOST, "t", new TopicPermissions("", "")))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
