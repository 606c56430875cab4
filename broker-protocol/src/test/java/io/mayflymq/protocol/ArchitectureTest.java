package io.mayflymq.protocol;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.mayflymq.testing.RoomRules;
import java.util.Map;

/** Holds the arrows of docs/architecture.md inside the wire module. */
@AnalyzeClasses(packages = "io.mayflymq", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
  @ArchTest
  static final ArchRule WIRE_KNOWS_NO_BROKER =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("io.mayflymq.core..", "io.mayflymq.server..")
          .allowEmptyShould(true);

  @ArchTest
  static final ArchRule TYPES_STAND_ALONE =
      noClasses()
          .that()
          .resideInAPackage("io.mayflymq.protocol.types..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "io.mayflymq.protocol.method..",
              "io.mayflymq.protocol.codec..",
              "io.mayflymq.protocol.codec..")
          .allowEmptyShould(true);

  @ArchTest static final ArchRule NO_CYCLES = RoomRules.noCyclesBelow("io.mayflymq.protocol");

  @ArchTest
  static final ArchRule SMALL_PACKAGES = RoomRules.smallPackages("io.mayflymq.protocol", Map.of());

  @ArchTest
  static final ArchRule SMALL_CYCLES =
      RoomRules.smallCycles(
          "io.mayflymq.protocol",
          Map.of("io.mayflymq.protocol.method", 9)); // A sealed interface and its records.

  @ArchTest
  static final ArchRule SMALL_CONSTRUCTORS =
      RoomRules.smallConstructors("io.mayflymq.protocol", Map.of());
}
