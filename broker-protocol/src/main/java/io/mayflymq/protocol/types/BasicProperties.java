package io.mayflymq.protocol.types;

import java.util.Objects;

/**
 * The properties of a message (AMQP 0-9-1, class basic). Immutable; a property that is absent is
 * null.
 *
 * <p>{@link #encode} returns the bytes that {@link #decode} read, including properties that this
 * version of the protocol does not define: they are kept unchanged, after the known ones.
 */
public final class BasicProperties {
  public static final BasicProperties EMPTY = new Builder().build();

  private final String contentType;
  private final String contentEncoding;
  private final FieldTable headers;
  private final Integer deliveryMode;
  private final Integer priority;
  private final String correlationId;
  private final String replyTo;
  private final String expiration;
  private final String messageId;
  private final Long timestamp;
  private final String type;
  private final String userId;
  private final String appId;
  private final String clusterId;
  final UnknownProperties unknown;

  private BasicProperties(Builder b) {
    contentType = b.contentType;
    contentEncoding = b.contentEncoding;
    headers = b.headers;
    deliveryMode = b.deliveryMode;
    priority = b.priority;
    correlationId = b.correlationId;
    replyTo = b.replyTo;
    expiration = b.expiration;
    messageId = b.messageId;
    timestamp = b.timestamp;
    type = b.type;
    userId = b.userId;
    appId = b.appId;
    clusterId = b.clusterId;
    unknown = b.unknown;
  }

  /**
   * Reads a content header from its property flags on.
   *
   * @throws ConnectionException (SYNTAX_ERROR) if the flags and the list do not agree, or the
   *     headers are not a table
   */
  public static BasicProperties decode(byte[] buf, int off, int len) {
    return PropertiesCodec.read(buf, off, len);
  }

  /**
   * Encodes the property flags and the property list, which end a content header.
   *
   * @throws IllegalArgumentException if a text has more than 255 bytes
   */
  public byte[] encode() {
    return PropertiesCodec.write(this).toByteArray();
  }

  /**
   * Encodes a content: these properties followed by the body of another content.
   *
   * @param other an array that ends with the body
   * @param propertiesLength where the body begins in it
   * @throws IllegalArgumentException if a text has more than 255 bytes
   */
  public byte[] encodeBefore(byte[] other, int propertiesLength) {
    return PropertiesCodec.write(this).toByteArray(other, propertiesLength);
  }

  public static Builder builder() {
    return new Builder();
  }

  public Builder toBuilder() {
    Builder b = new Builder();
    b.contentType = contentType;
    b.contentEncoding = contentEncoding;
    b.headers = headers;
    b.deliveryMode = deliveryMode;
    b.priority = priority;
    b.correlationId = correlationId;
    b.replyTo = replyTo;
    b.expiration = expiration;
    b.messageId = messageId;
    b.timestamp = timestamp;
    b.type = type;
    b.userId = userId;
    b.appId = appId;
    b.clusterId = clusterId;
    b.unknown = unknown;
    return b;
  }

  public String contentType() {
    return contentType;
  }

  public String contentEncoding() {
    return contentEncoding;
  }

  public FieldTable headers() {
    return headers;
  }

  /** Returns the delivery mode: 2 is persistent, any other value (0 to 255) transient. */
  public Integer deliveryMode() {
    return deliveryMode;
  }

  /** Returns the priority, 0 to 255. */
  public Integer priority() {
    return priority;
  }

  public String correlationId() {
    return correlationId;
  }

  public String replyTo() {
    return replyTo;
  }

  /** Returns the message TTL: a text that should be a number of milliseconds. */
  public String expiration() {
    return expiration;
  }

  public String messageId() {
    return messageId;
  }

  /** Returns the timestamp in seconds since 1970-01-01 UTC, as an unsigned 64-bit number. */
  public Long timestamp() {
    return timestamp;
  }

  public String type() {
    return type;
  }

  public String userId() {
    return userId;
  }

  public String appId() {
    return appId;
  }

  /** Returns the cluster id, a leftover of AMQP 0-8 that RabbitMQ still supports. */
  public String clusterId() {
    return clusterId;
  }

  @Override
  public boolean equals(Object other) {
    return this == other
        || (other instanceof BasicProperties that
            && Objects.equals(contentType, that.contentType)
            && Objects.equals(contentEncoding, that.contentEncoding)
            && Objects.equals(headers, that.headers)
            && Objects.equals(deliveryMode, that.deliveryMode)
            && Objects.equals(priority, that.priority)
            && Objects.equals(correlationId, that.correlationId)
            && Objects.equals(replyTo, that.replyTo)
            && Objects.equals(expiration, that.expiration)
            && Objects.equals(messageId, that.messageId)
            && Objects.equals(timestamp, that.timestamp)
            && Objects.equals(type, that.type)
            && Objects.equals(userId, that.userId)
            && Objects.equals(appId, that.appId)
            && Objects.equals(clusterId, that.clusterId)
            && unknown.equals(that.unknown));
  }

  @Override
  public int hashCode() {
    return Objects.hash(messageId, correlationId, headers, expiration, replyTo, timestamp, type);
  }

  @Override
  public String toString() {
    StringBuilder s = new StringBuilder("BasicProperties[");
    append(s, "contentType", contentType);
    append(s, "contentEncoding", contentEncoding);
    append(s, "headers", headers);
    append(s, "deliveryMode", deliveryMode);
    append(s, "priority", priority);
    append(s, "correlationId", correlationId);
    append(s, "replyTo", replyTo);
    append(s, "expiration", expiration);
    append(s, "messageId", messageId);
    append(s, "timestamp", timestamp);
    append(s, "type", type);
    append(s, "userId", userId);
    append(s, "appId", appId);
    append(s, "clusterId", clusterId);
    return s.append(']').toString();
  }

  private static void append(StringBuilder s, String name, Object value) {
    if (value != null) {
      s.append(s.charAt(s.length() - 1) == '[' ? "" : ", ").append(name).append('=').append(value);
    }
  }

  /** Collects properties; null removes one. Not thread-safe. */
  public static final class Builder {
    private String contentType;
    private String contentEncoding;
    private FieldTable headers;
    private Integer deliveryMode;
    private Integer priority;
    private String correlationId;
    private String replyTo;
    private String expiration;
    private String messageId;
    private Long timestamp;
    private String type;
    private String userId;
    private String appId;
    private String clusterId;
    private UnknownProperties unknown = UnknownProperties.NONE;

    private Builder() {}

    public Builder contentType(String value) {
      contentType = value;
      return this;
    }

    public Builder contentEncoding(String value) {
      contentEncoding = value;
      return this;
    }

    public Builder headers(FieldTable value) {
      headers = value;
      return this;
    }

    /** 0 to 255 or null. */
    public Builder deliveryMode(Integer value) {
      deliveryMode = octet(value);
      return this;
    }

    /** 0 to 255 or null. */
    public Builder priority(Integer value) {
      priority = octet(value);
      return this;
    }

    public Builder correlationId(String value) {
      correlationId = value;
      return this;
    }

    public Builder replyTo(String value) {
      replyTo = value;
      return this;
    }

    public Builder expiration(String value) {
      expiration = value;
      return this;
    }

    public Builder messageId(String value) {
      messageId = value;
      return this;
    }

    public Builder timestamp(Long value) {
      timestamp = value;
      return this;
    }

    public Builder type(String value) {
      type = value;
      return this;
    }

    public Builder userId(String value) {
      userId = value;
      return this;
    }

    public Builder appId(String value) {
      appId = value;
      return this;
    }

    public Builder clusterId(String value) {
      clusterId = value;
      return this;
    }

    Builder unknown(UnknownProperties value) {
      unknown = value;
      return this;
    }

    public BasicProperties build() {
      return new BasicProperties(this);
    }

    private static Integer octet(Integer value) {
      if (value != null && (value < 0 || value > 0xFF)) {
        throw new IllegalArgumentException("not an octet: " + value);
      }
      return value;
    }
  }
}
