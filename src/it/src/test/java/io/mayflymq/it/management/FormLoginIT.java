package io.mayflymq.it.management;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.mayflymq.it.harness.AccessFixture;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.RawHttp;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the login by a form, and what can be read without one. */
@BlackBox
class FormLoginIT extends AccessFixture {
  private static final String FORM = "application/x-www-form-urlencoded";

  private Http.Reply login(String form) throws Exception {
    return http.anonymous().post("login", FORM, form);
  }

  @Test
  void answersWithTheUserAndWhatToSend(Amqp amqp) throws Exception {
    String user = user(amqp, "monitoring");
    Http.Reply reply = login("username=" + user + "&password=p");
    assertThat(reply.status()).isEqualTo(200);
    JsonNode told = reply.json();
    assertThat(told.at("/user/name").asText()).isEqualTo(user);
    assertThat(told.at("/user/tags").toString()).isEqualTo("[\"monitoring\"]");
    assertThat(told.at("/token/type").asText()).isEqualTo("basic");
    assertThat("Basic " + told.at("/token/value").asText())
        .isEqualTo(RawHttp.basic(user, "p").replaceFirst("(?i)authorization: ", "").strip());
    assertThat(reply.raw().headers().firstValue("set-cookie")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"username=guest&password=wrong", "username=guest", "password=guest", "", "a=b"})
  void refusesWrongAndMissingCredentials(String form) throws Exception {
    Http.Reply reply = login(form);
    assertThat(reply.status()).isEqualTo(401);
    assertThat(reply.error()).isEqualTo("not_authorized");
    assertThat(reply.reason()).isEqualTo("Not_Authorized");
  }

  @Test
  void needsATagAndAnEncodingThatCanBeRead(Amqp amqp) throws Exception {
    Http.Reply reply = login("username=" + user(amqp, "") + "&password=p");
    assertThat(reply.status()).isEqualTo(401);
    assertThat(reply.reason()).isEqualTo("Not management user");
    assertThat(login("username=%zz&password=p").status()).isEqualTo(400);
  }

  @Test
  void thatAClusterHasItsSizeIsToldWithoutALogin() throws Exception {
    Http.Reply reply = http.anonymous().get("health/checks/reached-target-cluster-size");
    assertThat(reply.status()).isEqualTo(200);
    assertThat(reply.json().toString()).isEqualTo("{\"status\":\"ok\"}");
    assertThat(http.anonymous().get("health/checks/alarms").status()).isEqualTo(401);
  }

  @Test
  @OwnBroker
  void aClusterThatIsTooSmallFails() throws Exception {
    try (EmbeddedBroker broker =
        EmbeddedBroker.builder().set("cluster_formation.target_cluster_size_hint", "3").start()) {
      Http.Reply reply =
          Http.as(broker.httpPort(), "guest", "guest")
              .get("health/checks/reached-target-cluster-size");
      assertThat(reply.status()).isEqualTo(503);
      assertThat(reply.json().toString())
          .isEqualTo(
              "{\"status\":\"failed\",\"reason\":\"target cluster size not reached: 1 of 3 nodes"
                  + " are online\",\"online\":1,\"target\":3}");
    }
  }

  @Test
  @OwnBroker
  void wrongPasswordsInAFormAreDelayedAsOthers() throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.builder().start()) {
      long start = System.nanoTime();
      RawHttp[] guessing = new RawHttp[20];
      for (int i = 0; i < guessing.length; i++) {
        guessing[i] =
            new RawHttp(broker.httpPort())
                .send(
                    RawHttp.request(
                        "POST",
                        "/api/login",
                        "content-type: " + FORM + "\r\ncontent-length: 29\r\n",
                        "username=guest&password=wrong"));
      }
      for (RawHttp client : guessing) {
        assertThat(client.status()).isEqualTo(401);
        client.close();
      }
      assertThat(System.nanoTime() - start).isGreaterThan(TimeUnit.SECONDS.toNanos(4));
      broker.stop();
      assertThat(broker.complaints()).isEmpty();
    }
  }
}
