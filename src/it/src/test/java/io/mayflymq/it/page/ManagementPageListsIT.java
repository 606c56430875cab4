package io.mayflymq.it.page;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.OwnBroker;
import io.mayflymq.it.harness.Patience;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;

/** Lists of the management page in Chromium: what they find and show, and what is done in them. */
@OwnBroker
@MayflyOnly("RabbitMQ has another page")
class ManagementPageListsIT extends PageFixture {
  private static final int PHONE = 390;

  private final List<Connection> connections = new ArrayList<>();

  @AfterEach
  void clean() throws Exception {
    browser.look(1400, 900, false);
    browser.script("localStorage.clear()");
    for (Connection connection : connections) {
      connection.abort();
    }
    connections.clear();
    for (var queue : http.get("queues").json()) {
      http.delete("queues/%2F/" + queue.path("name").asText());
    }
  }

  private Channel client(String name) throws Exception {
    ConnectionFactory factory = broker.factory();
    factory.setAutomaticRecoveryEnabled(false);
    Connection connection = factory.newConnection(name);
    connections.add(connection);
    return connection.createChannel();
  }

  private static void declare(Channel channel, int messages, String... queues) throws Exception {
    channel.confirmSelect();
    for (String queue : queues) {
      channel.queueDeclare(queue, true, false, false, null);
      for (int i = 0; i < messages; i++) {
        channel.basicPublish("", queue, null, new byte[1]);
      }
    }
    channel.waitForConfirmsOrDie(Patience.MILLIS);
  }

  private void awaitQueues(String... names) {
    Awaitility.await("the queues " + List.of(names))
        .atMost(Patience.TIME)
        .until(
            () ->
                http.get("queues?columns=name")
                    .json()
                    .findValuesAsText("name")
                    .equals(List.of(names)));
  }

  private void choose(String row) {
    browser.click(By.cssSelector("input[aria-label='Choose " + row + "']"));
  }

  @Test
  void filtersFindTheNamesOfClientsThatRowsShow() throws Exception {
    Channel billing = client("billing worker");
    declare(billing, 0, "invoices");
    billing.basicConsume("invoices", false, "bill-1", (t, m) -> {}, t -> {});
    client("another");
    browser.logIn("guest", "guest");
    for (String list : List.of("connections", "channels", "consumers")) {
      browser.go(list);
      browser.see("tbody", "billing worker");
      browser.type("input[name=name]", "ling wor");
      browser.click(By.xpath("//button[.='Filter']"));
      browser.see(".range", "1–1 of 1");
      browser.see("tbody", "billing worker");
      browser.miss("tbody", "another");
    }
    browser.type("input[name=name]", "invoi");
    browser.click(By.xpath("//button[.='Filter']"));
    browser.see("tbody", "bill-1");
    browser.go("queues/%2F/invoices");
    browser.see("#consumers", "billing worker");
  }

  @Test
  void columnsAreChosenAndStayChosen() throws Exception {
    declare(client("a"), 1, "q");
    browser.logIn("guest", "guest");
    browser.go("queues");
    browser.see("thead", "Bytes");
    assertThat(browser.texts("thead th")).doesNotContain("Redelivered");
    browser.click(By.cssSelector("#columns summary"));
    browser.click(By.xpath("//*[@id='columns']//label[contains(., 'Redelivered')]/input"));
    browser.see("thead", "Redelivered");
    browser.click(By.xpath("//*[@id='columns']//label[contains(., 'Bytes')]/input"));
    browser.miss("thead", "Bytes");
    browser.script("location.reload()");
    browser.see("thead", "Redelivered");
    browser.miss("thead", "Bytes");
    assertThat(
            browser.script(
                "return performance.getEntriesByType('resource').map(each => each.name)"
                    + ".findLast(name => name.includes('/api/queues?'))"))
        .asString()
        .contains("redeliver_details")
        .doesNotContain("message_bytes");
    browser.click(By.cssSelector("#columns summary"));
    browser.press("#columns", "Usual columns");
    browser.see("thead", "Bytes");
    browser.miss("thead", "Redelivered");
  }

  @Test
  void severalQueuesArePurgedAndDeletedAtOnce() throws Exception {
    declare(client("a"), 2, "one", "three", "two");
    browser.logIn("guest", "guest");
    browser.go("queues");
    choose("one");
    choose("two");
    browser.see(".chosen", "2 chosen");
    browser.press("#content", "Purge …");
    browser.see("dialog", "Purge 2 queues?");
    browser.see("dialog", "one, two: all ready messages are removed, 4 messages");
    browser.press("dialog", "Purge");
    browser.see("#notices", "2 queues were purged.");
    assertThat(http.get("queues/%2F/one").json().path("messages").asInt()).isZero();
    assertThat(http.get("queues/%2F/three").json().path("messages").asInt()).isEqualTo(2);
    browser.press("#content", "Delete …");
    browser.see("dialog", "Delete 2 queues?");
    browser.press("dialog", "Cancel");
    browser.press("#content", "Delete …");
    browser.press("dialog", "Delete");
    browser.see("#notices", "2 queues were deleted.");
    awaitQueues("three");
    browser.miss(".chosen");
  }

  @Test
  void whatAUserMayNotDoIsNotDoneToChosenRows() throws Exception {
    declare(client("a"), 0, "others", "own");
    http.put("users/limited", "{\"password\":\"p\",\"tags\":\"management\"}");
    http.put("permissions/%2F/limited", "{\"configure\":\"^own\",\"write\":\"\",\"read\":\"\"}");
    browser.logIn("limited", "p");
    browser.go("queues");
    assertThat(
            browser.script(
                "return document.querySelector(\"input[aria-label='Choose others']\").disabled"))
        .isEqualTo(true);
    browser.click(By.cssSelector("input[aria-label='Choose all of this page']"));
    browser.see(".chosen", "1 chosen");
    browser.press("#content", "Delete …");
    browser.press("dialog", "Delete");
    browser.see("#notices", "1 queue was deleted.");
    awaitQueues("others");
  }

  @Test
  void whatFailsDoesNotKeepOtherRowsFromBeingDone() throws Exception {
    declare(client("a"), 0, "one", "two");
    http.put("users/changed", "{\"password\":\"p\",\"tags\":\"management\"}");
    http.put("permissions/%2F/changed", "{\"configure\":\".*\",\"write\":\"\",\"read\":\"\"}");
    browser.logIn("changed", "p");
    browser.go("queues");
    choose("one");
    choose("two");
    browser.press("#content", "Delete …");
    browser.see("dialog", "Delete 2 queues?");
    http.put("permissions/%2F/changed", "{\"configure\":\"^one\",\"write\":\"\",\"read\":\"\"}");
    browser.press("dialog", "Delete");
    browser.see("#notices", "1 queue was deleted.");
    browser.see("#notices .bad", "1 queue was not deleted. two: ");
    awaitQueues("two");
  }

  @Test
  void severalConnectionsAreClosedAtOnce() throws Exception {
    Channel first = client("to close 1");
    Channel second = client("to close 2");
    Channel other = client("stays");
    browser.logIn("guest", "guest");
    browser.go("connections?name=to%20close");
    browser.see(".range", "1–2 of 2");
    browser.click(By.cssSelector("input[aria-label='Choose all of this page']"));
    browser.press("#content", "Close …");
    browser.see("dialog", "Close 2 connections?");
    browser.see("dialog", "to close 1, to close 2: 2 channels");
    browser.press("dialog", "Close");
    browser.see("#notices", "2 connections were closed.");
    Awaitility.await("their end")
        .atMost(Patience.TIME)
        .until(() -> !first.isOpen() && !second.isOpen());
    assertThat(other.isOpen()).isTrue();
  }

  @Test
  void whoHoldsUnacknowledgedMessagesIsShown() throws Exception {
    Channel slow = client("slow worker");
    declare(slow, 4, "jobs");
    Channel poller = client("poller");
    poller.basicGet("jobs", false);
    slow.basicQos(2);
    slow.basicConsume("jobs", false, "slow-1", (t, m) -> {}, t -> {});
    browser.logIn("guest", "guest");
    browser.go("consumers");
    browser.see("tbody", "slow-1");
    browser.click(By.linkText("Unacknowledged messages"));
    browser.see("h1", "Unacknowledged messages");
    browser.see("3 messages were delivered and not acknowledged yet.");
    browser.see("[aria-label='By channel'] tbody tr:first-child", "slow worker");
    browser.see("[aria-label='By channel'] tbody tr:first-child", "67 %");
    browser.see("[aria-label='By channel'] tbody tr:last-child", "poller");
    browser.see("[aria-label='By channel'] tbody tr:last-child", "basic.get");
    browser.see("[aria-label='By consumer and queue'] tbody", "slow-1");
    browser.see("[aria-label='By consumer and queue'] tbody", "jobs");
  }

  @Test
  void ratesOfAllKindsAreShown() throws Exception {
    Channel channel = client("a");
    declare(channel, 2, "q");
    channel.basicPublish("", "nowhere", null, new byte[1]);
    channel.basicPublish("", "nowhere", true, null, new byte[1]);
    channel.waitForConfirmsOrDie(Patience.MILLIS);
    channel.basicNack(channel.basicGet("q", false).getEnvelope().getDeliveryTag(), false, true);
    channel.basicGet("q", false);
    browser.logIn("guest", "guest");
    browser.go("channels");
    browser.click(By.cssSelector("tbody th a"));
    browser.see("h1", "Channel");
    browser.open("rates");
    browser.see("#rates tr:nth-child(2)", "confirmed");
    browser.see("#rates tr:nth-child(2)", "4");
    for (String kind : List.of("unroutable, returned", "unroutable, dropped", "redelivered")) {
      Awaitility.await(kind)
          .atMost(Patience.TIME)
          .until(
              () -> browser.texts("#rates tbody tr"),
              rows -> rows.stream().anyMatch(row -> row.startsWith(kind) && row.endsWith(" 1")));
    }
    browser.go("queues/%2F/q");
    browser.open("rates");
    browser.see("#rates", "got (basic.get), to be acknowledged");
    browser.go("");
    browser.open("rates");
    browser.see("#rates", "unroutable, dropped");
  }

  @Test
  void theLogIsShownToAdministrators() throws Exception {
    browser.logIn("guest", "guest");
    browser.go("admin/log");
    browser.see(".log", "ready in");
    http.put("vhosts/logged-later", "{}");
    browser.see(".log div:first-child", "PUT /api/vhosts/logged-later");
    http.delete("vhosts/logged-later");
    browser.type("input[name=text]", "logged-later");
    browser.click(By.xpath("//button[.='Filter']"));
    browser.miss(".log", "ready in");
    browser.choose("select[name=level]", "critical");
    browser.click(By.xpath("//button[.='Filter']"));
    browser.see("No such lines.");
    http.put("users/watcher", "{\"password\":\"p\",\"tags\":\"monitoring\"}");
    browser.logIn("watcher", "p");
    browser.go("admin");
    assertThat(browser.texts("nav.tabs a")).doesNotContain("Log");
    browser.go("admin/log");
    browser.see("You may not see this.");
  }

  @Test
  void changesAreToldInWords() throws Exception {
    http.put("vhosts/told", "{}");
    http.put("queues/told/q", "{}");
    http.put(
        "policies/told/short",
        "{\"pattern\":\"^q\",\"definition\":{\"max-length\":7},\"apply-to\":\"queues\"}");
    http.delete("queues/told/q/contents");
    http.delete("queues/told/q");
    http.delete("vhosts/told");
    browser.logIn("guest", "guest");
    browser.go("");
    browser.see("[aria-label='Changed lately']", "deleted virtual host told");
    List<String> rows = browser.texts("[aria-label='Changed lately'] td:nth-child(3)");
    assertThat(rows)
        .containsSubsequence(
            "deleted virtual host told",
            "deleted queue q in virtual host told",
            "purged queue q in virtual host told",
            "set policy short in virtual host told",
            "added or changed queue q in virtual host told",
            "added or changed virtual host told")
        .doesNotHaveDuplicates();
    assertThat(browser.texts("[aria-label='Changed lately'] td:nth-child(2)")).contains("guest");
  }

  @Test
  void addIsWithinReachOnAPhone() throws Exception {
    Channel channel = client("a");
    for (int i = 0; i < 40; i++) {
      declare(channel, 0, "q" + i);
    }
    browser.logIn("guest", "guest");
    browser.look(PHONE, 844, false);
    browser.go("queues");
    browser.press("#content", "Add a queue");
    assertThat(browser.script("return document.activeElement.name")).isEqualTo("name");
    Awaitility.await("the form in sight")
        .atMost(Patience.TIME)
        .until(
            () ->
                Boolean.TRUE.equals(
                    browser.script(
                        "const at = document.activeElement.getBoundingClientRect();"
                            + "return at.top >= 0 && at.bottom <= window.innerHeight")));
  }

  @Test
  void tablesAndTabsOnAPhoneHintAtMore() throws Exception {
    declare(client("a"), 0, "q");
    browser.logIn("guest", "guest");
    browser.go("queues");
    assertThat(browser.texts(".table[data-more=right]")).isEmpty();
    browser.look(PHONE, 844, false);
    browser.see(".table[data-more=right]", "q");
    browser.see("nav.main[data-more=both]", "Queues and streams");
    assertThat(browser.style(".table", "box-shadow")).isNotEqualTo("none");
    browser.script("document.querySelector('.table').scrollLeft = 10000");
    browser.see(".table[data-more=left]", "q");
    browser.open("add");
    browser.press("#add", "+ max length");
    browser.type("#add input.value", "many");
    browser.type("#add input[name=name]", "q");
    browser.press("#add", "Add queue");
    browser.see("#add .error", "x-max-length should be a number");
    assertThat(browser.isTooWide()).isFalse();
    browser.go("admin/users");
    browser.see("nav.tabs[data-more=right]", "Users");
    browser.go("admin/log");
    browser.see(".log", "ready in");
    assertThat(
            browser.script(
                "const tab = document.querySelector('nav.tabs [aria-current=page]')"
                    + ".getBoundingClientRect();"
                    + "return tab.left >= 0 && tab.right <= window.innerWidth"))
        .isEqualTo(true);
    browser.see("nav.tabs[data-more=both]", "Log");
    assertThat(browser.isTooWide()).isFalse();
  }
}
