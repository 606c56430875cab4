package io.mayflymq.test.assertj;

import io.mayflymq.test.MayflyBroker;

/** The entry point of the assertions about a broker. */
public final class MayflyAssertions {
  private MayflyAssertions() {}

  /** Begins assertions about a broker. */
  public static BrokerAssert assertThat(MayflyBroker broker) {
    return new BrokerAssert(broker);
  }
}
