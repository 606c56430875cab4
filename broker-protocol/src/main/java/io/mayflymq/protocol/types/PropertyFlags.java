package io.mayflymq.protocol.types;

/**
 * The bits of a content header's first flag word (AMQP 0-9-1, section 4.2.6.1): from bit 15 down,
 * one for each property of class basic, in the order of the property list.
 */
final class PropertyFlags {
  static final int CONTENT_TYPE = 1 << 15;
  static final int CONTENT_ENCODING = 1 << 14;
  static final int HEADERS = 1 << 13;
  static final int DELIVERY_MODE = 1 << 12;
  static final int PRIORITY = 1 << 11;
  static final int CORRELATION_ID = 1 << 10;
  static final int REPLY_TO = 1 << 9;
  static final int EXPIRATION = 1 << 8;
  static final int MESSAGE_ID = 1 << 7;
  static final int TIMESTAMP = 1 << 6;
  static final int TYPE = 1 << 5;
  static final int USER_ID = 1 << 4;
  static final int APP_ID = 1 << 3;
  static final int CLUSTER_ID = 1 << 2;

  /** Another flag word follows. */
  static final int CONTINUATION = 1;

  /** Bits of properties that class basic does not define. */
  static final int UNKNOWN = 0x3;

  private PropertyFlags() {}
}
