package io.mayflymq.server;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.fasterxml.jackson.core.JsonFactory;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.mayflymq.server.http.HttpServer;
import io.mayflymq.server.net.EventLoops;
import io.mayflymq.testing.RoomRules;

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

  /** Some classes say of which class of Netty's a thread is; the pool of Workers ends idle ones. */
  @ArchTest
  static final ArchRule ONE_PLACE_MAKES_THREADS =
      RoomRules.threadsAreMadeOnlyIn(
          resideOutsideOfPackage("io.mayflymq.server..")
              .or(belongToAnyOf(EventLoops.class, HttpServer.class))
              .or(name("io.mayflymq.server.http.Workers")));

  @ArchTest
  static final ArchRule ONE_PLACE_READS_AND_WRITES_JSON =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.mayflymq.server.json")
          .should()
          .dependOnClassesThat()
          .belongToAnyOf(JsonFactory.class)
          .allowEmptyShould(true);

  @ArchTest static final ArchRule NO_CYCLES = RoomRules.noCyclesBelow("io.mayflymq.server");
}
