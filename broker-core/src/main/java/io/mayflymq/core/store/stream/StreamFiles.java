package io.mayflymq.core.store.stream;

import io.mayflymq.core.store.segment.Location;
import io.mayflymq.core.store.segment.LogDirectory;
import io.mayflymq.core.store.segment.LogFile;
import io.mayflymq.core.store.segment.OpenedManifest;
import io.mayflymq.core.store.segment.SegmentManifest;
import io.mayflymq.core.store.segment.SegmentNames;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/**
 * Creates and deletes the files of a stream.
 *
 * <p>The files of one stream, and the manifest that lists those that must exist. As in the logs of
 * shards ({@link SegmentManifest}) a segment is listed when its file is safe and before anything in
 * it is confirmed, and removed from the list before it is deleted; the same holds for the stream's
 * directory in the list of directories. The manifest contains the stream's name, since the
 * directory belongs to one queue.
 */
final class StreamFiles {
  private final LogDirectory directory;
  private final SegmentManifest manifest;

  StreamFiles(LogDirectory directory, SegmentManifest manifest) {
    this.directory = directory;
    this.manifest = manifest;
  }

  /** Reads the manifest. */
  static OpenedManifest open(
      StreamDirectories directories, LogDirectory directory, StreamOutput stream)
      throws IOException {
    return OpenedManifest.read(
        directory,
        directories.identity(stream.id),
        stream.logId,
        stream.name.joined(),
        directories.metadataSequence());
  }

  /** Creates the files of a new stream. */
  static StreamFiles begin(StreamDirectories directories, StreamOutput stream) throws IOException {
    LogDirectory directory = directories.open(stream.id);
    StreamFiles files =
        new StreamFiles(directory, open(directories, directory, stream).settle(Map.of()));
    directories.keep(stream.id, stream.logId);
    return files;
  }

  LogDirectory directory() {
    return directory;
  }

  /**
   * Creates the file of a segment, with its header. A record without a header could not be read.
   */
  void create(StreamSegment segment) throws IOException {
    LogFile file = directory.create(SegmentNames.log(segment.number()));
    LogFile index = null;
    try {
      segment.header.store(file);
      index = directory.create(SparseIndex.name(segment.number()));
    } finally {
      if (index == null) {
        file.close();
      }
    }
    segment.file = file;
    segment.index = index;
    segment.created = true;
    segment.indexed = true;
  }

  /** Opens the files of a segment again that was created here, to write on. */
  void reopen(StreamSegment segment) throws IOException {
    LogFile file = directory.open(SegmentNames.log(segment.number()), true);
    boolean opened = false;
    try {
      if (segment.indexed) {
        segment.index = directory.open(SparseIndex.name(segment.number()), true);
      }
      opened = true;
    } finally {
      if (!opened) {
        file.close();
      }
    }
    segment.file = file;
  }

  /** Makes the existence of a segment safe, so that messages in it may be confirmed. */
  void keep(StreamSegment segment) throws IOException {
    segment.file.force();
    directory.force();
    list(segment);
  }

  /** Lists a segment, which must exist from now on. */
  void list(StreamSegment segment) throws IOException {
    manifest.add(Map.of(segment.number(), segment.header.logId()), 0);
  }

  /**
   * Notes how much of the last segment has been forced: so a later truncation of the file is
   * noticed.
   */
  void note(StreamSegment segment) throws IOException {
    manifest.note(Location.of(segment.number(), segment.forcedLength), 0);
  }

  /**
   * Deletes a segment. After a crash of the machine meanwhile it may exist again, and is deleted
   * again.
   */
  void delete(StreamSegment segment) throws IOException {
    if (!manifest.remove(List.of(segment.number()))) {
      throw new IOException("it cannot be taken off the manifest");
    }
    directory.delete(SparseIndex.name(segment.number()));
    directory.delete(SegmentNames.log(segment.number()));
  }
}
