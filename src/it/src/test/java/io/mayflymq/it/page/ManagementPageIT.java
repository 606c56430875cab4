package io.mayflymq.it.page;

import static io.mayflymq.it.page.BusyVhost.MONITOR;
import static io.mayflymq.it.page.BusyVhost.NAME;
import static io.mayflymq.it.page.BusyVhost.READER;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.rabbitmq.client.Connection;
import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.Http;
import io.mayflymq.it.harness.MayflyOnly;
import io.mayflymq.it.harness.Patience;
import io.mayflymq.it.harness.Target;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;

/**
 * The management page in Chromium, on a broker that has something to do. Skipped on a machine
 * without the packages chromium and chromium-driver, but not in {@code .ci/run}, which installs
 * them.
 */
@BlackBox
@MayflyOnly("RabbitMQ has another page")
@TestInstance(Lifecycle.PER_CLASS)
@Order(1)
class ManagementPageIT {
  private static final String IN = "?vhost=" + NAME;
  private static final String QUEUES = "queues/" + NAME + "/";

  /** Each view with the sections of it that are opened. */
  private static final Map<String, List<String>> VIEWS =
      Map.ofEntries(
          Map.entry("", List.of()),
          Map.entry("connections", List.of()),
          Map.entry("channels", List.of()),
          Map.entry("consumers", List.of("columns")),
          Map.entry("consumers/unacknowledged", List.of()),
          Map.entry("exchanges", List.of("add")),
          Map.entry("exchanges/page/shop.events", List.of("from", "publish", "settings")),
          Map.entry("queues", List.of("add")),
          Map.entry(
              QUEUES + "orders",
              List.of(
                  "time",
                  "rates",
                  "bindings",
                  "publish",
                  "get",
                  "browse",
                  "deaths",
                  "undo",
                  "settings",
                  "proof")),
          Map.entry(QUEUES + "failed", List.of("redrive")),
          Map.entry(QUEUES + "billing", List.of("consumers")),
          Map.entry(QUEUES + "audit", List.of("browse")),
          Map.entry(QUEUES + "exclusive", List.of("bindings")),
          Map.entry(QUEUES + "session.4711", List.of("settings")),
          Map.entry(QUEUES + "reminders", List.of("scheduled")),
          Map.entry("deaths", List.of()),
          Map.entry("admin/users", List.of("add")),
          Map.entry("admin/users/guest", List.of("permissions", "change")),
          Map.entry("admin/vhosts", List.of("add")),
          Map.entry("admin/policies", List.of("add")),
          Map.entry("admin/operator-policies", List.of()),
          Map.entry("admin/limits", List.of()),
          Map.entry("admin/shovels", List.of()),
          Map.entry("admin/definitions", List.of()),
          Map.entry("admin/features", List.of()),
          Map.entry("admin/log", List.of()),
          Map.entry("admin/api", List.of("health")));

  /** Views that together have all kinds of parts. */
  private static final Set<String> VARIED =
      Set.of("", "queues", QUEUES + "orders", QUEUES + "failed", "admin/users/guest");

  private Http http;
  private BusyVhost vhost;
  private Browser browser;

  @BeforeAll
  void start(Target target) throws Exception {
    Browser.require();
    http = target.http();
    vhost = BusyVhost.open(target);
    browser = Browser.start(target.httpPort());
  }

  @AfterAll
  void stop() throws Exception {
    if (browser != null) {
      browser.close();
    }
    if (vhost != null) {
      vhost.end();
    }
  }

  private void makeQueue(String name, String json) throws Exception {
    assertThat(http.put(QUEUES + name, json).status()).isEqualTo(201);
  }

  private void awaitMissing(String path) {
    Awaitility.await("the end of " + path)
        .atMost(Patience.TIME)
        .until(() -> http.get(path).status() == 404);
  }

  @Test
  void aWrongPasswordIsSaidInWordsAndARightOneOpensTheOverview() throws Exception {
    browser.openLoggedOut();
    browser.enterCredentials("guest", "wrong");
    browser.see("The user name or the password is wrong.");
    browser.picture("login");
    browser.enterCredentials("guest", "guest");
    browser.see("h1", "Overview");
    browser.see("header", "user guest");
    browser.press("header", "Log out");
    browser.see("form", "Password");
  }

  @Test
  void theAddressMayHaveAUserAndAPassword() {
    browser.openLoggedOut("guest:guest@");
    browser.enterCredentials("guest", "guest");
    browser.see("h1", "Overview");
  }

  @Test
  void noViewHasErrorsInTheConsoleOrSeriousFaultsOfAccessibility() throws Exception {
    browser.logIn("guest", "guest");
    browser.complaints();
    for (Map.Entry<String, List<String>> view : VIEWS.entrySet()) {
      browser.look(1400, 900, false);
      browser.go(view.getKey() + IN);
      view.getValue().forEach(browser::open);
      String name = view.getKey().isEmpty() ? "overview" : view.getKey().replace('/', '-');
      browser.picture(name);
      assertThat(browser.inaccessible()).as("faults in " + name).isEmpty();
      browser.look(1400, 900, true);
      browser.picture(name + "-dark");
      if (VARIED.contains(view.getKey())) {
        assertThat(browser.unreadable()).as("colours in dark " + name).isEmpty();
      }
      browser.look(390, 844, false);
      browser.picture(name + "-phone");
      assertThat(browser.isTooWide()).as(name + " is wider than a phone").isFalse();
      assertThat(browser.complaints()).as("console in " + name).isEmpty();
    }
    browser.look(1400, 900, false);
  }

  @Test
  void aListIsPagedSortedAndFilteredByItsAddress() {
    browser.logIn("guest", "guest");
    browser.go("queues" + IN + "&page_size=20&page=2&sort=name");
    browser.see("21–40 of 6");
    browser.go("queues" + IN + "&name=telemetry.5");
    browser.see("1–11 of 11");
    browser.go("queues" + IN + "&name=%5Etelemetry.5%24&use_regex=true");
    browser.see("1–1 of 1");
    browser.type("input[name=name]", "aud");
    browser.click(By.xpath("//button[.='Filter']"));
    browser.see("regular expression");
    browser.see("audit");
    assertThat(browser.script("return location.hash").toString()).contains("name=aud");
  }

  @Test
  void aMessageThatExpiresIsSeenInTheDeathJournalAndRedriven() throws Exception {
    makeQueue("page-dead", "{}");
    makeQueue(
        "page-ttl",
        "{\"arguments\":{\"x-dead-letter-exchange\":\"\",\"x-dead-letter-routing-key\":\"page-dead\"}}");
    browser.logIn("guest", "guest");
    browser.go(QUEUES + "page-ttl" + IN);
    browser.open("publish");
    browser.type("#publish input[name=expiration]", "600000");
    browser.type("#publish input[name=message_id]", "slow-1");
    browser.type("#publish textarea", "hello");
    browser.press("#publish", "Publish");
    browser.see("The message was published.");
    browser.open("time");
    browser.see("#time", "1 has a deadline");
    browser.open("browse");
    browser.press("#browse", "Browse");
    browser.see("#browse", "slow-1");
    browser.see("#browse", "hello");
    browser.type("#publish input[name=expiration]", "1");
    browser.type("#publish input[name=message_id]", "quick-1");
    browser.press("#publish", "Publish");
    browser.open("deaths");
    browser.see("#deaths", "quick-1");
    browser.see("#deaths", "expiration");
    browser.see("#deaths", "dead-lettered");
    browser.go(QUEUES + "page-dead" + IN);
    browser.open("redrive");
    browser.press("#redrive", "Dry run");
    browser.see("#redrive", "this would happen");
    browser.press("#redrive", "Redrive …");
    browser.see("dialog", "Redrive page-dead?");
    browser.press("dialog", "Redrive");
    browser.see("#redrive", "Last redrive");
    browser.see("#redrive", "done");
    Awaitility.await("both messages in the first queue")
        .atMost(Patience.TIME)
        .until(() -> http.get(QUEUES + "page-ttl").json().path("messages").asInt() == 2);
    http.delete(QUEUES + "page-ttl");
    http.delete(QUEUES + "page-dead");
  }

  @Test
  void aMessageThatIsShownIsMovedAndAnotherOneDeleted() throws Exception {
    makeQueue("page-move", "{\"durable\":true}");
    makeQueue("page-there", "{\"durable\":true}");
    for (String id : List.of("first", "second", "third")) {
      http.post(
          "exchanges/" + NAME + "/amq.default/publish",
          "{\"routing_key\":\"page-move\",\"payload\":\"x\",\"payload_encoding\":\"string\","
              + "\"properties\":{\"message_id\":\"%s\"}}".formatted(id));
    }
    browser.logIn("guest", "guest");
    browser.go(QUEUES + "page-move" + IN);
    browser.open("browse");
    browser.press("#browse", "Browse");
    browser.see("#browse", "second");
    browser.type("#message-1 input[name=to]", "page-nowhere");
    browser.press("#message-1", "Move");
    browser.see("#browse", "no queue 'page-nowhere' in vhost");
    browser.type("#message-1 input[name=to]", "page-there");
    browser.press("#message-1", "Move");
    browser.see("The message was moved to page-there.");
    browser.miss("#message-1");
    browser.press("#message-2", "Delete …");
    browser.see("dialog", "Delete this message?");
    browser.press("dialog", "Delete");
    browser.miss("#message-2");
    browser.open("deaths");
    browser.see("#deaths", "second");
    browser.see("#deaths", "user guest");
    assertThat(http.get(QUEUES + "page-move").json().path("messages").asInt()).isEqualTo(1);
    assertThat(http.get(QUEUES + "page-there").json().path("messages").asInt()).isEqualTo(1);
    http.delete(QUEUES + "page-move");
    http.delete(QUEUES + "page-there");
  }

  @Test
  void aPurgeIsUndone() throws Exception {
    makeQueue("page-undo", "{\"durable\":true,\"arguments\":{\"x-recoverable\":3600000}}");
    var published =
        http.post(
            "exchanges/" + NAME + "/amq.default/publish",
            "{\"routing_key\":\"page-undo\",\"payload\":\"x\",\"payload_encoding\":\"string\","
                + "\"properties\":{}}");
    assertThat(published.json().path("routed").asBoolean()).isTrue();
    assertThat(http.delete(QUEUES + "page-undo/contents").status()).isEqualTo(204);
    browser.logIn("guest", "guest");
    browser.go(QUEUES + "page-undo" + IN);
    browser.open("undo");
    browser.see("#undo", "1 message");
    browser.press("#undo", "Dry run");
    browser.see("#undo", "this would come back");
    browser.see("#undo", "that were purged");
    browser.press("#undo", "Bring back …");
    browser.see("dialog", "Bring messages back to page-undo?");
    browser.press("dialog", "Bring back");
    browser.see("#undo", "Came back");
    assertThat(http.get(QUEUES + "page-undo").json().path("messages").asInt()).isEqualTo(1);
    http.delete(QUEUES + "page-undo");
  }

  @Test
  void aQueueIsAddedBoundPurgedAndDeletedAfterAQuestion() throws Exception {
    browser.logIn("guest", "guest");
    browser.go("queues" + IN);
    browser.open("add");
    browser.type("#add input[name=name]", "page-new");
    browser.press("#add", "+ message TTL");
    browser.type("#add input.value", "60000");
    browser.press("#add", "Add queue");
    browser.see("Queue page-new is there.");
    assertThat(http.get(QUEUES + "page-new").json().path("arguments").path("x-message-ttl").asInt())
        .isEqualTo(60_000);
    browser.go(QUEUES + "page-new" + IN);
    browser.open("bindings");
    browser.type("#bindings input[name=source]", "dead");
    browser.press("#bindings", "Add binding");
    browser.see("dead is bound to page-new.");
    browser.press("#content", "Purge …");
    browser.see("dialog", "Purge queue page-new?");
    browser.escape();
    browser.press("#content", "Pause …");
    browser.see("dialog", "Pause queue page-new?");
    browser.click(By.cssSelector("dialog input[name=chosen]"));
    browser.press("dialog", "Pause");
    browser.see("Queue page-new is paused.");
    browser.see("its consumers get no messages, and its publishers wait, and TTL stands still");
    browser.press("#content", "Resume");
    browser.see("Queue page-new was resumed.");
    browser.press("#content", "Delete …");
    browser.see("dialog", "Delete queue page-new?");
    browser.picture("question");
    browser.press("dialog", "Cancel");
    assertThat(http.get(QUEUES + "page-new").status()).isEqualTo(200);
    browser.press("#content", "Delete …");
    browser.press("dialog", "Delete queue");
    browser.see("Queue page-new was deleted.");
    awaitMissing(QUEUES + "page-new");
  }

  @Test
  void anErrorOfTheApiIsSaidInItsWords() throws Exception {
    makeQueue("page-taken", "{\"durable\":true}");
    browser.logIn("guest", "guest");
    browser.go("queues" + IN);
    browser.open("add");
    browser.type("#add input[name=name]", "page-taken");
    browser.choose("#add select[name=durable]", "no");
    browser.press("#add", "Add queue");
    browser.see("#add .error", "inequivalent arg 'durable' for queue 'page-taken'");
    http.delete(QUEUES + "page-taken");
    browser.go(QUEUES + "page-taken" + IN);
    browser.see("This does not exist (any more).");
  }

  @Test
  void aScheduledMessageIsCancelled() throws Exception {
    browser.logIn("guest", "guest");
    browser.go(QUEUES + "reminders" + IN);
    browser.open("scheduled");
    browser.see("#scheduled", "reminder-2");
    browser.press("#scheduled", "Cancel all …");
    browser.see("dialog", "Cancel all scheduled messages of reminders?");
    browser.press("dialog", "Cancel");
    browser.click(By.xpath("//*[@id='scheduled']//tr[contains(., 'reminder-2')]//button"));
    browser.press("dialog", "Cancel message");
    browser.see("Message reminder-2 was cancelled.");
    assertThat(http.get(QUEUES + "reminders/scheduled").json().toString())
        .doesNotContain("reminder-2");
  }

  @Test
  void aPolicyIsTriedSetAndDeleted() throws Exception {
    browser.logIn("guest", "guest");
    browser.go("admin/policies" + IN);
    browser.open("add");
    browser.type("#add input[name=name]", "page-policy");
    browser.type("#add input[name=pattern]", "^session");
    browser.press("#add", "+ max length");
    browser.type("#add input.value", "7");
    browser.press("#add", "Dry run");
    browser.see("#add", "this would happen now");
    browser.see("#add", "session.4711");
    assertThat(http.get("policies/" + NAME + "/page-policy").status()).isEqualTo(404);
    browser.press("#add", "Set policy");
    browser.see("page-policy matches 1 queue: applies to 1");
    browser.go(QUEUES + "session.4711" + IN);
    browser.open("settings");
    browser.see("#settings", "policy page-policy");
    browser.open("proof");
    browser.see("#proof", "max-length = 7 (policy 'page-policy')");
    browser.go("admin/policies" + IN);
    browser.click(By.xpath("//tr[contains(., 'page-policy')]//button[starts-with(., 'Delete')]"));
    browser.press("dialog", "Delete policy");
    awaitMissing("policies/" + NAME + "/page-policy");
  }

  @Test
  void aPolicyForManyVirtualHostsIsSetAndDeleted() throws Exception {
    browser.logIn("guest", "guest");
    browser.go("admin/policies" + IN);
    browser.open("add");
    browser.type("#add input[name=vhosts]", "^" + NAME + "$");
    browser.type("#add input[name=name]", "page-many");
    browser.type("#add input[name=pattern]", "^session");
    browser.press("#add", "+ max length");
    browser.type("#add input.value", "8");
    browser.press("#add", "Dry run");
    browser.see("#add", "session.4711 in " + NAME);
    browser.press("#add", "Set policy");
    browser.see("page-many matches 1 virtual host");
    browser.see("many: ^" + NAME + "$");
    browser.click(By.xpath("//tr[contains(., 'page-many')]//button[starts-with(., 'Delete')]"));
    browser.press("dialog", "Delete policy");
    awaitMissing("vhost-policies/page-many");
  }

  @Test
  void aConnectionIsClosedAfterAQuestion(Target target) throws Exception {
    Connection connection = target.factory().newConnection("to be closed");
    String name = "";
    for (JsonNode each : http.get("connections").json()) {
      if (each.path("user_provided_name").asText().equals("to be closed")) {
        name = each.path("name").asText();
      }
    }
    browser.logIn("guest", "guest");
    browser.go("connections/" + name.replace(" ", "%20").replace(":", "%3A").replace(">", "%3E"));
    browser.see("to be closed");
    browser.press("#content", "Close …");
    browser.see("dialog", "Close connection " + name);
    browser.press("dialog", "Close connection");
    browser.see("The connection was closed.");
    Awaitility.await("the end of the connection")
        .atMost(Patience.TIME)
        .until(() -> !connection.isOpen());
  }

  @Test
  void aUserIsAddedGetsPermissionsAndIsDeleted() throws Exception {
    browser.logIn("guest", "guest");
    browser.go("admin/users");
    browser.open("add");
    browser.type("#add input[name=name]", "page-new-user");
    browser.type("#add input[name=password]", "secret");
    browser.press("#add", "Add user");
    browser.see("User page-new-user is there.");
    browser.go("admin/users/page-new-user");
    browser.see("This user has no permissions");
    browser.choose("#permissions select[name=vhost]", NAME);
    browser.type("#permissions input[name=configure]", "^mine");
    browser.press("#permissions", "Set permissions");
    browser.see("The permissions in page are set.");
    JsonNode permissions = http.get("permissions/" + NAME + "/page-new-user").json();
    assertThat(permissions.path("configure").asText()).isEqualTo("^mine");
    browser.press("#content", "Delete …");
    browser.press("dialog", "Delete user");
    browser.see("User page-new-user was deleted.");
    awaitMissing("users/page-new-user");
  }

  @Test
  void definitionsAreImportedFromAFile(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("more.json");
    Files.writeString(
        file,
        "{\"queues\":[{\"name\":\"page-imported\",\"durable\":true,\"auto_delete\":false,"
            + "\"arguments\":{}}]}");
    browser.logIn("guest", "guest");
    browser.go("admin/definitions" + IN);
    browser.choose(file);
    browser.press("#content", "Import …");
    browser.see("dialog", "Import more.json into virtual host page?");
    browser.press("dialog", "Import");
    browser.see("more.json was imported.");
    assertThat(http.get(QUEUES + "page-imported").status()).isEqualTo(200);
    Object exported =
        browser.script(
            "const link = document.querySelector('a[download]').href;"
                + "return fetch(link).then(answer => answer.text());");
    assertThat(exported.toString()).contains("page-imported", "shop.events");
    http.delete(QUEUES + "page-imported");
  }

  @Test
  void whatCanGoWrongIsTold() throws Exception {
    http.put(QUEUES + "page-lossy", "{\"durable\":true,\"arguments\":{\"x-max-length\":5}}");
    browser.logIn("guest", "guest");
    browser.go("admin/definitions" + IN);
    browser.press("#lint", "Look");
    browser.see("#lint", "queue 'page-lossy' in vhost 'page'");
    browser.see("#lint", "drops-when-full");
    http.delete(QUEUES + "page-lossy");
  }

  @Test
  void aQueueLeadsToItsConsumersConnectionAndBack() {
    browser.logIn("guest", "guest");
    browser.go(QUEUES + "billing" + IN);
    browser.see("#consumers", "billing-1");
    browser.click(By.cssSelector("#consumers tbody td a"));
    browser.see("h1", "Channel");
    browser.see("#consumers", "billing-1");
    browser.click(By.linkText("billing"));
    browser.see("h1", "Queue billing");
    browser.click(By.linkText("connection"));
    browser.see("billing worker");
  }

  @Test
  void aMonitoringUserSeesNoButtonThatWouldFail() {
    browser.logIn(MONITOR, "p");
    browser.complaints();
    browser.go(QUEUES + "orders" + IN);
    browser.see("Now");
    assertThat(browser.hasButton("Delete")).isFalse();
    assertThat(browser.hasButton("Purge")).isFalse();
    assertThat(browser.text()).doesNotContain("Publish a message", "Browse messages");
    browser.go("queues" + IN);
    assertThat(browser.text()).doesNotContain("Add a queue");
    browser.go("admin" + IN);
    browser.see("h1", "Virtual hosts");
    assertThat(browser.text()).doesNotContain("Add a virtual host", "Users");
    browser.go("admin/policies" + IN);
    assertThat(browser.text()).doesNotContain("Add or change");
    browser.go(IN);
    browser.see("Listeners");
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  void aUserWhoMayOnlyReadSeesMessagesAndCannotChangeQueues() {
    browser.logIn(READER, "p");
    browser.complaints();
    browser.go(QUEUES + "orders" + IN);
    browser.see("Now");
    assertThat(browser.hasButton("Delete")).as("the queue").isFalse();
    browser.open("browse");
    browser.press("#browse", "Browse");
    browser.see("#browse", "ready message");
    // Who may read a queue may take messages out of it.
    assertThat(browser.hasButton("Delete")).as("a message").isTrue();
    assertThat(browser.hasButton("Move")).isFalse();
    assertThat(browser.text()).doesNotContain("Publish a message");
    browser.go(IN);
    browser.see("Overview");
    assertThat(browser.text()).doesNotContain("Listeners");
    assertThat(browser.complaints()).isEmpty();
  }

  @Test
  void aSessionThatEndsLeadsBackToTheLogin() throws Exception {
    http.put("users/page-leaver", "{\"password\":\"p\",\"tags\":\"monitoring\"}");
    browser.logIn("page-leaver", "p");
    http.delete("users/page-leaver");
    browser.script("location.hash = '#/connections'");
    browser.see("Your session has ended. Please log in again.");
  }
}
