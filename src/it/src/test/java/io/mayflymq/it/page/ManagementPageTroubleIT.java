package io.mayflymq.it.page;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Connection;
import io.mayflymq.it.harness.Broker;
import io.mayflymq.it.harness.BrokerProcess;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.OwnBroker;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What the management page shows in Chromium while a broker does not answer, or refuses. */
@OwnBroker
@MayflyOnly("RabbitMQ has another page")
class ManagementPageTroubleIT extends PageFixture {
  private BrokerProcess process;

  @Override
  Broker startBroker() {
    process = BrokerProcess.builder().start();
    return process;
  }

  @BeforeAll
  void declareAndLogIn() throws Exception {
    try (Connection connection = broker.factory().newConnection()) {
      connection.createChannel().queueDeclare("kept", true, false, false, null);
    }
    browser.logIn("guest", "guest");
  }

  @AfterEach
  void online() {
    browser.cutOff(false);
  }

  private void isDimmed() {
    browser.see(".trouble", "The broker does not answer.");
    browser.see(".trouble", "What is shown is of ");
    assertThat(browser.texts(".trouble time")).singleElement().asString().matches("..:..:..");
  }

  @Test
  void numbersOfABrokerThatCannotBeReachedAreDimmedUntilItAnswers() {
    browser.go("queues");
    browser.see("kept");
    String usual = browser.style(".view td.numeric", "color");
    browser.cutOff(true);
    isDimmed();
    assertThat(browser.style(".view td.numeric", "color")).isNotEqualTo(usual);
    assertThat(browser.unreadable()).isEmpty();
    browser.cutOff(false);
    browser.miss(".trouble");
    assertThat(browser.style(".view td.numeric", "color")).isEqualTo(usual);
  }

  @Test
  void numbersOfABrokerThatHangsAreDimmedUntilItAnswers() throws Exception {
    browser.go("queues");
    browser.see("kept");
    process.signal("STOP");
    try {
      isDimmed();
    } finally {
      process.signal("CONT");
    }
    browser.miss(".stale");
    browser.miss(".trouble");
  }

  @Test
  void aNoticeAboutABrokerThatDoesNotAnswerGoesWhenItDoes() {
    browser.go("queues/%2F/kept");
    browser.cutOff(true);
    browser.press("#content", "Purge …");
    browser.press("dialog", "Purge");
    browser.see("#notices", "The broker does not answer.");
    browser.cutOff(false);
    browser.miss("#notices", "The broker does not answer.");
  }

  @Test
  void anErrorIsSaidAtItsFieldAndGoesWhenItIsMended() throws Exception {
    browser.go("queues");
    browser.open("add");
    browser.type("#add input[name=name]", "kept");
    browser.choose("#add select[name=durable]", "no");
    browser.press("#add", "Add queue");
    browser.see("label:has([name=durable]) .error", "inequivalent arg 'durable'");
    assertThat(browser.texts("#notices .bad")).isEmpty();
    assertThat(browser.script("return document.activeElement.name")).isEqualTo("durable");
    assertThat(browser.inaccessible()).isEmpty();
    browser.choose("#add select[name=durable]", "yes");
    browser.miss("#add .error");
    browser.type("#add input[name=name]", "new");
    browser.press("#add", "+ max length");
    browser.type("#add .row input.value", "many");
    browser.press("#add", "Add queue");
    browser.see("#add .row .error", "x-max-length should be a number");
    browser.type("#add .row input.value", "-1");
    browser.press("#add", "Add queue");
    browser.see("#add .row .error", "invalid arg 'x-max-length'");
    browser.type("#add .row input.value", "7");
    browser.press("#add", "Add queue");
    browser.see("Queue new is there.");
    browser.miss("#add .error");
    http.delete("queues/%2F/new");
  }

  @Test
  void errorsOfAPolicyAreSaidAtItsPatternAndItsKeys() {
    browser.go("admin/policies");
    browser.open("add");
    browser.type("#add input[name=name]", "wrong");
    browser.type("#add input[name=pattern]", "(");
    browser.press("#add", "+ max length");
    browser.type("#add .row input.value", "-1");
    browser.press("#add", "Set policy");
    browser.see("label:has([name=pattern]) .error", "regular expression");
    browser.type("#add input[name=pattern]", "^none");
    browser.press("#add", "Set policy");
    browser.see("#add .row .error", "-1 is not a valid maximum length");
    browser.type("#add .row input.value", "7");
    browser.type("#add .row input.key", "max-lenght");
    browser.press("#add", "Set policy");
    browser.see("#add .row .error", "max-lenght");
  }

  @Test
  void anErrorThatIsAboutNoFieldIsSaidInTheForm() throws Exception {
    http.put("vhost-limits/%2F/max-queues", "{\"value\":1}");
    browser.go("queues");
    browser.open("add");
    browser.type("#add input[name=name]", "too-many");
    browser.press("#add", "Add queue");
    browser.see("#add form > .error", "queue limit in vhost '/' (1) is reached");
    http.delete("vhost-limits/%2F/max-queues");
    browser.press("#add", "Add queue");
    browser.see("Queue too-many is there.");
    browser.miss("#add .error");
    http.delete("queues/%2F/too-many");
  }

  @Test
  void aFailureGoesWhenTheSameIsDoneLater() throws Exception {
    browser.go("queues/%2F/kept");
    http.put("permissions/%2F/guest", "{\"configure\":\".*\",\"write\":\".*\",\"read\":\"\"}");
    browser.press("#content", "Purge …");
    browser.press("dialog", "Purge");
    browser.see("#notices", "refused");
    http.put("permissions/%2F/guest", "{\"configure\":\".*\",\"write\":\".*\",\"read\":\".*\"}");
    browser.press("#content", "Purge …");
    browser.press("dialog", "Purge");
    browser.see("Queue kept was purged.");
    assertThat(browser.texts("#notices .bad")).isEmpty();
  }
}
