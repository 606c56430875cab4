package io.mayflymq.server;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/**
 * Holds the arrows of docs/architecture.md: the server is the top, and its packages do not loop.
 */
@AnalyzeClasses(packages = "io.mayflymq", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
  @ArchTest
  static final ArchRule NOTHING_BELOW_KNOWS_THE_SERVER =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.mayflymq.server..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.mayflymq.server..")
          .allowEmptyShould(true);

  @ArchTest
  static final ArchRule ONLY_MAIN_KNOWS_BOOT =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.mayflymq.server.boot..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.mayflymq.server.boot..")
          .allowEmptyShould(true);

  @ArchTest
  static final ArchRule NO_CYCLES =
      slices()
          .matching("io.mayflymq.server.(*)..")
          .should()
          .beFreeOfCycles()
          .allowEmptyShould(true);
}
