package io.mayflymq.core.metadata;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.MVStoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file that metadata was kept in up to format 3 of the data directory: an H2 MVStore with a map
 * for each kind of entry. It is read once, when the journal takes its place.
 */
final class OldMetadataFile {
  static final String NAME = "metadata.mv";

  private static final Logger LOGGER = LoggerFactory.getLogger(OldMetadataFile.class);

  private OldMetadataFile() {}

  static boolean exists(Path directory) {
    return Files.exists(directory.resolve(NAME));
  }

  /**
   * Adds what an older broker has left in a data directory, if it has.
   *
   * @param acceptsLoss whether to go on without it if it cannot be read; then it is kept aside
   * @throws MetadataException if it cannot be read and that is not accepted
   */
  static void takeOver(Path directory, LiveEntries entries, boolean acceptsLoss)
      throws IOException {
    Path file = directory.resolve(NAME);
    if (Files.notExists(file) || Files.size(file) == 0) {
      return;
    }
    try {
      List<JournalEntry> found = read(file);
      found.forEach(entries::apply);
      LOGGER.info("took over {} entries of metadata from {}", found.size(), file);
    } catch (MetadataException e) {
      if (!acceptsLoss) {
        throw e;
      }
      Path aside = directory.resolve(NAME + ".aside-" + Instant.now().toString().replace(":", ""));
      Files.move(file, aside, StandardCopyOption.ATOMIC_MOVE);
      LOGGER.warn("{}; it is kept as {}", e.getMessage(), aside);
    }
  }

  /** Deletes the file, once its entries are durable in the journal. */
  static void delete(Path directory) throws IOException {
    Files.deleteIfExists(directory.resolve(NAME));
  }

  /**
   * Reads all entries and changes nothing.
   *
   * @throws MetadataException if it, or an entry of it, cannot be read, or a broker has it open
   */
  static List<JournalEntry> read(Path file) {
    List<JournalEntry> entries = new ArrayList<>();
    try (MVStore store = new MVStore.Builder().fileName(file.toString()).readOnly().open()) {
      for (EntryKind kind : EntryKind.values()) {
        if (!store.hasMap(kind.plural())) {
          continue;
        }
        MVMap<String, byte[]> map = store.openMap(kind.plural());
        for (byte[] value : map.values()) {
          MetadataCommand command = kind.decode(ByteBuffer.wrap(value));
          entries.add(JournalEntry.of(command));
        }
      }
    } catch (MVStoreException e) {
      throw new MetadataException("cannot open metadata in " + file + ": " + e.getMessage(), e);
    } catch (RuntimeException e) {
      throw new MetadataException("cannot read metadata in " + file + ": " + e.getMessage(), e);
    }
    return entries;
  }
}
