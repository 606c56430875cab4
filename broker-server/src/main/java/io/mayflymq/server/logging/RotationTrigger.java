package io.mayflymq.server.logging;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy;
import ch.qos.logback.core.rolling.TriggeringPolicyBase;
import ch.qos.logback.core.util.FileSize;
import io.mayflymq.server.config.LogSettings.Rotation;
import io.mayflymq.server.config.RotationTime;
import java.io.File;
import java.time.Instant;

/** Begins a new log file when the present one is large, or when it is time. On the log's thread. */
final class RotationTrigger extends TriggeringPolicyBase<ILoggingEvent> {
  private final SizeBasedTriggeringPolicy<ILoggingEvent> size = new SizeBasedTriggeringPolicy<>();
  private final Rotation rotation;
  private long nextMillis;

  /**
   * Creates the trigger.
   *
   * @param now the time of the start
   */
  RotationTrigger(Rotation rotation, Instant now) {
    this.rotation = rotation;
    this.nextMillis = next(now);
    if (rotation.bytes() > 0) {
      size.setMaxFileSize(new FileSize(rotation.bytes()));
    }
  }

  @Override
  public void start() {
    size.setContext(context);
    size.start();
    super.start();
  }

  private long next(Instant after) {
    return rotation.time().map(time -> next(time, after)).orElse(Long.MAX_VALUE);
  }

  private static long next(RotationTime time, Instant after) {
    return time.after(after).toEpochMilli();
  }

  @Override
  public boolean isTriggeringEvent(File activeFile, ILoggingEvent event) {
    if (event.getTimeStamp() >= nextMillis) {
      nextMillis = next(Instant.ofEpochMilli(event.getTimeStamp()));
      return true;
    }
    return rotation.bytes() > 0 && size.isTriggeringEvent(activeFile, event);
  }
}
