package io.mayflymq.server.auth;

import io.mayflymq.core.runtime.LogLineLimit;
import io.mayflymq.core.security.VhostAccess;
import java.net.InetAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Users whom a service elsewhere knows. What they may do is asked there too. */
final class ServiceBackend implements AuthBackend {
  private static final Logger LOGGER = LoggerFactory.getLogger(ServiceBackend.class);

  private static final int MOST_LINES = 100;
  private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final LogLineLimit failures =
      new LogLineLimit(MOST_LINES, PERIOD_NANOS, System::nanoTime);
  private final String name;
  private final AuthService service;
  private final boolean discloses;
  private final IntSupplier cleared;
  private final AnswerCounts answers = new AnswerCounts();

  /**
   * @param name in the configuration
   * @param discloses whether clients are told why the service refuses something
   * @param cleared how often kept answers were to be forgotten
   */
  ServiceBackend(String name, AuthService service, boolean discloses, IntSupplier cleared) {
    this.name = name;
    this.service = service;
    this.discloses = discloses;
    this.cleared = cleared;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public CompletableFuture<Answer> authenticate(LoginAttempt attempt) {
    return ask(new Question.Login(attempt.username(), attempt.password()));
  }

  /** The service is asked the same, as in RabbitMQ: it has no other question about a user. */
  @Override
  public CompletableFuture<Answer> recognize(LoginAttempt attempt) {
    return authenticate(attempt);
  }

  @Override
  public CompletableFuture<Answer> enter(
      AuthenticatedUser user, String vhost, InetAddress address) {
    return ask(new Question.Vhost(user, vhost, text(address)));
  }

  @Override
  public VhostAccess access(AuthenticatedUser user, String vhost) {
    return new ServiceAccess(this, user, vhost);
  }

  CompletableFuture<Answer> ask(Question question) {
    long askedAt = System.nanoTime();
    return service
        .ask(question)
        .thenApply(
            answer -> {
              answers.add(answer, askedAt);
              return answer;
            });
  }

  /** Returns how it has answered. */
  AnswerCounts answers() {
    return answers;
  }

  /** Returns how often kept answers were to be forgotten. */
  int cleared() {
    return cleared.getAsInt();
  }

  /**
   * Logs why, if the service has given a reason. Clients are told that reason if it is configured;
   * of a failure they are never told more.
   */
  @Override
  public String refused(String refusal, Answer answer) {
    boolean failed = answer.kind() == Answer.Kind.FAILED;
    if (failed) {
      LogLineLimit.Verdict verdict = failures.next();
      if (verdict.isAdmitted()) {
        LOGGER.warn("{}: backend {}: {}{}", refusal, name, answer.reason(), verdict.leftOut());
      }
    } else if (!answer.reason().isEmpty()) {
      LOGGER.info("{}: backend {}: {}", refusal, name, answer.reason());
    }
    return discloses && !failed && !answer.reason().isEmpty()
        ? " by backend rabbit_auth_backend_%s: %s".formatted(name, answer.reason())
        : "";
  }

  /** An address without the name of the interface that it is reached by. */
  private static String text(InetAddress address) {
    if (address == null) {
      return "";
    }
    String text = address.getHostAddress();
    int scope = text.indexOf('%');
    return scope < 0 ? text : text.substring(0, scope);
  }
}
