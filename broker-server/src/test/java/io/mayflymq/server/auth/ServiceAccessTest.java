package io.mayflymq.server.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.core.security.AnswerAwaitedException;
import io.mayflymq.core.security.Permission;
import io.mayflymq.core.security.ResourceKind;
import io.mayflymq.protocol.types.ChannelException;
import io.mayflymq.protocol.types.ReplyCode;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What a service allows, as a connection asks for it: commands are repeated by the test. */
class ServiceAccessTest {
  private static final AuthenticatedUser ANN =
      new AuthenticatedUser("ann", List.of("impersonator"), List.of(), "http");

  private final StubService service = new StubService();
  private int cleared;
  private final ServiceBackend backend = new ServiceBackend("http", service, false, () -> cleared);
  private final ServiceAccess access = new ServiceAccess(backend, ANN, "/");

  private static Question resource(ResourceKind kind, String name, Permission permission) {
    return new Question.Resource(ANN, "/", kind, name, permission);
  }

  private static Question topic(String key, Permission permission) {
    return new Question.Topic(ANN, "/", "events", permission, key);
  }

  /** Runs a command as a connection does; returns how often it was run. */
  private int run(Runnable command) {
    for (int runs = 1; ; runs++) {
      try {
        command.run();
      } catch (AnswerAwaitedException e) {
        assertThat(e.answer()).isNotDone();
        Set.copyOf(service.open.keySet()).forEach(service::answer);
        assertThat(e.answer()).isDone();
        continue;
      } catch (ChannelException e) {
        access.commandEnded();
        throw e;
      }
      access.commandEnded();
      return runs;
    }
  }

  @Test
  void theDefaultExchangeHasItsNameForPermissions() {
    service.answers.put(
        resource(ResourceKind.EXCHANGE, "amq.default", Permission.WRITE), Answer.ALLOWED);
    access.check(ResourceKind.EXCHANGE, "", Permission.WRITE);
    access.check(ResourceKind.EXCHANGE, "", Permission.WRITE);
    assertThat(service.asked).hasSize(1);
  }

  @Test
  void aCommandIsRepeatedUntilItHasAllItsAnswersAndEachIsAskedOnce() {
    service.isSlow = true;
    List<Question> all =
        List.of(
            resource(ResourceKind.QUEUE, "q", Permission.WRITE),
            resource(ResourceKind.EXCHANGE, "events", Permission.READ),
            topic("a.#", Permission.READ));
    all.forEach(each -> service.answers.put(each, Answer.ALLOWED));
    Runnable bind =
        () -> {
          access.check(ResourceKind.QUEUE, "q", Permission.WRITE);
          access.check(ResourceKind.EXCHANGE, "events", Permission.READ);
          access.checkTopic("events", "a.#", Permission.READ);
        };
    assertThat(run(bind)).isEqualTo(4);
    assertThat(run(bind)).isEqualTo(1);
    assertThat(service.asked).isEqualTo(all);
  }

  @Test
  void aRefusalIsThatOfTheBrokerAndIsNotKept() {
    service.isSlow = true;
    Question write = resource(ResourceKind.EXCHANGE, "e", Permission.WRITE);
    service.answers.put(write, Answer.refused("not on Sundays"));
    Runnable publish = () -> access.check(ResourceKind.EXCHANGE, "e", Permission.WRITE);
    assertThatThrownBy(() -> run(publish))
        .isInstanceOfSatisfying(
            ChannelException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ReplyCode.ACCESS_REFUSED);
              assertThat(e.detail())
                  .isEqualTo("write access to exchange 'e' in vhost '/' refused for user 'ann'");
            });
    service.answers.put(write, Answer.ALLOWED);
    assertThat(run(publish)).isEqualTo(2);
  }

  @Test
  void anyPermissionWillDoForAPassiveDeclaration() {
    service.isSlow = true;
    service.answers.put(resource(ResourceKind.QUEUE, "q", Permission.WRITE), Answer.refused(""));
    service.answers.put(resource(ResourceKind.QUEUE, "q", Permission.READ), Answer.refused(""));
    service.answers.put(resource(ResourceKind.QUEUE, "q", Permission.CONFIGURE), Answer.ALLOWED);
    assertThat(run(() -> access.checkAny(ResourceKind.QUEUE, "q"))).isEqualTo(4);
    assertThat(service.asked).hasSize(3);
  }

  @Test
  void aServiceThatIsDownRefusesWithoutSayingMore() {
    ServiceAccess disclosing =
        new ServiceAccess(new ServiceBackend("http", service, true, () -> 0), ANN, "/");
    assertThatThrownBy(() -> disclosing.check(ResourceKind.QUEUE, "q", Permission.READ))
        .hasMessageEndingWith("refused for user 'ann'");
    service.answers.put(
        resource(ResourceKind.QUEUE, "q", Permission.READ), Answer.refused("closed"));
    assertThatThrownBy(() -> disclosing.check(ResourceKind.QUEUE, "q", Permission.READ))
        .hasMessageEndingWith("refused for user 'ann' by backend rabbit_auth_backend_http: closed");
  }

  @Test
  void aMessageWithMoreKeysThanAreKeptGetsThrough() {
    service.isSlow = true;
    int keys = ServiceAccess.MOST_KEPT + 50;
    for (int i = 0; i < keys; i++) {
      service.answers.put(topic("k" + i, Permission.WRITE), Answer.ALLOWED);
    }
    Runnable publish =
        () -> {
          for (int i = 0; i < keys; i++) {
            access.checkTopic("events", "k" + i, Permission.WRITE);
          }
        };
    assertThat(run(publish)).isEqualTo(keys + 1);
    assertThat(service.asked).hasSize(keys);
  }

  @Test
  void aCommandWithTooManyQuestionsIsRefused() {
    service.isSlow = true;
    for (int i = 0; i <= ServiceAccess.MOST_OF_COMMAND; i++) {
      service.answers.put(topic("k" + i, Permission.WRITE), Answer.ALLOWED);
    }
    Runnable publish =
        () -> {
          for (int i = 0; i <= ServiceAccess.MOST_OF_COMMAND; i++) {
            access.checkTopic("events", "k" + i, Permission.WRITE);
          }
        };
    assertThatThrownBy(() -> run(publish)).hasMessageContaining("write access to topic 'k1000'");
    assertThat(service.asked).hasSize(ServiceAccess.MOST_OF_COMMAND);
  }

  @Test
  void whatIsKeptIsAskedAgainWhenItIsToBeForgotten() {
    service.answers.put(resource(ResourceKind.QUEUE, "q", Permission.READ), Answer.ALLOWED);
    Runnable get = () -> access.check(ResourceKind.QUEUE, "q", Permission.READ);
    run(get);
    run(get);
    assertThat(service.asked).hasSize(1);
    cleared++;
    run(get);
    assertThat(service.asked).hasSize(2);
    access.forget();
    run(get);
    assertThat(service.asked).hasSize(3);
  }

  @Test
  void tagsAreThoseOfTheLogin() {
    access.checkUserId("bob");
    assertThat(access.isMonitor()).isFalse();
  }
}
