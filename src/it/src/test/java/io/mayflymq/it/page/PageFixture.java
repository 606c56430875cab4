package io.mayflymq.it.page;

import io.mayflymq.it.harness.Broker;
import io.mayflymq.it.harness.EmbeddedBroker;
import io.mayflymq.it.harness.Http;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** The setup of tests of the page: a broker and a browser for all tests of a class. */
@TestInstance(Lifecycle.PER_CLASS)
abstract class PageFixture {
  Broker broker;
  Http http;
  Browser browser;

  @BeforeAll
  void startBrowser() {
    Browser.require();
    broker = startBroker();
    http = broker.http();
    browser = Browser.start(broker.httpPort());
  }

  /** Starts the broker whose page is looked at. */
  Broker startBroker() {
    return EmbeddedBroker.builder().start();
  }

  @AfterAll
  void stop() {
    if (browser != null) {
      browser.close();
    }
    if (broker != null) {
      broker.close();
    }
  }
}
