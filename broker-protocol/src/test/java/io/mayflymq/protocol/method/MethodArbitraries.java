package io.mayflymq.protocol.method;

import io.mayflymq.protocol.types.FieldTable;
import io.mayflymq.protocol.types.WireArbitraries;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

/** Arbitrary methods, made from the components of their records. */
public final class MethodArbitraries {
  private static final Set<String> OCTETS = Set.of("versionMajor", "versionMinor");
  private static final Set<String> SHORTS =
      Set.of(
          "channelMax",
          "heartbeat",
          "replyCode",
          "failedClassId",
          "failedMethodId",
          "prefetchCount",
          "ticket");
  private static final Set<String> UINT32S =
      Set.of("frameMax", "messageCount", "consumerCount", "prefetchSize");

  private MethodArbitraries() {}

  /** All records there are. */
  public static List<Class<?>> types() {
    return Stream.of(Method.class.getPermittedSubclasses())
        .flatMap(group -> Stream.of(group.getPermittedSubclasses()))
        .toList();
  }

  public static Arbitrary<Method> methods() {
    List<Arbitrary<Method>> all = new ArrayList<>();
    types().forEach(type -> all.add(methods(type)));
    return Arbitraries.oneOf(all);
  }

  public static Arbitrary<Method> methods(Class<?> type) {
    List<Arbitrary<Object>> fields =
        Stream.of(type.getRecordComponents()).map(MethodArbitraries::field).toList();
    return Combinators.combine(fields).as(values -> create(type, values));
  }

  private static Arbitrary<Object> field(RecordComponent component) {
    String name = component.getName();
    Class<?> type = component.getType();
    if (type == String.class) {
      return WireArbitraries.shortTexts().asGeneric();
    }
    if (type == boolean.class) {
      return Arbitraries.of(true, false).asGeneric();
    }
    if (type == byte[].class) {
      return WireArbitraries.bytes(300).asGeneric();
    }
    if (type == FieldTable.class) {
      return WireArbitraries.tables().asGeneric();
    }
    if (type == int.class && OCTETS.contains(name)) {
      return Arbitraries.integers().between(0, 0xFF).asGeneric();
    }
    if (type == int.class && SHORTS.contains(name)) {
      return Arbitraries.integers().between(0, 0xFFFF).asGeneric();
    }
    if (type == long.class && UINT32S.contains(name)) {
      return Arbitraries.longs().between(0, 0xFFFF_FFFFL).asGeneric();
    }
    if (type == long.class && name.equals("deliveryTag")) {
      return Arbitraries.longs().asGeneric();
    }
    throw new AssertionError("no values for " + component);
  }

  private static Method create(Class<?> type, List<Object> values) {
    try {
      Class<?>[] types =
          Arrays.stream(type.getRecordComponents())
              .map(RecordComponent::getType)
              .toArray(Class<?>[]::new);
      var constructor = type.getDeclaredConstructor(types);
      return (Method) constructor.newInstance(values.toArray());
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(e.getMessage(), e);
    }
  }
}
