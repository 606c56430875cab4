package io.mayflymq.core.store.segment;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FlushRolesTest {
  private final FlushRoles roles = new FlushRoles();

  @Test
  void oneThreadWritesUntilThereIsNothing() {
    assertThat(roles.startWriter()).isTrue();
    assertThat(roles.startWriter()).as("a second writer").isFalse();
    assertThat(roles.take()).isTrue();
    roles.request();
    assertThat(roles.take()).isTrue();
    assertThat(roles.take()).isFalse();
    assertThat(roles.startWriter()).as("after the end").isTrue();
  }

  @Test
  void writerBecomesForcerAndWriterAgain() {
    write();
    assertThat(roles.waitsForForcer()).isFalse();
    roles.becomeForcer();
    assertThat(roles.isForcing()).isTrue();
    assertThat(roles.forced(false)).as("is the writer").isTrue();
    assertThat(roles.isForcing()).isFalse();
    assertThat(roles.take()).as("nothing was requested").isFalse();
  }

  @Test
  void secondThreadWritesWhileTheFirstOneForces() {
    write();
    roles.becomeForcer();
    write();
    assertThat(roles.take()).as("nothing more").isFalse();
    write();
    assertThat(roles.forced(false)).as("is the writer").isFalse();
    assertThat(roles.startWriter()).as("the second one still is").isFalse();
    assertThat(roles.take()).isFalse();
    assertThat(roles.startWriter()).isTrue();
  }

  @Test
  void forcerHasAWriterLookAgainIfOneHadSomethingForIt() {
    write();
    roles.becomeForcer();
    write();
    assertThat(roles.waitsForForcer()).isTrue();
    assertThat(roles.take()).isFalse();
    assertThat(roles.forced(false)).isTrue();
    assertThat(roles.take()).as("looks again").isTrue();
    roles.becomeForcer();
    assertThat(roles.forced(false)).isTrue();
    assertThat(roles.take()).as("once").isFalse();
  }

  @Test
  void forcerMayHaveAWriterLookAgain() {
    write();
    roles.becomeForcer();
    assertThat(roles.forced(true)).isTrue();
    assertThat(roles.take()).isTrue();
  }

  @Test
  void whatIsRequestedWithoutAWriterIsTakenByTheNext() {
    roles.request();
    assertThat(roles.isRequested()).isTrue();
    roles.withdraw();
    assertThat(roles.isRequested()).isFalse();
    assertThat(roles.startWriter()).isTrue();
    assertThat(roles.take()).isTrue();
  }

  private void write() {
    assertThat(roles.startWriter()).isTrue();
    assertThat(roles.take()).isTrue();
  }
}
