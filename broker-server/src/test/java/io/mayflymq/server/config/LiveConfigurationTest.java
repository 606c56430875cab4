package io.mayflymq.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Effective values, their sources, and changes while the broker runs. */
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
  void everyConfigurationValueNamesItsSource() throws Exception {
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
  void secretsAreNotShownInTheConfiguration() throws Exception {
    assertThat(line(of("default_pass=s3cret"), "default_pass")).isEqualTo("(not shown) from --set");
  }

  @Test
  void changeAtRunTimeOverridesAllSourcesAndIsReported() throws Exception {
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
  void lastChangeOfAKeyFamilyApplies() throws Exception {
    LiveConfiguration configuration = of("loopback_users.ann=true");
    configuration.set("loopback_users", "none");
    assertThat(configuration.settings().auth().loopbackUsers()).isEmpty();
    configuration.set("loopback_users.bob", "true");
    assertThat(configuration.settings().auth().loopbackUsers()).isEqualTo(Set.of("ann", "bob"));
    configuration.set("loopback_users", "none");
    assertThat(configuration.settings().auth().loopbackUsers()).isEmpty();
  }

  @Test
  void reloadAppliesChangeableKeys() throws Exception {
    List<String> sets = new ArrayList<>(List.of("channel_max=7", "loopback_users.ann=true"));
    LiveConfiguration configuration =
        LiveConfiguration.read(
            () -> Configuration.load(Optional.empty(), Map.of("MAYFLY_HEARTBEAT", "5"), sets));
    configuration.set("frame_max", "8192");
    List<ServerSettings> told = new ArrayList<>();
    configuration.onChange(told::add);
    assertThat(configuration.reload())
        .isEqualTo(new LiveConfiguration.Reloaded(List.of(), List.of()));

    sets.clear();
    sets.addAll(List.of("heartbeat=9", "frame_max=9000", "shards=3", "data_dir=elsewhere"));
    LiveConfiguration.Reloaded reloaded = configuration.reload();
    assertThat(reloaded.changed())
        .containsExactly("heartbeat", "channel_max", "loopback_users.$user");
    assertThat(reloaded.waiting()).containsExactly("data_dir", "shards");
    assertThat(line(configuration, "heartbeat")).isEqualTo("9 from --set");
    assertThat(line(configuration, "channel_max")).isEqualTo("2047 from default");
    assertThat(line(configuration, "frame_max")).as("by hand").isEqualTo("8192 from set_config");
    assertThat(line(configuration, "shards")).isEqualTo("auto from default");
    assertThat(configuration.settings().auth().loopbackUsers()).containsExactly("guest");
    assertThat(told).hasSize(2).last().isEqualTo(configuration.settings());

    sets.add("heartbeat=often");
    assertThatThrownBy(configuration::reload).isInstanceOf(ConfigException.class);
    assertThat(line(configuration, "heartbeat")).isEqualTo("9 from --set");
    assertThat(told).hasSize(2);
  }

  @Test
  void reloadKeepsKeysThatNeedARestart() throws Exception {
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
