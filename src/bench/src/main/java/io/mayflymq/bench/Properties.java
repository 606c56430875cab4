package io.mayflymq.bench;

import io.mayflymq.protocol.types.BasicProperties;
import io.mayflymq.protocol.types.Int64Header;
import io.mayflymq.protocol.types.PropertiesScan;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/** The properties of a message: looked over, decoded, encoded, and with a header put in. */
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

  /** What each publish does: checks them, and finds what the broker must know. */
  @Benchmark
  public int scan() {
    scan.scan(content, 0, length);
    return scan.deliveryMode();
  }

  /** All of them, as a headers exchange or a person wants them. */
  @Benchmark
  public BasicProperties decode() {
    return BasicProperties.decode(content, 0, length);
  }

  /** The other way. */
  @Benchmark
  public byte[] encode() {
    return properties.encode();
  }

  /** What a queue that counts deliveries does: a header put between them, in one copy. */
  @Benchmark
  public byte[] splice() {
    return header.put(content, length, 3);
  }
}
