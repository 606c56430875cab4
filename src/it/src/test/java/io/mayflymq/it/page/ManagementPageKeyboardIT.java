package io.mayflymq.it.page;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/** Tasks on the management page in Chromium with the keyboard only. */
@OwnBroker
@MayflyOnly("RabbitMQ has another page")
class ManagementPageKeyboardIT extends PageFixture {
  @BeforeAll
  void logIn() {
    browser.openLoggedOut();
    browser.keys("guest", Keys.TAB, "guest", Keys.ENTER);
    browser.see("h1", "Overview");
  }

  @Test
  void aQueueIsAdded() throws Exception {
    browser.go("");
    browser.tabBackTo("Queues and streams");
    browser.keys(Keys.ENTER);
    browser.see("h1", "Queues and streams");
    browser.tabTo("Add a queue");
    browser.keys(Keys.ENTER);
    browser.keys("by-keyboard");
    browser.tabTo("+ max length");
    browser.keys(Keys.ENTER);
    browser.keys("7");
    browser.tabTo("Add queue");
    browser.keys(Keys.ENTER);
    browser.see("Queue by-keyboard is there.");
    assertThat(
            http.get("queues/%2F/by-keyboard")
                .json()
                .path("arguments")
                .path("x-max-length")
                .asInt())
        .isEqualTo(7);
  }

  @Test
  void aPolicyIsSet() throws Exception {
    browser.go("");
    browser.tabBackTo("Admin");
    browser.keys(Keys.ENTER);
    browser.see("h1", "Users");
    browser.tabTo("Policies");
    browser.keys(Keys.ENTER);
    browser.see("h1", "Policies");
    browser.tabTo("Add a policy");
    browser.keys(Keys.ENTER);
    browser.keys("short");
    browser.tabTo("pattern");
    browser.keys("^none");
    browser.tabTo("+ message TTL");
    browser.keys(Keys.ENTER);
    browser.keys("60000");
    browser.tabTo("Set policy");
    browser.keys(Keys.ENTER);
    Awaitility.await("the policy")
        .atMost(Patience.TIME)
        .until(
            () ->
                http.get("policies/%2F/short").json().path("definition").path("message-ttl").asInt()
                    == 60_000);
  }

  @Test
  void aQueueIsPurged() throws Exception {
    try (Connection connection = broker.factory().newConnection()) {
      Channel channel = connection.createChannel();
      channel.confirmSelect();
      channel.queueDeclare("full", true, false, false, null);
      channel.basicPublish("", "full", null, new byte[1]);
      channel.waitForConfirmsOrDie(Patience.MILLIS);
    }
    browser.go("queues");
    browser.see("tbody", "full");
    browser.script("document.getElementById('content').focus()");
    browser.tabTo("full");
    browser.keys(Keys.ENTER);
    browser.see("h1", "Queue full");
    browser.tabTo("Purge …");
    browser.keys(Keys.ENTER);
    browser.see("dialog", "Purge queue full?");
    browser.tabTo("Purge");
    browser.keys(Keys.ENTER);
    browser.see("Queue full was purged.");
    Awaitility.await("no messages")
        .atMost(Patience.TIME)
        .until(() -> http.get("queues/%2F/full").json().path("messages").asInt() == 0);
  }
}
