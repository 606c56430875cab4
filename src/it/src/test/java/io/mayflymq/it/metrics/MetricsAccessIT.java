package io.mayflymq.it.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AuthenticationFailureException;
import com.rabbitmq.client.ConnectionFactory;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Broker;
import io.mayflymq.it.harness.Certificate;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Metrics with TLS and a login. */
@BlackBox
@OwnBroker
class MetricsAccessIT {
  @TempDir static Path directory;

  private static EmbeddedBroker broker;
  private static HttpClient client;
  private static int port;
  private static int tlsPort;

  @BeforeAll
  static void start() throws Exception {
    Certificate certificate = Certificate.of("CN=broker");
    client = HttpClient.newBuilder().sslContext(certificate.trusted()).build();
    port = Broker.freePort();
    tlsPort = Broker.freePort();
    broker =
        EmbeddedBroker.builder()
            .set("prometheus.tcp.ip", "127.0.0.1")
            .set("prometheus.tcp.port", port)
            .set("prometheus.ssl.ip", "127.0.0.1")
            .set("prometheus.ssl.port", tlsPort)
            .set(
                "prometheus.ssl.certfile",
                certificate.writeCertificate(directory.resolve("server.pem")))
            .set("prometheus.ssl.keyfile", certificate.writeKey(directory.resolve("server.key")))
            .set("prometheus.authentication.enabled", true)
            .start();
    ControlCommand command = ControlCommand.of(broker);
    command.run("add_user", "viewer", "secret");
    command.run("set_user_tags", "viewer", "monitoring");
    command.run("add_user", "manager", "secret");
    command.run("set_user_tags", "manager", "management");
  }

  @AfterAll
  static void stop() {
    broker.close();
  }

  private static HttpResponse<String> get(String start, String user, String password)
      throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(start + "/metrics"));
    if (user != null) {
      String both = user + ":" + password;
      request.header(
          "Authorization",
          "Basic " + Base64.getEncoder().encodeToString(both.getBytes(StandardCharsets.UTF_8)));
    }
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private static String plain() {
    return "http://127.0.0.1:" + port;
  }

  @Test
  void metricsAreForUsersWhoMayMonitor() throws Exception {
    assertThat(get(plain(), "viewer", "secret").statusCode()).isEqualTo(200);
    assertThat(get(plain(), "guest", "guest").statusCode()).isEqualTo(200);
  }

  @Test
  void othersAreRefused() throws Exception {
    HttpResponse<String> missing = get(plain(), null, null);
    assertThat(missing.statusCode()).isEqualTo(401);
    assertThat(missing.headers().firstValue("www-authenticate"))
        .contains("Basic realm=\"MayflyMQ Prometheus\"");
    assertThat(missing.body()).isEqualTo("Login required").doesNotContain("rabbitmq_");
    HttpResponse<String> unprivileged = get(plain(), "manager", "secret");
    assertThat(unprivileged.statusCode()).isEqualTo(401);
    assertThat(unprivileged.body()).isEqualTo("Not monitor user");
  }

  @Test
  void wrongPasswordsAreRefusedAndCounted() throws Exception {
    String failed = "rabbitmq_auth_attempts_failed_total{protocol=\"http\"}";
    double before = value(failed);
    HttpResponse<String> wrong = get(plain(), "viewer", "wrong");
    assertThat(wrong.statusCode()).isEqualTo(401);
    assertThat(wrong.body()).isEqualTo("Login failed");
    assertThat(value(failed) - before).isEqualTo(1);
    assertThat(value("rabbitmq_auth_attempts_succeeded_total{protocol=\"http\"}")).isPositive();
  }

  @Test
  void loginsByAmqpAreCounted() throws Exception {
    String succeeded = "rabbitmq_auth_attempts_succeeded_total{protocol=\"amqp091\"}";
    String failed = "rabbitmq_auth_attempts_failed_total{protocol=\"amqp091\"}";
    double before = value(succeeded);
    double failedBefore = value(failed);
    broker.factory().newConnection().close();
    ConnectionFactory wrong = broker.factory();
    wrong.setPassword("wrong");
    await()
        .atMost(Patience.TIME)
        .until(
            () -> {
              try {
                wrong.newConnection().close();
                return false;
              } catch (AuthenticationFailureException e) {
                return true;
              }
            });
    assertThat(value(succeeded) - before).isEqualTo(1);
    assertThat(value(failed) - failedBefore).isEqualTo(1);
    assertThat(value("rabbitmq_auth_attempts_total{protocol=\"amqp091\"}"))
        .isEqualTo(value(succeeded) + value(failed));
  }

  private static double value(String sample) throws Exception {
    return get(plain(), "viewer", "secret")
        .body()
        .lines()
        .filter(line -> line.startsWith(sample + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(sample.length() + 1)))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void metricsAreServedWithTls() throws Exception {
    String start = "https://127.0.0.1:" + tlsPort;
    assertThat(get(start, null, null).statusCode()).isEqualTo(401);
    HttpResponse<String> response = get(start, "viewer", "secret");
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.body()).contains("rabbitmq_identity_info{");
    assertThat(response.sslSession()).isPresent();
    assertThat(broker.output())
        .anyMatch(
            line -> line.contains("listening for Prometheus with TLS on 127.0.0.1:" + tlsPort));
  }

  @Test
  void certificateThatIsMissingIsReportedAtTheStart() {
    EmbeddedBroker second =
        EmbeddedBroker.builder()
            .set("prometheus.ssl.ip", "127.0.0.1")
            .set("prometheus.ssl.port", 0)
            .set("prometheus.ssl.certfile", directory.resolve("absent.pem"))
            .set("prometheus.ssl.keyfile", directory.resolve("server.key"))
            .launch();
    assertThat(second.awaitExit()).isEqualTo(78);
    assertThat(second.output()).anyMatch(line -> line.contains("absent.pem"));
  }
}
