package io.mayflymq.bench;

import io.mayflymq.protocol.types.BasicProperties;
import io.mayflymq.protocol.types.Int64Header;
import io.mayflymq.protocol.types.PropertiesScan;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/** Measures scanning, decoding and encoding the properties of a message, and adding a header. */
public class Properties extends Measured {
  @Param({"PERSISTENT", "RICH"})
  Filling filling;

  private final PropertiesScan scan = new PropertiesScan();
  private final Int64Header header = new Int64Header("x-delivery-count");
  private BasicProperties properties;
  private byte[] content;
  private int length;

  /** Encodes them, with a body behind. */
  @Setup
  public void prepare() {
    properties = filling.properties();
    content = Messages.content(properties, 100);
    length = content.length - 100;
  }

  /** Scans the properties as each publish does: checks them, and finds those that the broker needs. */
  @Benchmark
  public int scan() {
    scan.scan(content, 0, length);
    return scan.deliveryMode();
  }

  /** Decodes all properties, as for a headers exchange or for display. */
  @Benchmark
  public BasicProperties decode() {
    return BasicProperties.decode(content, 0, length);
  }

  /** Encodes all properties. */
  @Benchmark
  public byte[] encode() {
    return properties.encode();
  }

  /** Inserts a header in one copy, as a queue that counts deliveries does. */
  @Benchmark
  public byte[] splice() {
    return header.put(content, length, 3);
  }
}
