package io.mayflymq.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.mayflymq.server.config.ClusterSettings;
import io.mayflymq.server.config.Configuration;
import io.mayflymq.server.config.Secrets;
import io.mayflymq.server.net.StartException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Which secrets a node begins with. */
class ClusterSetupTest {
  private static final String WEAK =
      "cluster.secret has 3 characters, which cannot hold 32 random bytes: expected a secret as"
          + " mayflyctl generate_secret makes it";

  @TempDir Path directory;
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();

  @BeforeEach
  void listen() {
    log.start();
    logger().setLevel(Level.INFO);
    logger().addAppender(log);
  }

  @AfterEach
  void stop() {
    logger().detachAppender(log);
  }

  private static Logger logger() {
    return (Logger) LoggerFactory.getLogger(ClusterSetup.class);
  }

  private void begin(String secret, String... more) throws Exception {
    List<String> arguments = new ArrayList<>(List.of("cluster.listener=0"));
    arguments.add("cluster.secret=" + secret);
    arguments.addAll(List.of(more));
    ClusterSettings settings =
        Configuration.load(Optional.empty(), Map.of(), arguments).settings().cluster();
    new ClusterSetup(settings, "a@host", directory).transport(UUID.randomUUID());
  }

  private List<String> lines() {
    return log.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  @Test
  void weakSecretIsWarnedOf() throws Exception {
    begin("abc");
    assertThat(lines()).containsExactly(WEAK + "; others who hear what nodes say can guess it");
  }

  @Test
  void weakSecretIsRefusedIfThatIsWanted() {
    assertThatThrownBy(() -> begin("abc", "cluster.require_strong_secret=true"))
        .isInstanceOf(StartException.class)
        .hasMessage(WEAK + " (cluster.require_strong_secret = true)");
  }

  @Test
  void strongSecretIsTakenWithoutAWord() throws Exception {
    begin(Secrets.generate(), "cluster.require_strong_secret=true");
    assertThat(lines()).isEmpty();
  }
}
