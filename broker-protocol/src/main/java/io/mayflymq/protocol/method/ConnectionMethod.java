package io.mayflymq.protocol.method;

import io.mayflymq.protocol.types.FieldTable;
import io.netty.buffer.ByteBuf;
import java.util.Arrays;

/**
 * The methods of class connection (AMQP 0-9-1, class 10), with RabbitMQ's extensions: blocked,
 * unblocked and update-secret.
 */
public sealed interface ConnectionMethod extends Method {
  int CLASS_ID = 10;

  @Override
  default int classId() {
    return CLASS_ID;
  }

  /** Reads the fields of a method of this class, or gives null if it has no such method. */
  static ConnectionMethod read(int methodId, MethodReader in) {
    return switch (methodId) {
      case Start.METHOD_ID -> Start.read(in);
      case StartOk.METHOD_ID -> StartOk.read(in);
      case Secure.METHOD_ID -> Secure.read(in);
      case SecureOk.METHOD_ID -> SecureOk.read(in);
      case Tune.METHOD_ID -> Tune.read(in);
      case TuneOk.METHOD_ID -> TuneOk.read(in);
      case Open.METHOD_ID -> Open.read(in);
      case OpenOk.METHOD_ID -> OpenOk.read(in);
      case Close.METHOD_ID -> Close.read(in);
      case CloseOk.METHOD_ID -> CloseOk.INSTANCE;
      case Blocked.METHOD_ID -> Blocked.read(in);
      case Unblocked.METHOD_ID -> Unblocked.INSTANCE;
      case UpdateSecret.METHOD_ID -> UpdateSecret.read(in);
      case UpdateSecretOk.METHOD_ID -> UpdateSecretOk.INSTANCE;
      default -> null;
    };
  }

  /**
   * The server opens the negotiation.
   *
   * @param mechanisms names of SASL mechanisms, separated by spaces
   * @param locales names of locales, separated by spaces
   */
  record Start(
      int versionMajor,
      int versionMinor,
      FieldTable serverProperties,
      String mechanisms,
      String locales)
      implements ConnectionMethod {
    public static final int METHOD_ID = 10;

    static Start read(MethodReader in) {
      int versionMajor = in.uint8();
      int versionMinor = in.uint8();
      FieldTable serverProperties = in.table();
      String mechanisms = in.longText();
      String locales = in.longText();
      return new Start(versionMajor, versionMinor, serverProperties, mechanisms, locales);
    }

    @Override
    public void write(ByteBuf out) {
      MethodWriter.uint8(out, versionMajor);
      MethodWriter.uint8(out, versionMinor);
      MethodWriter.table(out, serverProperties);
      MethodWriter.longText(out, mechanisms);
      MethodWriter.longText(out, locales);
    }

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }

  /**
   * The client chooses a mechanism and answers it.
   *
   * @param response what the mechanism calls for; not to be modified
   */
  @SuppressWarnings("ArrayRecordComponent")
  record StartOk(FieldTable clientProperties, String mechanism, byte[] response, String locale)
      implements ConnectionMethod {
    public static final int METHOD_ID = 11;

    static StartOk read(MethodReader in) {
      FieldTable clientProperties = in.table();
      String mechanism = in.shortString();
      byte[] response = in.longBytes();
      String locale = in.shortString();
      return new StartOk(clientProperties, mechanism, response, locale);
    }

    @Override
    public void write(ByteBuf out) {
      MethodWriter.table(out, clientProperties);
      MethodWriter.shortString(out, mechanism);
      MethodWriter.longBytes(out, response);
      MethodWriter.shortString(out, locale);
    }

    @Override
    public int methodId() {
      return METHOD_ID;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof StartOk that
          && clientProperties.equals(that.clientProperties)
          && mechanism.equals(that.mechanism)
          && Arrays.equals(response, that.response)
          && locale.equals(that.locale);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(response);
    }

    /** Names the method only: the bytes may be a secret. */
    @Override
    public String toString() {
      return "StartOk";
    }
  }

  /**
   * The server asks for more proof.
   *
   * @param challenge what the mechanism calls for; not to be modified
   */
  @SuppressWarnings("ArrayRecordComponent")
  record Secure(byte[] challenge) implements ConnectionMethod {
    public static final int METHOD_ID = 20;

    static Secure read(MethodReader in) {
      byte[] challenge = in.longBytes();
      return new Secure(challenge);
    }

    @Override
    public void write(ByteBuf out) {
      MethodWriter.longBytes(out, challenge);
    }

    @Override
    public int methodId() {
      return METHOD_ID;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Secure that && Arrays.equals(challenge, that.challenge);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(challenge);
    }

    /** Names the method only: the bytes may be a secret. */
    @Override
    public String toString() {
      return "Secure";
    }
  }

  /**
   * The client gives it.
   *
   * @param response what the mechanism calls for; not to be modified
   */
  @SuppressWarnings("ArrayRecordComponent")
  record SecureOk(byte[] response) implements ConnectionMethod {
    public static final int METHOD_ID = 21;

    static SecureOk read(MethodReader in) {
      byte[] response = in.longBytes();
      return new SecureOk(response);
    }

    @Override
    public void write(ByteBuf out) {
      MethodWriter.longBytes(out, response);
    }

    @Override
    public int methodId() {
      return METHOD_ID;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof SecureOk that && Arrays.equals(response, that.response);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(response);
    }

    /** Names the method only: the bytes may be a secret. */
    @Override
    public String toString() {
      return "SecureOk";
    }
  }

  /**
   * The server proposes limits.
   *
   * @param channelMax the highest channel number, 0 for no limit
   * @param frameMax the largest frame in bytes, all of it counted, 0 for no limit
   * @param heartbeat seconds, 0 for none
   */
  record Tune(int channelMax, long frameMax, int heartbeat) implements ConnectionMethod {
    public static final int METHOD_ID = 30;

    static Tune read(MethodReader in) {
      int channelMax = in.uint16();
      long frameMax = in.uint32();
      int heartbeat = in.uint16();
      return new Tune(channelMax, frameMax, heartbeat);
    }

    @Override
    public void write(ByteBuf out) {
      MethodWriter.uint16(out, channelMax);
      MethodWriter.uint32(out, frameMax);
      MethodWriter.uint16(out, heartbeat);
    }

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }

  /**
   * The client settles the limits.
   *
   * @param channelMax the highest channel number, 0 for no limit
   * @param frameMax the largest frame in bytes, all of it counted, 0 for no limit
   * @param heartbeat seconds, 0 for none
   */
  record TuneOk(int channelMax, long frameMax, int heartbeat) implements ConnectionMethod {
    public static final int METHOD_ID = 31;

    static TuneOk read(MethodReader in) {
      int channelMax = in.uint16();
      long frameMax = in.uint32();
      int heartbeat = in.uint16();
      return new TuneOk(channelMax, frameMax, heartbeat);
    }

    @Override
    public void write(ByteBuf out) {
      MethodWriter.uint16(out, channelMax);
      MethodWriter.uint32(out, frameMax);
      MethodWriter.uint16(out, heartbeat);
    }

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }

  /** Opens the connection to a virtual host. */
  record Open(String virtualHost) implements ConnectionMethod {
    public static final int METHOD_ID = 40;

    static Open read(MethodReader in) {
      String virtualHost = in.shortString();
      in.shortString();
      in.uint8();
      return new Open(virtualHost);
    }

    @Override
    public void write(ByteBuf out) {
      MethodWriter.shortString(out, virtualHost);
      MethodWriter.shortString(out, "");
      MethodWriter.bits(out, false);
    }

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }

  /** The answer to {@link Open}. */
  record OpenOk() implements ConnectionMethod {
    public static final int METHOD_ID = 41;

    static OpenOk read(MethodReader in) {
      in.shortString();
      return new OpenOk();
    }

    @Override
    public void write(ByteBuf out) {
      MethodWriter.shortString(out, "");
    }

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }

  /**
   * Either side ends the connection.
   *
   * @param replyText cut to 255 bytes when encoded
   * @param failedClassId the class of the method that failed, or 0; the specification's class-id,
   *     which here is that of close itself
   * @param failedMethodId the method that failed, or 0; the specification's method-id
   */
  record Close(int replyCode, String replyText, int failedClassId, int failedMethodId)
      implements ConnectionMethod {
    public static final int METHOD_ID = 50;

    static Close read(MethodReader in) {
      int replyCode = in.uint16();
      String replyText = in.shortString();
      int failedClassId = in.uint16();
      int failedMethodId = in.uint16();
      return new Close(replyCode, replyText, failedClassId, failedMethodId);
    }

    @Override
    public void write(ByteBuf out) {
      MethodWriter.uint16(out, replyCode);
      MethodWriter.cutShortString(out, replyText);
      MethodWriter.uint16(out, failedClassId);
      MethodWriter.uint16(out, failedMethodId);
    }

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }

  /** The answer to {@link Close}. */
  record CloseOk() implements ConnectionMethod {
    public static final int METHOD_ID = 51;
    public static final CloseOk INSTANCE = new CloseOk();

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }

  /**
   * The server stops reading from publishers (RabbitMQ extension).
   *
   * @param reason cut to 255 bytes when encoded
   */
  record Blocked(String reason) implements ConnectionMethod {
    public static final int METHOD_ID = 60;

    static Blocked read(MethodReader in) {
      String reason = in.shortString();
      return new Blocked(reason);
    }

    @Override
    public void write(ByteBuf out) {
      MethodWriter.cutShortString(out, reason);
    }

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }

  /** Sent when the server reads from publishers again (RabbitMQ extension). */
  record Unblocked() implements ConnectionMethod {
    public static final int METHOD_ID = 61;
    public static final Unblocked INSTANCE = new Unblocked();

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }

  /**
   * The client renews its credentials (RabbitMQ extension).
   *
   * @param newSecret not to be modified
   */
  @SuppressWarnings("ArrayRecordComponent")
  record UpdateSecret(byte[] newSecret, String reason) implements ConnectionMethod {
    public static final int METHOD_ID = 70;

    static UpdateSecret read(MethodReader in) {
      byte[] newSecret = in.longBytes();
      String reason = in.shortString();
      return new UpdateSecret(newSecret, reason);
    }

    @Override
    public void write(ByteBuf out) {
      MethodWriter.longBytes(out, newSecret);
      MethodWriter.shortString(out, reason);
    }

    @Override
    public int methodId() {
      return METHOD_ID;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof UpdateSecret that
          && Arrays.equals(newSecret, that.newSecret)
          && reason.equals(that.reason);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(newSecret);
    }

    /** Names the method only: the bytes may be a secret. */
    @Override
    public String toString() {
      return "UpdateSecret";
    }
  }

  /** The answer to {@link UpdateSecret} (RabbitMQ extension). */
  record UpdateSecretOk() implements ConnectionMethod {
    public static final int METHOD_ID = 71;
    public static final UpdateSecretOk INSTANCE = new UpdateSecretOk();

    @Override
    public int methodId() {
      return METHOD_ID;
    }
  }
}
