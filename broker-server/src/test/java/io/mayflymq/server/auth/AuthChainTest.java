package io.mayflymq.server.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.core.security.AccessControl;
import io.mayflymq.core.security.Credentials;
import io.mayflymq.core.security.PasswordHash;
import io.mayflymq.core.security.Permissions;
import io.mayflymq.core.security.SecurityState;
import io.mayflymq.core.security.User;
import io.mayflymq.protocol.types.ConnectionException;
import io.mayflymq.server.config.Configuration;
import java.net.InetAddress;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class AuthChainTest {
  private static final InetAddress NEAR = InetAddress.getLoopbackAddress();

  private final StubService service = new StubService();
  private final AccessControl control =
      new AccessControl(
          SecurityState.EMPTY
              .withUser(new User("ann", PasswordHash.of("inner"), List.of("monitoring")))
              .withPermissions("ann", "/", Permissions.ALL),
          Set.of("guest"),
          () -> Instant.EPOCH);

  private AuthChain chain(String... sets) throws Exception {
    List<String> all = new ArrayList<>(List.of(sets));
    for (String path : List.of("user", "vhost", "resource", "topic")) {
      all.add("auth_http." + path + "_path=http://127.0.0.1/auth/" + path);
    }
    return new AuthChain(
        Configuration.load(Optional.empty(), Map.of(), all).settings().auth(),
        control,
        Map.of("http", service),
        List.of());
  }

  private static CompletableFuture<LoginResult> begin(AuthChain chain, String user, String password)
      throws Exception {
    return chain.login(LoginAttempt.of(new Credentials(user, password)), NEAR);
  }

  private static AuthenticatedUser login(AuthChain chain, String user, String password)
      throws Exception {
    return ((LoginResult.Accepted) begin(chain, user, password).join()).user();
  }

  private static String refusal(AuthChain chain, String user, String password) throws Exception {
    return ((LoginResult.Refused) begin(chain, user, password).join()).refusal().reason();
  }

  private static Question question(String user, String password) {
    return new Question.Login(user, password);
  }

  @Test
  void theBrokersOwnUsersLogInAtOnceAndRefusalsReadAsBefore() throws Exception {
    AuthChain chain = chain();
    assertThat(begin(chain, "ann", "inner")).isDone();
    AuthenticatedUser ann = login(chain, "ann", "inner");
    assertThat(ann.isInternal()).isTrue();
    assertThat(ann.tags()).containsExactly("monitoring");
    assertThat(ann.given()).isEmpty();
    assertThat(refusal(chain, "ann", "wrong")).isEqualTo("user 'ann' - invalid credentials");
    assertThat(service.asked).isEmpty();
  }

  @Test
  void theNextBackendIsAskedAfterARefusalAndAfterAFailure() throws Exception {
    AuthChain chain = chain("auth_backends.1=http", "auth_backends.2=internal");
    service.answers.put(question("ann", "outer"), Answer.allowed(List.of("policymaker")));
    AuthenticatedUser outer = login(chain, "ann", "outer");
    assertThat(outer.authorizer()).isEqualTo("http");
    assertThat(outer.tags()).containsExactly("policymaker");
    service.answers.put(question("ann", "inner"), Answer.refused("locked"));
    assertThat(login(chain, "ann", "inner").isInternal()).isTrue();
    service.answers.clear();
    assertThat(login(chain, "ann", "inner").isInternal()).isTrue();
  }

  @Test
  void aRefusalHasTheReasonsOfAllAndNoPassword() throws Exception {
    AuthChain chain = chain("auth_backends.1=internal", "auth_backends.2=http");
    service.answers.put(question("bob", "hunter2"), Answer.refused("locked"));
    assertThat(refusal(chain, "bob", "hunter2"))
        .isEqualTo(
            "internal: user 'bob' - invalid credentials; http: user 'bob' - refused: locked");
    service.answers.clear();
    assertThat(refusal(chain, "bob", "hunter2"))
        .endsWith("; http: user 'bob' - no answer: down")
        .doesNotContain("hunter2");
    assertThat(question("bob", "hunter2").toString()).doesNotContain("hunter2");
    assertThat(new LoginAttempt("bob", "hunter2").toString()).doesNotContain("hunter2");
  }

  @Test
  void oneBackendChecksThePasswordAndAnotherDecidesOnRights() throws Exception {
    AuthChain chain = chain("auth_backends.1.authn=http", "auth_backends.1.authz=internal");
    service.answers.put(question("ann", "outer"), Answer.allowed(List.of("impersonator")));
    AuthenticatedUser ann = login(chain, "ann", "outer");
    assertThat(ann.isInternal()).isTrue();
    assertThat(ann.tags()).containsExactly("impersonator", "monitoring");
    assertThat(ann.given()).containsExactly("impersonator");
    chain.access(ann, "/").checkUserId("bob");
    service.answers.put(question("bob", "outer"), Answer.ALLOWED);
    assertThat(refusal(chain, "bob", "outer")).isEqualTo("user 'bob' - invalid credentials");
  }

  @Test
  void aServiceIsAskedOnceForALoginThatIsAboutBoth() throws Exception {
    for (String name : List.of("http", "cache")) {
      service.asked.clear();
      AuthChain chain = chain("auth_backends.1=" + name, "auth_cache.cached_backend=http");
      service.answers.put(question("ann", "outer"), Answer.ALLOWED);
      login(chain, "ann", "outer");
      assertThat(service.asked).containsExactly(question("ann", "outer"));
    }
  }

  @Test
  void theCacheIsAskedInsteadAndForgets() throws Exception {
    AuthChain chain = chain("auth_backends.1=cache", "auth_cache.cached_backend=http");
    service.answers.put(question("ann", "outer"), Answer.ALLOWED);
    login(chain, "ann", "outer");
    login(chain, "ann", "outer");
    assertThat(service.asked).hasSize(1);
    chain.forget("bob");
    login(chain, "ann", "outer");
    assertThat(service.asked).hasSize(1);
    chain.forget("ann");
    login(chain, "ann", "outer");
    assertThat(service.asked).hasSize(2);
  }

  @Test
  void aLoginWaitsForTheServiceWithoutAThread() throws Exception {
    AuthChain chain = chain("auth_backends.1=http");
    service.isSlow = true;
    service.answers.put(question("ann", "outer"), Answer.ALLOWED);
    CompletableFuture<LoginResult> begun = begin(chain, "ann", "outer");
    assertThat(begun).isNotDone();
    service.answer(question("ann", "outer"));
    assertThat(begun.join()).isInstanceOf(LoginResult.Accepted.class);
  }

  @Test
  void aProvedNameIsAskedForWithoutAPassword() throws Exception {
    AuthChain chain = chain("auth_backends.1=http");
    service.answers.put(question("ann", null), Answer.ALLOWED);
    assertThat(chain.login(LoginAttempt.proved("ann"), NEAR).join())
        .isInstanceOf(LoginResult.Accepted.class);
    assertThat(chain.loginInternal("bob", NEAR).join()).isInstanceOf(LoginResult.Refused.class);
  }

  @Test
  void aUserOfThisMachineOnlyIsThatForEveryBackendAndFailuresAreDelayedOnce() throws Exception {
    AuthChain chain = chain("auth_backends.1=internal", "auth_backends.2=http");
    service.answers.put(question("guest", "guest"), Answer.ALLOWED);
    InetAddress far = InetAddress.getByAddress(new byte[] {10, 0, 0, 1});
    LoginAttempt guest = new LoginAttempt("guest", "guest");
    for (int i = 0; i < 5; i++) {
      LoginResult.Refused refused = (LoginResult.Refused) chain.login(guest, far).join();
      assertThat(refused.refusal().reason())
          .isEqualTo("user 'guest' can only connect via localhost");
      assertThat(refused.refusal().pauseMillis()).isZero();
    }
    assertThat(((LoginResult.Refused) chain.login(guest, far).join()).refusal().pauseMillis())
        .isEqualTo(100);
    assertThat(login(chain, "guest", "guest").authorizer()).isEqualTo("http");
  }

  @Test
  void aServiceDecidesWhoEntersAVirtualHost() throws Exception {
    AuthChain chain = chain("auth_backends.1=http");
    AuthenticatedUser ann = new AuthenticatedUser("ann", List.of("t"), List.of("t"), "http");
    service.answers.put(new Question.Vhost(ann, "/", "127.0.0.1"), Answer.ALLOWED);
    assertThat(chain.enter(ann, "/", NEAR).join()).isNull();
    assertThat(chain.mayEnter(ann, "other", NEAR).join()).isFalse();
    ConnectionException refused = chain.enter(ann, "other", NEAR).join();
    assertThat(refused.detail()).isEqualTo("access to vhost 'other' refused for user 'ann'");
  }

  @Test
  void aUserOfABackendThatThisNodeDoesNotHaveIsRefusedEverything() throws Exception {
    AuthChain chain =
        new AuthChain(
            Configuration.load(Optional.empty(), Map.of(), List.of()).settings().auth(),
            control,
            Map.of(),
            List.of());
    AuthenticatedUser ann = new AuthenticatedUser("ann", List.of(), List.of(), "http");
    assertThat(chain.mayEnter(ann, "/", NEAR).join()).isFalse();
    AuthenticatedUser gone = new AuthenticatedUser("bob", List.of(), List.of(), "internal");
    assertThatThrownBy(() -> chain.access(gone, "/")).isInstanceOf(ConnectionException.class);
  }
}
