package io.mayflymq.server.auth.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.security.Permission;
import io.mayflymq.core.security.ResourceKind;
import io.mayflymq.server.auth.Answer;
import io.mayflymq.server.auth.AuthenticatedUser;
import io.mayflymq.server.auth.Question;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HttpReplyTest {
  private static final Question LOGIN = new Question.Login("ann", "hunter2 &c");
  private static final Question VHOST = new Question.Vhost(ann("a", "b"), "/", "10.0.0.1");

  private static AuthenticatedUser ann(String... tags) {
    return new AuthenticatedUser("ann", List.of(tags), List.of(), "http");
  }

  private static Answer read(Question question, int status, String body) {
    return HttpReply.read(question, status, body.getBytes(StandardCharsets.UTF_8));
  }

  @ParameterizedTest
  @CsvSource({
    "allow, ''",
    "' Allow ', ''",
    "ALLOW administrator, administrator",
    "allow Monitoring impersonator, monitoring impersonator",
    "'allow a,b', a b",
    "'allow a, b,,c', a b c",
    "'allow\ta\nb  b', a b",
    "allow größe, größe",
  })
  void tagsAreBehindAllow(String body, String tags) {
    Answer answer = read(LOGIN, 200, body);
    assertThat(answer.isAllowed()).isTrue();
    assertThat(String.join(" ", answer.tags())).isEqualTo(tags);
    assertThat(read(LOGIN, 201, body)).isEqualTo(answer);
  }

  @ParameterizedTest
  @CsvSource({
    "deny, ''",
    "DENY account locked, account locked",
    "'deny  two\nlines', two lines",
    "'deny bad password hunter2 &c, which is hunter2+%26c', 'bad password (not shown), which is (not shown)'",
  })
  void aReasonIsBehindDeny(String body, String reason) {
    assertThat(read(LOGIN, 200, body)).isEqualTo(Answer.refused(reason));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "  ", "allowed", "deny:", "yes", "allow-all", "<html>allow</html>"})
  void otherWordsAreNoAnswer(String body) {
    assertThat(read(LOGIN, 200, body).kind()).isEqualTo(Answer.Kind.FAILED);
    assertThat(read(VHOST, 200, body).kind()).isEqualTo(Answer.Kind.FAILED);
  }

  @ParameterizedTest
  @ValueSource(ints = {202, 204, 301, 302, 401, 404, 500})
  void otherStatusesAreNoAnswer(int status) {
    assertThat(read(LOGIN, status, "allow"))
        .isEqualTo(Answer.failed("the service answered with status " + status));
  }

  @Test
  void onlyALoginHasTags() {
    assertThat(read(VHOST, 200, "allow")).isEqualTo(Answer.ALLOWED);
    assertThat(read(VHOST, 200, "allow administrator").kind()).isEqualTo(Answer.Kind.FAILED);
  }

  @Test
  void aLongReasonIsCut() {
    assertThat(read(LOGIN, 200, "deny " + "x".repeat(1_000)).reason())
        .hasSize(203)
        .endsWith("x...");
  }

  @Test
  void fieldsAreThoseOfRabbitMqInItsOrder() {
    assertThat(HttpForm.of(LOGIN)).isEqualTo("username=ann&password=hunter2+%26c");
    assertThat(HttpForm.of(new Question.Login("CN=ä", null))).isEqualTo("username=CN%3D%C3%A4");
    assertThat(HttpForm.of(VHOST)).isEqualTo("username=ann&vhost=%2F&ip=10.0.0.1&tags=a+b");
    assertThat(
            HttpForm.of(
                new Question.Resource(
                    ann(), "/", ResourceKind.EXCHANGE, "amq.default", Permission.WRITE)))
        .isEqualTo(
            "username=ann&vhost=%2F&resource=exchange&name=amq.default&permission=write&tags=");
    assertThat(HttpForm.of(new Question.Topic(ann("t"), "v", "amq.topic", Permission.READ, "a.#")))
        .isEqualTo(
            "username=ann&vhost=v&resource=topic&name=amq.topic&permission=read&tags=t"
                + "&routing_key=a.%23&variable_map.username=ann&variable_map.vhost=v");
  }
}
