package io.mayflymq.protocol.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mayflymq.protocol.types.AmqpException;
import io.mayflymq.protocol.types.ReplyCode;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class ContentFrameOrderTest {
  private final ContentFrameOrder frames = new ContentFrameOrder();

  @Test
  void aMessageIsCompleteWhenItsBodyIsThere() {
    frames.publish();
    frames.header(60, 5);
    frames.body(3);
    assertThat(frames.isComplete()).isFalse();
    frames.body(2);
    assertThat(frames.isComplete()).isTrue();
    frames.publish();
    frames.header(60, 0);
    assertThat(frames.isComplete()).isTrue();
    frames.method();
  }

  @Test
  void anythingElseIsRefusedAndNamesTheMessageThatIsNotComplete() {
    assertRefused(() -> frames.header(60, 0), ReplyCode.UNEXPECTED_FRAME, 0);
    assertRefused(() -> frames.body(1), ReplyCode.UNEXPECTED_FRAME, 0);
    frames.publish();
    assertRefused(frames::publish, ReplyCode.UNEXPECTED_FRAME, 60);
    assertRefused(frames::method, ReplyCode.UNEXPECTED_FRAME, 60);
    assertRefused(() -> frames.body(1), ReplyCode.UNEXPECTED_FRAME, 60);
    assertRefused(() -> frames.header(50, 1), ReplyCode.UNEXPECTED_FRAME, 60);
    frames.header(60, Long.MAX_VALUE);
    assertRefused(frames::method, ReplyCode.UNEXPECTED_FRAME, 60);
    assertRefused(() -> frames.header(60, 1), ReplyCode.UNEXPECTED_FRAME, 60);
  }

  @Test
  void aBodyThatIsLongerThanItsHeaderSaidIsRefused() {
    frames.publish();
    frames.header(60, 5);
    frames.body(3);
    assertRefused(() -> frames.body(3), ReplyCode.FRAME_ERROR, 0);
  }

  @Test
  void theRestOfAMessageMayComeOrNotWhenTheChannelIsClosedMeanwhile() {
    frames.publish();
    frames.header(60, 5);
    frames.mayStop();
    frames.body(3);
    frames.method();
    assertRefused(() -> frames.body(2), ReplyCode.UNEXPECTED_FRAME, 0);
    frames.publish();
    assertRefused(frames::method, ReplyCode.UNEXPECTED_FRAME, 60);
  }

  private static void assertRefused(ThrowingCallable call, ReplyCode code, int classId) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            AmqpException.class,
            error -> {
              assertThat(error.code()).isEqualTo(code);
              assertThat(error.classId()).isEqualTo(classId);
            });
  }
}
