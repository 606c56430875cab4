package io.mayflymq.it.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mayflymq.it.harness.BlackBox;
import io.mayflymq.it.harness.RawClient;
import io.mayflymq.it.harness.RawFrame;
import io.mayflymq.it.harness.RawWriter;
import io.mayflymq.it.harness.Target;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Sends each method, and each other frame, in each state of a connection and of a channel, and
 * compares the answer with the table in {@code method-states.txt}.
 */
@BlackBox
class MethodStatesIT {
  private static final StatesTable TABLE = StatesTable.read();
  private static final int OTHER_CHANNEL = 9;

  /** Brings a client into a state. */
  private interface Way {
    void go(RawClient client) throws IOException;
  }

  /** How the answer to a frame is known to be complete. */
  private enum End {
    /** The client closes the connection, which is answered in the handshake, too. */
    CLOSE,
    /** The client opens another channel. */
    OTHER_CHANNEL,
    /** The client confirms that the connection is closed, and the socket is closed. */
    CLOSE_OK
  }

  /** The columns of the table. */
  private enum State {
    START(0, End.CLOSE, RawClient::start),
    TUNE(0, End.CLOSE, RawClient::login),
    OPENING(0, End.CLOSE, client -> client.tune(2047, 131072, 0)),
    OPENING_1(1, End.CLOSE, OPENING.way),
    UNOPENED(1, End.OTHER_CHANNEL, OPENING.then(client -> client.openVirtualHost("/"))),
    OPEN(1, End.OTHER_CHANNEL, UNOPENED.then(client -> client.channelOpen(1))),
    RUNNING_0(0, End.OTHER_CHANNEL, OPEN.way),
    TX(1, End.OTHER_CHANNEL, OPEN.then(client -> client.method(1, method(90, 10)).expect(90, 11))),
    HEADER(1, End.OTHER_CHANNEL, OPEN.then(State::publish)),
    BODY(1, End.OTHER_CHANNEL, HEADER.then(client -> client.sendHeader(1, 6))),
    CLOSING(1, End.OTHER_CHANNEL, OPEN.then(State::failChannel)),
    CLOSING_HEADER(1, End.OTHER_CHANNEL, CLOSING.then(State::publish)),
    CLOSING_BODY(1, End.OTHER_CHANNEL, CLOSING_HEADER.then(client -> client.sendHeader(1, 6))),
    ENDING_0(0, End.CLOSE_OK, OPEN.then(client -> client.sendChannelOpen(0).expect(10, 50))),
    ENDING_1(1, End.CLOSE_OK, ENDING_0.way),
    ENDED_0(0, End.CLOSE_OK, OPEN.then(client -> sendClose(client).expect(10, 51))),
    ENDED_1(1, End.CLOSE_OK, ENDED_0.way);

    private final int channel;
    private final End end;

    @SuppressWarnings("ImmutableEnumChecker") // a function of the client only
    private final Way way;

    State(int channel, End end, Way way) {
      this.channel = channel;
      this.end = end;
      this.way = way;
    }

    private Way then(Way next) {
      return client -> {
        way.go(client);
        next.go(client);
      };
    }

    private static void publish(RawClient client) throws IOException {
      client.method(1, TABLE.method("basic.publish"));
    }

    private static void failChannel(RawClient client) throws IOException {
      client.method(1, TABLE.method("queue.purge")).expect(20, 40);
    }

    boolean isHandshake() {
      return end == End.CLOSE && this != OPENING && this != OPENING_1;
    }

    String column() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  private static RawWriter method(int classId, int methodId) {
    return RawWriter.method(classId, methodId);
  }

  private static RawClient sendClose(RawClient client) throws IOException {
    return client.method(0, method(10, 50).uint16(200).shortString("").uint16(0).uint16(0));
  }

  @ParameterizedTest
  @EnumSource
  void eachFrameIsAnsweredAsTheTableSays(State state, Target target) throws IOException {
    assumeTrue(target.ours() || !state.isHandshake(), "RabbitMQ takes 3 s for each of these");
    List<String> wrong = new ArrayList<>();
    for (String frame : TABLE.frames()) {
      String expected = TABLE.answer(frame, state.column(), target.ours());
      if (!expected.equals("*")) {
        String answer = exchange(target.port(), state, frame, expected);
        if (!answer.equals(expected)) {
          wrong.add("%s: %s instead of %s".formatted(frame, answer, expected));
        }
      }
    }
    assertThat(wrong).isEmpty();
  }

  /** Returns the answer to a frame in a state, as the table writes it. */
  private static String exchange(int port, State state, String frame, String expected)
      throws IOException {
    RawFrame answer = null;
    try (RawClient client = new RawClient(port)) {
      state.way.go(client);
      send(client, state.channel, frame);
      switch (state.end) {
        case CLOSE -> sendClose(client);
        case OTHER_CHANNEL -> client.sendChannelOpen(OTHER_CHANNEL);
        case CLOSE_OK -> client.method(0, method(10, 51));
      }
      boolean ended = false;
      // RabbitMQ's channels answer in an order of their own.
      boolean awaited = state.end == End.OTHER_CHANNEL && !expected.equals(".");
      while (!ended || (awaited && answer == null)) {
        RawFrame next = client.read();
        if (isEnd(state, next)) {
          ended = true;
        } else if (next.type() == RawFrame.METHOD) {
          answer = next;
          ended |= isEndOfConnection(state, next);
        }
      }
    } catch (EOFException | SocketException e) {
      if (state.end != End.CLOSE_OK) {
        return "end";
      }
    }
    return answer == null ? "." : TABLE.key(frame, state.channel, answer);
  }

  private static boolean isEndOfConnection(State state, RawFrame frame) {
    return frame.isMethod(10, 50) || (state.end == End.OTHER_CHANNEL && frame.isMethod(10, 51));
  }

  private static boolean isEnd(State state, RawFrame frame) {
    return switch (state.end) {
      case OTHER_CHANNEL -> frame.isMethod(20, 11) && frame.channel() == OTHER_CHANNEL;
      case CLOSE -> frame.isMethod(10, 51);
      case CLOSE_OK -> false;
    };
  }

  private static void send(RawClient client, int channel, String frame) throws IOException {
    switch (frame) {
      case "header-of-0" -> client.sendHeader(channel, 0);
      case "header-of-3" -> client.sendHeader(channel, 3);
      case "body-of-3" -> client.sendBody(channel, (byte) 'a', (byte) 'b', (byte) 'c');
      case "body-of-0" -> client.sendBody(channel);
      case "heartbeat" -> client.frame(RawFrame.HEARTBEAT, channel);
      default -> client.method(channel, TABLE.method(frame));
    }
  }
}
