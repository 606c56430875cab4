package io.mayflymq.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What holds, where it came from, and what can be changed while the broker runs. */
class LiveConfigurationTest {
  private static LiveConfiguration of(String... sets) throws ConfigException {
    return new LiveConfiguration(
        Configuration.load(Optional.empty(), Map.of("MAYFLY_HEARTBEAT", "5"), List.of(sets)));
  }

  private static String line(LiveConfiguration configuration, String key) {
    return configuration.effective().stream()
        .filter(setting -> setting.key().equals(key))
        .map(setting -> setting.value() + " from " + setting.source())
        .findFirst()
        .orElse("nothing");
  }

  @Test
  void everyValueHasItsSource() throws Exception {
    LiveConfiguration configuration = of("channel_max=7", "listeners.tcp=none");
    assertThat(line(configuration, "channel_max")).isEqualTo("7 from --set");
    assertThat(line(configuration, "heartbeat"))
        .isEqualTo("5 from environment variable MAYFLY_HEARTBEAT");
    assertThat(line(configuration, "frame_max")).isEqualTo("131072 from default");
    assertThat(line(configuration, "listeners.tcp")).isEqualTo("none from --set");
    assertThat(line(configuration, "listeners.tcp.default")).isEqualTo("nothing");
    assertThat(line(configuration, "loopback_users.guest")).isEqualTo("true from default");
  }

  @Test
  void secretsAreNotShown() throws Exception {
    assertThat(line(of("default_pass=s3cret"), "default_pass")).isEqualTo("(not shown) from --set");
  }

  @Test
  void aChangeCountsOverAllSourcesAndIsTold() throws Exception {
    LiveConfiguration configuration = of("channel_max=7");
    List<Integer> told = new ArrayList<>();
    Runnable handle =
        configuration.onChange(settings -> told.add(settings.protocol().channelMax()));
    configuration.set("channel_max", "9");
    assertThat(configuration.settings().protocol().channelMax()).isEqualTo(9);
    assertThat(line(configuration, "channel_max")).isEqualTo("9 from set_config");
    handle.run();
    configuration.set("channel_max", "10");
    assertThat(told).containsExactly(9);
  }

  @Test
  void whatIsSaidLastOfAFamilyCounts() throws Exception {
    LiveConfiguration configuration = of("loopback_users.ann=true");
    configuration.set("loopback_users", "none");
    assertThat(configuration.settings().auth().loopbackUsers()).isEmpty();
    configuration.set("loopback_users.bob", "true");
    assertThat(configuration.settings().auth().loopbackUsers()).isEqualTo(Set.of("ann", "bob"));
    configuration.set("loopback_users", "none");
    assertThat(configuration.settings().auth().loopbackUsers()).isEmpty();
  }

  @Test
  void whatCannotBeChangedStays() throws Exception {
    LiveConfiguration configuration = of();
    assertThatThrownBy(() -> configuration.set("shards", "3"))
        .isInstanceOf(ConfigException.class)
        .hasMessageStartingWith("key 'shards' is looked at when the broker starts");
    assertThatThrownBy(() -> configuration.set("channel_max", "many"))
        .isInstanceOf(ConfigException.class)
        .hasMessageStartingWith("set_config: bad value 'many' for key 'channel_max'");
    assertThatThrownBy(() -> configuration.set("chanel_max", "1"))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("did you mean 'channel_max'?");
    assertThat(line(configuration, "channel_max")).isEqualTo("2047 from default");
  }
}
