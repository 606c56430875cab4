package io.mayflymq.it.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.Channel;
import io.mayflymq.it.harness.Amqp;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.ControlCommand;
import io.mayflymq.it.harness.ControlCommand.Outcome;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.Target;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Feature flags and deprecated features, by the management API and by the control command. */
@BlackBox
class FeatureFlagsIT {
  private static final List<String> NEVER_HERE =
      List.of("classic_queue_mirroring", "ram_node_type");

  private static final String NEWER = "RabbitMQ has it since 3.13";

  @Test
  void flagsAreListedByTheApi(Target target) throws Exception {
    JsonNode flags = target.http().get("feature-flags").json();
    assertThat(flags.findValuesAsText("name")).contains("quorum_queue", "stream_queue").isSorted();
    for (JsonNode flag : flags) {
      assertThat(flag.fieldNames())
          .toIterable()
          .containsExactlyInAnyOrder(
              "name",
              "desc",
              "doc_url",
              "state",
              "stability",
              "require_level",
              "experiment_level",
              "callbacks",
              "provided_by");
    }
    assertThat(flags.get(flags.findValuesAsText("name").indexOf("stream_queue")).path("state"))
        .hasToString("\"enabled\"");
  }

  @Test
  void aFlagIsEnabledByTheApi(Target target) throws Exception {
    Http http = target.http();
    assertThat(http.put("feature-flags/quorum_queue/enable", "{}").status()).isEqualTo(204);
    Http.Reply unknown = http.put("feature-flags/nope/enable", "{}");
    assertThat(unknown.status()).isEqualTo(400);
    assertThat(unknown.reason()).isEqualTo("unsupported");
  }

  @Test
  void flagsAreListedAndEnabledByTheCommand(Target target) {
    ControlCommand control = ControlCommand.of(target);
    assertThat(control.run("list_feature_flags", "-s").out()).contains("quorum_queue\tenabled");
    assertThat(control.run("list_feature_flags", "-q", "state", "name").out())
        .startsWith("state\tname")
        .contains("enabled\tstream_queue");
    assertThat(control.run("enable_feature_flag", "all"))
        .isEqualTo(new Outcome(0, List.of("Enabling all feature flags ..."), List.of()));
    assertThat(control.run("enable_feature_flag", "user_limits").out())
        .containsExactly("Enabling feature flag \"user_limits\" ...");
    assertThat(control.run("cluster_status").out())
        .contains("Feature flags", "Flag: quorum_queue, state: enabled");
  }

  @Test
  void anUnknownFlagIsRefused(Target target) {
    Outcome outcome = ControlCommand.of(target).run("enable_feature_flag", "nope");
    assertThat(outcome.exit()).isEqualTo(64);
    assertThat(outcome.err().get(1)).startsWith("This feature flag is not supported by node ");
  }

  @Test
  @MayflyOnly(NEWER)
  void deprecatedFeaturesInUseAreFound(Target target, Amqp amqp) throws Exception {
    Http http = target.http();
    JsonNode all = http.get("deprecated-features").json();
    assertThat(all.findValuesAsText("name")).contains("global_qos", "transient_nonexcl_queues");
    for (JsonNode feature : all) {
      boolean neverHere = NEVER_HERE.contains(feature.path("name").asText());
      assertThat(feature.path("state").asText()).isEqualTo(neverHere ? "denied" : "permitted");
    }
    Channel channel = amqp.channel();
    channel.queueDeclare(amqp.name(), false, false, false, null);
    channel.basicQos(5, true);
    assertThat(http.get("deprecated-features/used").json().findValuesAsText("name"))
        .contains("global_qos", "transient_nonexcl_queues");
    ControlCommand control = ControlCommand.of(target);
    assertThat(control.run("list_deprecated_features", "--used").out())
        .startsWith("Listing deprecated features in use ...", "name\tdeprecation_phase\tstate")
        .contains(
            "global_qos\tdenied_by_default\tpermitted",
            "transient_nonexcl_queues\tpermitted_by_default\tpermitted");
  }
}
