package io.mayflymq.server.auth.ldap;

import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.core.runtime.LogLineLimit;
import io.mayflymq.server.auth.Answer;
import io.mayflymq.server.auth.AuthService;
import io.mayflymq.server.auth.AuthenticatedUser;
import io.mayflymq.server.auth.LoginState;
import io.mayflymq.server.auth.OpenQuestions;
import io.mayflymq.server.auth.Question;
import io.mayflymq.server.auth.ldap.query.Query;
import io.mayflymq.server.auth.ldap.query.Subject;
import io.mayflymq.server.auth.ldap.query.UndecidedException;
import io.mayflymq.server.auth.ldap.query.Variable;
import io.mayflymq.server.config.AuthLdapSettings;
import io.mayflymq.server.config.AuthLdapSettings.Bind;
import io.mayflymq.server.config.AuthLdapSettings.Encryption;
import io.mayflymq.server.config.AuthLdapSettings.Lookup;
import io.mayflymq.server.config.AuthLdapSettings.Server;
import io.mayflymq.server.tls.ClientTls;
import io.mayflymq.server.tls.TlsException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory, asked by LDAP. The library waits for answers, so it is called by threads of its
 * own: as many as there may be connections, and none while there is nothing to ask. Further
 * questions wait in order, and their number is bounded. Equal questions of the same moment are
 * asked once. A server that fails leaves the question to the next one. An answer is there within
 * the time limit, with all waiting, or the question has failed.
 */
public final class LdapAuthService implements AuthService {
  private static final Logger LOGGER = LoggerFactory.getLogger(LdapAuthService.class);

  private static final int MOST_WAITING = 10_000;
  private static final int MOST_LINES = 100;
  private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(10);

  /**
   * How much later a question fails whose thread cannot say why, such as in a look-up of a name.
   */
  private static final int GRACE_MILLIS = 500;

  private static final Answer PLAIN_NO = Answer.refused("");

  private final AuthLdapSettings settings;
  private final SSLContext context;
  private final ExecutorService threads;
  private final LdapServers servers;
  private final Bind asUser;
  private final OpenQuestions questions;
  private final AtomicInteger waiting = new AtomicInteger();
  private final Set<LdapSession> sessions = ConcurrentHashMap.newKeySet();
  private final LogLineLimit undecidedTags =
      new LogLineLimit(MOST_LINES, PERIOD_NANOS, System::nanoTime);

  private LdapAuthService(AuthLdapSettings settings, SSLContext context, ExecutorService threads) {
    this.settings = settings;
    this.context = context;
    this.threads = threads;
    this.questions = new OpenQuestions(settings.timeoutMillis(), GRACE_MILLIS);
    this.servers = new LdapServers(settings, threads, System::nanoTime);
    this.asUser = new Bind("the login", Bind.Kind.AS_USER, null, null);
  }

  /**
   * Makes a client of the directory. Nothing is sent before the first question.
   *
   * @param factory makes its threads
   * @throws TlsException if a certificate or a key cannot be used
   */
  public static LdapAuthService start(AuthLdapSettings settings, BrokerThreads factory)
      throws TlsException {
    SSLContext context =
        settings.encryption() == Encryption.NONE ? null : ClientTls.context(settings.tls());
    return new LdapAuthService(
        settings, context, factory.auxiliaryPool("auth-ldap", settings.mostConnections()));
  }

  /** What is asked for an answer. */
  private interface Steps {
    Answer take(LdapSession session) throws UndecidedException, IOException;
  }

  @Override
  public CompletableFuture<Answer> ask(Question question) {
    if (question instanceof Question.Login login) {
      Answer unasked = unasked(login);
      return unasked != null
          ? CompletableFuture.completedFuture(unasked)
          : ask(question, session -> login(login, session));
    }
    Query query = query(question);
    AuthenticatedUser user = user(question);
    Subject subject = subject(question, user);
    if (!query.needsDirectory()) {
      return CompletableFuture.completedFuture(locally(query, subject));
    }
    return ask(question, session -> access(query, subject, user.state(), session));
  }

  // Waiting, and the choice of a server

  private CompletableFuture<Answer> ask(Question question, Steps steps) {
    long endNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(settings.timeoutMillis());
    return questions.ask(question, answer -> begin(steps, endNanos, answer));
  }

  private void begin(Steps steps, long endNanos, CompletableFuture<Answer> answer) {
    if (waiting.incrementAndGet() > MOST_WAITING) {
      waiting.decrementAndGet();
      answer.complete(
          Answer.failed("%d questions wait for the directory already".formatted(MOST_WAITING)));
      return;
    }
    try {
      threads.execute(
          () -> {
            waiting.decrementAndGet();
            answer(steps, endNanos, answer);
          });
    } catch (RejectedExecutionException e) {
      answer.complete(OpenQuestions.STOPPING);
    }
  }

  private void answer(Steps steps, long endNanos, CompletableFuture<Answer> answer) {
    if (answer.isDone()) {
      return;
    }
    try {
      answer.complete(answer(steps, endNanos));
    } catch (RuntimeException | Error e) {
      answer.complete(Answer.failed(e.getClass().getSimpleName()));
      throw e;
    }
  }

  /** Each server has an equal part of the time that is left. */
  private Answer answer(Steps steps, long endNanos) {
    List<String> failures = new ArrayList<>();
    List<Server> order = servers.inOrder();
    for (int i = 0; i < order.size(); i++) {
      long millis = TimeUnit.NANOSECONDS.toMillis(endNanos - System.nanoTime());
      if (millis <= 0) {
        break;
      }
      Answer answer = attempt(steps, order.get(i), millis / (order.size() - i), failures);
      if (answer != null) {
        return answer;
      }
    }
    return Answer.failed(
        failures.isEmpty()
            ? "all %d connections to the directory are in use".formatted(settings.mostConnections())
            : String.join("; ", failures));
  }

  /** Returns null with a further failure if the server gives no answer. */
  private Answer attempt(Steps steps, Server server, long millis, List<String> failures) {
    long endNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    for (boolean isRepeated = false; ; isRepeated = true) {
      long left = TimeUnit.NANOSECONDS.toMillis(endNanos - System.nanoTime());
      try (LdapSession session =
          new LdapSession(settings, context, servers, server, Math.max(1, left))) {
        sessions.add(session);
        try {
          Answer answer = take(steps, session);
          session.succeeded();
          servers.hasAnswered(server);
          return answer;
        } catch (IOException e) {
          boolean isSilent =
              session.isOver() || (e instanceof ServerFailedException failed && failed.isSilent());
          if (isSilent) {
            servers.wasSilent(server);
          }
          servers.closeIdle(server);
          // A server may close a connection in the moment in which it is used again.
          if (isSilent || isRepeated || !session.isReusing()) {
            failures.add(
                "%s: %s"
                    .formatted(
                        server,
                        isSilent ? "no answer within %d ms".formatted(millis) : e.getMessage()));
            return null;
          }
        } finally {
          sessions.remove(session);
        }
      }
    }
  }

  private static Answer take(Steps steps, LdapSession session) throws IOException {
    try {
      return steps.take(session);
    } catch (UndecidedException e) {
      return Answer.failed(e.getMessage());
    }
  }

  // Logins

  /** Returns the answer to a login that needs no question; null for others. */
  private Answer unasked(Question.Login login) {
    if (login.username().isBlank()) {
      return Answer.refused("the user name is empty");
    }
    if (login.password() == null) {
      return settings.otherBind().kind() == Bind.Kind.AS_USER
          ? Answer.failed("a login without a password needs an account in auth_ldap.other_bind")
          : null;
    }
    // A bind without a password is an anonymous one, which succeeds (RFC 4513, 5.1.2).
    return login.password().isEmpty()
        ? Answer.refused("unauthenticated bind not allowed: the password is empty")
        : null;
  }

  private Answer login(Question.Login login, LdapSession session)
      throws UndecidedException, IOException {
    Subject subject = Subject.user(login.username());
    String dn = null;
    if (settings.lookup().isPresent() && (login.password() == null || looksUpFirst())) {
      session.actAs(looksUpFirst() ? settings.lookupBind() : settings.otherBind());
      dn = find(subject, session);
      if (dn == null) {
        return noEntry(subject);
      }
    }
    if (login.password() == null) {
      dn = dn == null ? settings.dnPattern().fillDn(subject) : dn;
      session.actAs(settings.otherBind());
      return session.exists(dn)
          ? accepted(login, dn, subject, session)
          : Answer.refused("there is no entry '%s'".formatted(dn));
    }
    String name = bindName(subject, dn);
    if (name.isBlank()) {
      return Answer.refused("the name for the bind is empty");
    }
    String refusal = session.actAsUser(asUser, name, login.password());
    if (refusal != null) {
      return Answer.refused("the directory refuses the bind of '%s': %s".formatted(name, refusal));
    }
    if (dn == null) {
      dn =
          settings.lookup().isPresent()
              ? find(subject, session)
              : settings.dnPattern().fillDn(subject);
    }
    return dn == null ? noEntry(subject) : accepted(login, dn, subject, session);
  }

  /** Returns whether the entry of a user is looked up before the password is checked. */
  private boolean looksUpFirst() {
    return settings.lookupBind().kind() != Bind.Kind.AS_USER;
  }

  private String find(Subject subject, LdapSession session) throws UndecidedException, IOException {
    return session.find(settings.lookup().orElseThrow(), settings.dnPattern().fill(subject));
  }

  private Answer noEntry(Subject subject) throws UndecidedException {
    Lookup lookup = settings.lookup().orElseThrow();
    return Answer.refused(
        "no entry below '%s' has '%s' as its %s"
            .formatted(lookup.base(), settings.dnPattern().fill(subject), lookup.attribute()));
  }

  /**
   * Returns what a user is bound by.
   *
   * @param dn of the user's entry; null if it is not known yet
   */
  private String bindName(Subject subject, String dn) throws UndecidedException {
    if (settings.lookup().isPresent() && looksUpFirst()) {
      return dn;
    }
    return settings.bindPattern().isPresent() || dn == null
        ? settings.bindPattern().orElse(settings.dnPattern()).fillBindName(subject)
        : dn;
  }

  private Answer accepted(Question.Login login, String dn, Subject subject, LdapSession session)
      throws UndecidedException, IOException {
    Subject user = subject.with(Variable.USER_DN, dn);
    boolean isAsUser = settings.otherBind().kind() == Bind.Kind.AS_USER;
    if (!isAsUser && settings.queries().tags().values().stream().anyMatch(Query::needsDirectory)) {
      session.actAs(settings.otherBind());
    }
    List<String> tags = new ArrayList<>();
    for (Map.Entry<String, Query> tag : settings.queries().tags().entrySet()) {
      if (has(tag.getKey(), tag.getValue(), login.username(), user, session)) {
        tags.add(tag.getKey());
      }
    }
    return Answer.allowed(
        login.username(),
        tags,
        new LoginState(LoginState.NEVER, List.of(dn), isAsUser ? login.password() : null));
  }

  /** What cannot be decided is no tag; the login goes on. */
  private boolean has(String tag, Query query, String username, Subject user, LdapSession session)
      throws IOException {
    try {
      return query.holds(user, session);
    } catch (UndecidedException e) {
      LogLineLimit.Verdict verdict = undecidedTags.next();
      if (verdict.isAdmitted()) {
        LOGGER.warn(
            "user '{}' has not got the tag {} of auth_ldap.queries.tags: {}{}",
            username,
            tag,
            e.getMessage(),
            verdict.leftOut());
      }
      return false;
    }
  }

  // Rights

  private static Answer locally(Query query, Subject subject) {
    try {
      return query.holds(subject, null) ? Answer.ALLOWED : PLAIN_NO;
    } catch (UndecidedException e) {
      return Answer.failed(e.getMessage());
    } catch (IOException e) {
      throw new IllegalStateException(e); // only a directory throws it
    }
  }

  private Answer access(Query query, Subject subject, LoginState state, LdapSession session)
      throws UndecidedException, IOException {
    if (settings.otherBind().kind() == Bind.Kind.AS_USER) {
      if (state.secret() == null || state.facts().isEmpty()) {
        return Answer.failed(
            "this node has not got the password of the user, which auth_ldap.other_bind = as_user"
                + " needs");
      }
      String refusal =
          session.actAsUser(asUser, bindName(subject, state.facts().get(0)), state.secret());
      if (refusal != null) {
        return Answer.refused(
            "the directory refuses the bind of '%s': %s".formatted(state.facts().get(0), refusal));
      }
    } else {
      session.actAs(settings.otherBind());
    }
    return query.holds(subject, session) ? Answer.ALLOWED : PLAIN_NO;
  }

  private Query query(Question question) {
    if (question instanceof Question.Vhost) {
      return settings.queries().vhost();
    }
    return question instanceof Question.Topic
        ? settings.queries().topic()
        : settings.queries().resource();
  }

  private static AuthenticatedUser user(Question question) {
    if (question instanceof Question.Vhost vhost) {
      return vhost.user();
    }
    return question instanceof Question.Topic topic
        ? topic.user()
        : ((Question.Resource) question).user();
  }

  private static Subject subject(Question question, AuthenticatedUser of) {
    Subject user = Subject.user(of.name());
    if (!of.state().facts().isEmpty()) {
      user = user.with(Variable.USER_DN, of.state().facts().get(0));
    }
    if (question instanceof Question.Vhost vhost) {
      return user.with(Variable.VHOST, vhost.vhost());
    }
    if (question instanceof Question.Topic topic) {
      return user.with(Variable.VHOST, topic.vhost())
          .with(Variable.RESOURCE, "topic")
          .with(Variable.NAME, topic.exchange())
          .with(Variable.PERMISSION, word(topic.permission()))
          .with(Variable.ROUTING_KEY, topic.routingKey());
    }
    Question.Resource resource = (Question.Resource) question;
    return user.with(Variable.VHOST, resource.vhost())
        .with(Variable.RESOURCE, word(resource.kind()))
        .with(Variable.NAME, resource.name())
        .with(Variable.PERMISSION, word(resource.permission()));
  }

  private static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  /** Returns how many connections are open, for tests. */
  int connections() {
    return servers.open();
  }

  @Override
  public void close() {
    questions.close();
    threads.shutdown();
    sessions.forEach(LdapSession::abort);
    servers.close();
  }
}
