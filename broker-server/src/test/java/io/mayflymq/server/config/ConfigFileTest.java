package io.mayflymq.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigFileTest {
  @TempDir Path directory;

  private Path file(String content) throws IOException {
    return Files.writeString(directory.resolve("mayfly.conf"), content);
  }

  private List<FileEntry> read(String content) throws IOException, ConfigException {
    return read(file(content));
  }

  private static List<FileEntry> read(Path file) throws ConfigException {
    ConfigErrors errors = new ConfigErrors();
    List<FileEntry> entries = ConfigFile.read(file, key -> key.contains("pass"), errors);
    errors.throwIfAny();
    return entries;
  }

  private void assertRefused(String content, String message) throws IOException {
    Path file = file(content);
    assertThatThrownBy(() -> read(file))
        .isInstanceOf(ConfigException.class)
        .hasMessage(message.replace("FILE", file.toString()));
  }

  @Test
  void configFileIsReadAsKeysAndValuesWithLineNumbers() throws Exception {
    List<FileEntry> entries = read("\n# a comment\n  heartbeat = 30 # seconds\nframe_max=4096\r\n");
    assertThat(entries).extracting(FileEntry::key).containsExactly("heartbeat", "frame_max");
    assertThat(entries).extracting(FileEntry::value).containsExactly("30", "4096");
    assertThat(entries)
        .extracting(entry -> entry.origin().where())
        .containsExactly(
            directory.resolve("mayfly.conf") + ":3", directory.resolve("mayfly.conf") + ":4");
  }

  @Test
  void quotedValueKeepsHashesAndOuterSpaces() throws Exception {
    assertThat(read("a = ' x#y '\nb = \"it's\" # comment\nc = x#y\nd = a=b\ne = ''\nf ="))
        .extracting(FileEntry::value)
        .containsExactly(" x#y ", "it's", "x", "a=b", "", "");
  }

  @Test
  void valueInThreeQuotesMayHaveSeveralLines() throws Exception {
    List<FileEntry> entries =
        read(
            """
            a = '''
              {'or', [x, # no comment
                      "y = z"]}
            ''' # a comment
            b = '''one 'quoted' line'''
            c = 1
            """);
    assertThat(entries)
        .extracting(FileEntry::value)
        .containsExactly(
            "{'or', [x, # no comment\n          \"y = z\"]}", "one 'quoted' line", "1");
    assertThat(entries)
        .extracting(entry -> entry.origin().where())
        .extracting(where -> where.substring(where.lastIndexOf(':')))
        .containsExactly(":1", ":5", ":6");
  }

  @Test
  void threeQuotesThatAreNotClosedAreRefused() throws Exception {
    assertRefused(
        "a = 1\nb = '''x\nc = 2",
        "FILE:2: bad value ''''x?c = 2' for key 'b': expected one quoted text, closed by '''");
    assertRefused(
        "b = '''x''' y",
        "FILE:1: bad value ''''x''' y' for key 'b': expected one quoted text, closed by '''");
    assertRefused(
        "pass = '''hunter2",
        "FILE:1: bad value (not shown) for key 'pass': expected one quoted text, closed by '''");
  }

  @Test
  void escapedDotIsPartOfTheKey() throws Exception {
    assertThat(read("loopback_users.ann\\.lee = true"))
        .extracting(FileEntry::key)
        .containsExactly("loopback_users.ann.lee");
  }

  @Test
  void byteOrderMarkOfAConfigFileIsSkipped() throws Exception {
    assertThat(read("\uFEFFheartbeat = 1")).extracting(FileEntry::key).containsExactly("heartbeat");
  }

  @Test
  void malformedLineOfAConfigFileIsRefused() throws Exception {
    assertRefused("\nheartbeat 30", "FILE:2: expected 'key = value', found 'heartbeat 30'");
    assertRefused("= 30", "FILE:1: expected 'key = value', found '= 30'");
    assertRefused("heart beat = 30", "FILE:1: expected 'key = value', found 'heart beat = 30'");
    assertRefused("[{rabbit, []}].", "FILE:1: expected 'key = value', found '[{rabbit, []}].'");
  }

  @Test
  void unbalancedQuotesInAConfigFileAreRefused() throws Exception {
    assertRefused(
        "default_vhost = 'a' b",
        "FILE:1: bad value ''a' b' for key 'default_vhost':"
            + " expected one quoted text, closed by '");
    assertRefused(
        "default_vhost = \"a",
        "FILE:1: bad value '\"a' for key 'default_vhost':"
            + " expected one quoted text, closed by \"");
  }

  @Test
  void everyMalformedLineIsReportedAndTheOthersAreRead() throws Exception {
    Path file = file("heartbeat 30\nframe_max = 5000\n= 7");
    ConfigErrors errors = new ConfigErrors();
    assertThat(ConfigFile.read(file, key -> key.contains("pass"), errors))
        .extracting(FileEntry::key)
        .containsExactly("frame_max");
    assertThatThrownBy(errors::throwIfAny)
        .isInstanceOfSatisfying(
            ConfigException.class,
            e ->
                assertThat(e.errors())
                    .containsExactly(
                        file + ":1: expected 'key = value', found 'heartbeat 30'",
                        file + ":3: expected 'key = value', found '= 7'"));
  }

  @Test
  void unreadableConfigFileIsRefused() throws Exception {
    Path missing = directory.resolve("missing.conf");
    assertThatThrownBy(() -> read(missing))
        .isInstanceOf(ConfigException.class)
        .hasMessage(missing + ": no such file; expected a configuration file");
    assertThatThrownBy(() -> read(directory))
        .isInstanceOf(ConfigException.class)
        .hasMessage(directory + ": is a directory; expected a readable file");
    Path latin = directory.resolve("latin.conf");
    Files.write(latin, "default_user = é".getBytes(StandardCharsets.ISO_8859_1));
    assertThatThrownBy(() -> read(latin))
        .isInstanceOf(ConfigException.class)
        .hasMessage(latin + ": expected a text file in UTF-8");
  }
}
