package io.mayflymq.it.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mayflymq.it.harness.Directory;
import io.mayflymq.it.harness.Patience;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.logging.Level;
import java.util.stream.StreamSupport;
import org.awaitility.Awaitility;
import org.openqa.selenium.By;
import org.openqa.selenium.ElementClickInterceptedException;
import org.openqa.selenium.JavascriptExecutor;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import org.openqa.selenium.support.ui.Select;
import org.openqa.selenium.support.ui.WebDriverWait;

/**
 * Chromium without a display, with the management page in it. Waits for everything it looks for.
 */
final class Browser implements AutoCloseable {
  private static final List<String> BROWSERS =
      List.of("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome");
  private static final List<String> DRIVERS =
      List.of("/usr/bin/chromedriver", "/usr/lib/chromium/chromedriver");
  private static final Path SCREENSHOTS =
      Path.of(System.getProperty("mayfly.it.screenshots", "target/screenshots"));

  /** Stops of the Tab key in a view, at most. */
  private static final int MOST_STOPS = 100;

  private final ChromeDriver driver;
  private final String root;
  private final Path temporary;

  private Browser(ChromeDriver driver, String root, Path temporary) {
    this.driver = driver;
    this.root = root;
    this.temporary = temporary;
  }

  /** Skips the test if this machine has no Chromium or no driver, unless {@code CI} is set. */
  static void require() {
    boolean installed = first(BROWSERS) != null && first(DRIVERS) != null;
    String what = "the packages chromium and chromium-driver are not installed";
    if (System.getenv("CI") == null) {
      assumeTrue(installed, what);
    }
    assertThat(installed).as(what).isTrue();
  }

  private static File first(List<String> paths) {
    return paths.stream().map(File::new).filter(File::canExecute).findFirst().orElse(null);
  }

  /**
   * Starts Chromium; the page is at this port of the loopback address.
   *
   * @param more further options of Chromium
   */
  static Browser start(int httpPort, String... more) {
    LoggingPreferences logs = new LoggingPreferences();
    logs.enable(LogType.BROWSER, Level.ALL);
    ChromeOptions options = new ChromeOptions();
    options.setBinary(first(BROWSERS));
    options.addArguments(
        "--headless=new",
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--disable-background-networking",
        "--hide-scrollbars",
        "--window-size=1400,900");
    options.addArguments(more);
    options.setCapability("goog:loggingPrefs", logs);
    Path temporary = temporary();
    ChromeDriverService service =
        new ChromeDriverService.Builder()
            .usingDriverExecutable(first(DRIVERS))
            .withEnvironment(Map.of("TMPDIR", temporary.toString()))
            .build();
    String root = "http://127.0.0.1:" + httpPort + "/";
    return new Browser(new ChromeDriver(service, options), root, temporary);
  }

  /**
   * A directory for what Chromium leaves behind when it is quit: its name has to be a short one.
   */
  private static Path temporary() {
    try {
      return Files.createTempDirectory("chromium");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    driver.quit();
    // Its processes may still be at their end.
    Awaitility.await("the end of " + temporary)
        .atMost(Patience.TIME)
        .ignoreExceptions()
        .until(
            () -> {
              Directory.delete(temporary);
              return true;
            });
  }

  // Going around

  /** Logs in, unless this user is. */
  void logIn(String user, String password) {
    if (user.equals(script("return document.querySelector('header b')?.textContent"))) {
      return;
    }
    openLoggedOut();
    enterCredentials(user, password);
    waitFor("the header", () -> !driver.findElements(By.cssSelector("header nav.main")).isEmpty());
  }

  /** Opens the page without a session. */
  void openLoggedOut() {
    openLoggedOut("");
  }

  /**
   * Does the same, with an address that has a user and a password, such as {@code guest:guest@}.
   */
  void openLoggedOut(String credentials) {
    driver.get(root);
    driver.manage().deleteAllCookies();
    driver.get("about:blank");
    driver.get(root.replace("//", "//" + credentials));
    visible(By.id("password"));
  }

  /** Opens the page without a session, which then shows this. */
  void openLoggedOut(By shown) {
    driver.get(root);
    driver.manage().deleteAllCookies();
    driver.get("about:blank");
    driver.get(root);
    visible(shown);
  }

  /** Returns whether there is such an element now. */
  boolean has(By by) {
    return !driver.findElements(by).isEmpty();
  }

  /** Fills the form of the login and sends it. */
  void enterCredentials(String user, String password) {
    visible(By.id("user")).clear();
    visible(By.id("user")).sendKeys(user);
    visible(By.id("password")).clear();
    visible(By.id("password")).sendKeys(password);
    click(By.xpath("//button[.='Log in']"));
  }

  /** Shows a view, such as {@code queues?page=2}, and waits until it was loaded. */
  void go(String route) {
    script("location.hash = arguments[0]", "#/" + route);
    waitFor(
        "the view " + route,
        () ->
            Boolean.TRUE.equals(
                script(
                    "return location.hash === arguments[0]"
                        + " && document.querySelector('#content h1') !== null"
                        + " && document.querySelector('#content .loading') === null",
                    "#/" + route)));
  }

  /** Opens a section of the view. */
  void open(String section) {
    WebElement details = visible(By.id(section));
    if (details.getAttribute("open") == null) {
      click(By.cssSelector("#" + section + " > summary"));
    }
    waitFor(
        "the section " + section,
        () -> !driver.findElements(By.cssSelector("#" + section + "[open] .inside *")).isEmpty());
  }

  // Looking and doing

  /** The text of what is shown. */
  String text() {
    return driver.findElement(By.tagName("body")).getText();
  }

  /** Waits until a text is shown. */
  void see(String text) {
    waitFor("the text '" + text + "'", () -> text().contains(text));
  }

  /** Waits until a text is shown in a part of the page. */
  void see(String selector, String text) {
    waitFor(
        "the text '" + text + "' in " + selector,
        () ->
            driver.findElements(By.cssSelector(selector)).stream()
                .anyMatch(part -> part.getText().contains(text)));
  }

  /** Waits until no part of the page is matched. */
  void miss(String selector) {
    waitFor(
        "the end of " + selector,
        () -> driver.findElements(By.cssSelector(selector)).stream().noneMatch(this::isShown));
  }

  /** Waits until a text is not shown in any part of the page. */
  void miss(String selector, String text) {
    waitFor(
        "the end of the text '" + text + "' in " + selector,
        () ->
            driver.findElements(By.cssSelector(selector)).stream()
                .noneMatch(part -> part.getText().contains(text)));
  }

  private boolean isShown(WebElement element) {
    return element.isDisplayed();
  }

  /** Returns the texts of the parts of the page that are matched. */
  List<String> texts(String selector) {
    return driver.findElements(By.cssSelector(selector)).stream().map(WebElement::getText).toList();
  }

  /** Returns the computed style of the first part of the page that is matched. */
  String style(String selector, String property) {
    return visible(By.cssSelector(selector)).getCssValue(property);
  }

  /** Cuts the browser off the network, or undoes that. */
  void cutOff(boolean offline) {
    driver.executeCdpCommand("Network.enable", Map.of());
    driver.executeCdpCommand(
        "Network.emulateNetworkConditions",
        Map.of("offline", offline, "latency", 0, "downloadThroughput", -1, "uploadThroughput", -1));
  }

  /** Returns whether a button with a text that begins so is shown. */
  boolean hasButton(String beginning) {
    return driver.findElements(By.tagName("button")).stream()
        .anyMatch(button -> button.isDisplayed() && button.getText().startsWith(beginning));
  }

  /** Types into a field of a part of the page, in place of what it has. */
  void type(String selector, String text) {
    waitFor(
        "'%s' to be typed into %s".formatted(text, selector),
        () -> {
          WebElement field = visible(By.cssSelector(selector));
          field.clear();
          field.sendKeys(text);
          // The page may draw the field anew in between, with what it had.
          return text.equals(field.getDomProperty("value"));
        });
  }

  /** Sends keys to what has the focus. */
  void keys(CharSequence... keys) {
    driver.switchTo().activeElement().sendKeys(keys);
  }

  /**
   * Presses Tab until something with this text, or a field with this name, has the focus. Each stop
   * on the way must be seen.
   */
  void tabTo(String textOrName) {
    tabTo(Keys.TAB, textOrName);
  }

  /** Does the same backwards. */
  void tabBackTo(String textOrName) {
    tabTo(Keys.chord(Keys.SHIFT, Keys.TAB), textOrName);
  }

  private void tabTo(CharSequence tab, String wanted) {
    for (int i = 0; i < MOST_STOPS; i++) {
      keys(tab);
      WebElement focused = driver.switchTo().activeElement();
      assertThat(focused.getCssValue("outline-style"))
          .as("the outline of " + focused.getAttribute("outerHTML"))
          .isNotEqualTo("none");
      if (wanted.equals(focused.getText().strip()) || wanted.equals(focused.getAttribute("name"))) {
        return;
      }
    }
    throw new AssertionError("Tab does not lead to '" + wanted + "' in:\n" + text());
  }

  /** Chooses an option by its value. */
  void choose(String selector, String value) {
    new Select(visible(By.cssSelector(selector))).selectByValue(value);
  }

  /** Chooses a file in the only field for files. */
  void choose(Path file) {
    visible(By.cssSelector("input[type=file]")).sendKeys(file.toAbsolutePath().toString());
  }

  /** Presses Escape in the dialog, which closes. */
  void escape() {
    visible(By.tagName("dialog")).sendKeys(Keys.ESCAPE);
    waitFor("the end of the dialog", () -> driver.findElements(By.tagName("dialog")).isEmpty());
  }

  /** Presses the button with this text in a part of the page. */
  void press(String selector, String text) {
    click(
        By.xpath("//*[%s]//button[normalize-space(.)='%s']".formatted(condition(selector), text)));
  }

  private static String condition(String selector) {
    return selector.startsWith("#") ? "@id='" + selector.substring(1) + "'" : "self::" + selector;
  }

  void click(By by) {
    waitFor(
        "a click on " + by,
        () -> {
          WebElement element = visible(by);
          script("arguments[0].scrollIntoView({block: 'center'})", element);
          element.click();
          return true;
        });
  }

  WebElement visible(By by) {
    return waiting("an element " + by)
        .until(
            any ->
                driver.findElements(by).stream()
                    .filter(WebElement::isDisplayed)
                    .findFirst()
                    .orElse(null));
  }

  private void waitFor(String what, BooleanSupplier condition) {
    waiting(what).until(any -> condition.getAsBoolean());
  }

  private WebDriverWait waiting(String what) {
    WebDriverWait wait = new WebDriverWait(driver, Patience.TIME);
    wait.pollingEvery(Duration.ofMillis(50));
    wait.ignoring(StaleElementReferenceException.class);
    wait.ignoring(ElementClickInterceptedException.class);
    wait.withMessage(() -> "waiting for " + what + "; the page shows:\n" + text());
    return wait;
  }

  Object script(String script, Object... arguments) {
    return ((JavascriptExecutor) driver).executeScript(script, arguments);
  }

  // Judging

  /**
   * Returns the errors that the console has had since the last call, with violations of the policy.
   * A queue that was never redriven is no error, though the console says so.
   */
  List<String> complaints() {
    return StreamSupport.stream(driver.manage().logs().get(LogType.BROWSER).spliterator(), false)
        .filter(entry -> entry.getLevel().intValue() >= Level.SEVERE.intValue())
        .map(entry -> entry.getMessage())
        .filter(message -> !message.contains("/redrive - Failed to load resource"))
        .toList();
  }

  /** Returns the serious faults of accessibility that axe-core finds in what is shown. */
  List<String> inaccessible() {
    return axe("{resultTypes: ['violations']}");
  }

  /** Returns what axe-core finds hard to read because of its colours. */
  List<String> unreadable() {
    return axe("{runOnly: ['color-contrast']}");
  }

  private List<String> axe(String options) {
    if (Boolean.TRUE.equals(script("return window.axe === undefined"))) {
      script(sourceOfAxe());
    }
    Object found =
        driver.executeAsyncScript(
            "const done = arguments[arguments.length - 1];"
                + "axe.run(document, "
                + options
                + ").then(result => done("
                + "  result.violations.filter(each => ['serious', 'critical'].includes(each.impact))"
                + "  .map(each => each.id + ': ' + each.nodes.map(node => node.html).join(' '))),"
                + "  error => done(['axe-core failed: ' + error]));");
    return ((List<?>) found).stream().map(String::valueOf).toList();
  }

  private static String sourceOfAxe() {
    try (var source = Browser.class.getResourceAsStream(System.getProperty("mayfly.it.axe"))) {
      return new String(source.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Returns whether the page is wider than the window, so that one would have to scroll sideways.
   */
  boolean isTooWide() {
    return Boolean.TRUE.equals(
        script("return document.documentElement.scrollWidth > window.innerWidth + 1"));
  }

  /** Sets the size of the window, and the colours that the user prefers. */
  void look(int width, int height, boolean dark) {
    driver.executeCdpCommand(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", width < 500));
    driver.executeCdpCommand(
        "Emulation.setEmulatedMedia",
        Map.of(
            "features",
            List.of(Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light"))));
  }

  /** Keeps a picture of what is shown. */
  void picture(String name) throws IOException {
    script("window.scrollTo(0, 0)");
    Files.createDirectories(SCREENSHOTS);
    Files.write(SCREENSHOTS.resolve(name + ".png"), driver.getScreenshotAs(OutputType.BYTES));
  }
}
