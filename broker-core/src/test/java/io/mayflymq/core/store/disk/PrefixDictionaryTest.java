package io.mayflymq.core.store.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.core.message.Message;
import io.mayflymq.protocol.types.ShortString;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class PrefixDictionaryTest {
  private static final int SLAB = 1 << 16;
  private static final String HEADERS = "x-death and other headers of a dead letter ".repeat(10);

  private final PrefixDictionary prefixDictionary = new PrefixDictionary();

  private static Message message(String key, String properties, String body) {
    byte[] content = (properties + body).getBytes(StandardCharsets.US_ASCII);
    return new Message(
        ShortString.EMPTY,
        ShortString.of(key),
        content,
        properties.length(),
        Message.NO_TTL,
        0,
        false,
        List.of());
  }

  private int find(String properties) {
    return prefixDictionary.find(message("key", properties, "body"));
  }

  @Test
  void prefixIsFoundAsFarAsItIsEqual() {
    int first = find(HEADERS + "one");
    assertThat(prefixDictionary.shared()).isEqualTo(HEADERS.length() + 3);
    assertThat(find(HEADERS + "other")).isEqualTo(first);
    assertThat(prefixDictionary.shared()).isEqualTo(HEADERS.length() + 1);
    assertThat(prefixDictionary.bytes()).isEqualTo(HEADERS.length() + 3);
  }

  @Test
  void prefixExcludesTheBody() {
    find(HEADERS);
    prefixDictionary.find(message("key", HEADERS, "body"));
    assertThat(prefixDictionary.shared()).isEqualTo(HEADERS.length());
  }

  @Test
  void shortPropertiesHaveNoPrefix() {
    String properties = "p".repeat(PrefixDictionary.SHORTEST - 1);
    assertThat(find(properties)).isEqualTo(PrefixDictionary.NONE);
    assertThat(find(properties)).isEqualTo(PrefixDictionary.NONE);
    assertThat(prefixDictionary.bytes()).isZero();
  }

  @Test
  void fewPrefixesAreKeptIfAllDiffer() {
    for (int i = 0; i < 1000; i++) {
      find(i + HEADERS);
    }
    assertThat(prefixDictionary.bytes()).isLessThan(5L * HEADERS.length());
  }

  @Test
  void prefixesThatNeverMatchAreAddedEverLessOften() {
    int messages = 100_000;
    for (int i = 0; i < messages; i++) {
      int prefix = find(i + HEADERS);
      if (prefix != PrefixDictionary.NONE) {
        prefixDictionary.retain(prefix);
      }
    }
    assertThat(prefixDictionary.bytes()).isLessThan(messages / 500L * HEADERS.length());
  }

  @Test
  void matchingPrefixIsKeptBesideOthersThatNeverMatch() {
    int useful = find("useful" + HEADERS);
    for (int i = 0; i < 10_000; i++) {
      find(i + HEADERS);
      assertThat(find("useful" + HEADERS)).isEqualTo(useful);
    }
  }

  @Test
  void newPrefixIsFoundSoonAfterItsFirstUse() {
    for (int second = 0; second < 100; second++) {
      for (int i = 0; i < 10; i++) {
        find(second + HEADERS);
      }
      int known = find(second + HEADERS);
      assertThat(known).isNotEqualTo(PrefixDictionary.NONE);
      for (int i = 0; i < 20; i++) {
        assertThat(find(second + HEADERS)).isEqualTo(known);
      }
    }
  }

  @Test
  void prefixInUseIsKeptWhenItIsNoLongerRecent() {
    int used = find("used" + HEADERS);
    prefixDictionary.retain(used);
    for (int i = 0; i < 100; i++) {
      find(i + HEADERS);
    }
    byte[] copy = new byte[4];
    prefixDictionary.copy(used, copy, 4);
    assertThat(copy).asString(StandardCharsets.US_ASCII).isEqualTo("used");
    long before = prefixDictionary.bytes();
    prefixDictionary.release(used);
    assertThat(prefixDictionary.bytes()).isEqualTo(before - HEADERS.length() - 4);
  }

  @Test
  void deadLettersWithEqualHeadersTakeLittleMoreThanTheirBodies() {
    Holders holders = new Holders(SLAB);
    for (int i = 0; i < 1000; i++) {
      holders.put(List.of(1L), message("key", HEADERS + "message-id-" + i, "body"));
    }
    assertThat(holders.memory.liveBytes()).isLessThan(1000 * 80);
    holders.check();
    while (holders.count() > 0) {
      holders.releaseOldest();
    }
    assertThat(holders.memory.liveBytes()).isZero();
  }
}
