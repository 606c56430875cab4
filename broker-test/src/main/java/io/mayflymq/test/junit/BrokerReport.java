package io.mayflymq.test.junit;

/** What the broker had when a test failed; suppressed by the exception of the test. */
public final class BrokerReport extends RuntimeException {
  BrokerReport(String report) {
    super(report, null, false, false);
  }
}
