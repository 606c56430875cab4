package io.mayflymq.protocol;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.mayflymq.testing.RoomRules;

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
}
