package io.mayflymq.server.auth;

import io.mayflymq.core.security.AnswerAwaitedException;
import io.mayflymq.core.security.Permission;
import io.mayflymq.core.security.ResourceKind;
import io.mayflymq.core.security.VhostAccess;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * What a service allows a user in a virtual host. It is asked on the first use of something; what
 * it has allowed is kept as long as the connection, as in RabbitMQ's channels, and refusals are
 * not. For one thread at a time.
 *
 * <p>A command that needs several answers is repeated after each of them. All answers that came for
 * it, refusals too, are kept until it is over, so each repetition gets further.
 */
final class ServiceAccess extends VhostAccess {
  /** How many permissions are kept; those that were not used for longest are asked for again. */
  static final int MOST_KEPT = 100;

  /** How many answers one command may need: a message has a routing key for each of its CCs. */
  static final int MOST_OF_COMMAND = 1_000;

  private final ServiceBackend backend;
  private final AuthenticatedUser user;
  private final LinkedHashMap<Question, Boolean> kept = new LinkedHashMap<>(4, 0.75f, true);

  /** What the current command has asked. */
  private final Map<Question, CompletableFuture<Answer>> asked = new HashMap<>(2);

  /** The last answer that was no. */
  private Answer refusal;

  private int cleared;

  private final LastAllowed last = new LastAllowed();

  ServiceAccess(ServiceBackend backend, AuthenticatedUser user, String vhost) {
    super(user.name(), vhost);
    this.backend = backend;
    this.user = user;
    this.cleared = backend.cleared();
  }

  @Override
  public boolean allows(ResourceKind kind, String name, Permission permission) {
    forgetIfCleared();
    if (last.is(kind, name, permission)) {
      return true;
    }
    String known = permissionName(kind, name);
    boolean allowed = decide(new Question.Resource(user, vhost(), kind, known, permission));
    if (allowed) {
      last.was(kind, name, permission);
    }
    return allowed;
  }

  @Override
  public boolean allowsTopic(String exchange, String routingKey, Permission permission) {
    forgetIfCleared();
    if (last.isTopic(exchange, routingKey, permission)) {
      return true;
    }
    boolean allowed = decide(new Question.Topic(user, vhost(), exchange, permission, routingKey));
    if (allowed) {
      last.wasTopic(exchange, routingKey, permission);
    }
    return allowed;
  }

  @Override
  public boolean hasTag(String tag) {
    return user.tags().contains(tag);
  }

  /** Logs why; the client is mostly not told. */
  @Override
  public String refusal(String text) {
    return text + backend.refused(text, refusal);
  }

  private boolean decide(Question question) {
    if (kept.get(question) != null) {
      return true;
    }
    Answer answer = answer(question);
    if (!answer.isAllowed()) {
      refusal = answer;
    } else if (asked.isEmpty()) {
      keep(question);
    }
    return answer.isAllowed();
  }

  private Answer answer(Question question) {
    CompletableFuture<Answer> answer = asked.get(question);
    if (answer == null) {
      if (asked.size() >= MOST_OF_COMMAND) {
        return Answer.failed("one command needs more than " + MOST_OF_COMMAND + " answers");
      }
      answer = backend.ask(question);
      if (!answer.isDone() || !asked.isEmpty()) {
        asked.put(question, answer);
      }
    }
    if (!answer.isDone()) {
      throw new AnswerAwaitedException(answer);
    }
    return answer.join();
  }

  @Override
  public void commandEnded() {
    asked.forEach(
        (question, answer) -> {
          if (answer.isDone() && answer.join().isAllowed()) {
            keep(question);
          }
        });
    asked.clear();
  }

  private void keep(Question question) {
    kept.put(question, true);
    if (kept.size() > MOST_KEPT) {
      Iterator<Question> eldest = kept.keySet().iterator();
      eldest.next();
      eldest.remove();
    }
  }

  private void forgetIfCleared() {
    int latest = backend.cleared();
    if (latest != cleared) {
      cleared = latest;
      forget();
    }
  }

  /** Asks again from now on. */
  @Override
  public void forget() {
    kept.clear();
    last.forget();
  }
}
