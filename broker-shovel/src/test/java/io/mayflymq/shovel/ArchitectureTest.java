package io.mayflymq.shovel;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.mayflymq.testing.RoomRules;

/** Holds the arrows of docs/architecture.md: shovels are clients, also of their own broker. */
@AnalyzeClasses(
    packages = "io.mayflymq.shovel",
    importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
  @ArchTest
  static final ArchRule SHOVELS_KNOW_NO_SERVER_AND_NO_QUEUES =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "io.mayflymq.server..",
              "io.mayflymq.cluster..",
              "io.mayflymq.core.vhost..",
              "io.mayflymq.core.queue..");

  /** Nothing of the client's is loaded while there is no shovel. */
  @ArchTest
  static final ArchRule ONLY_SHOVELS_KNOW_THE_CLIENT =
      noClasses()
          .that()
          .belongToAnyOf(Shovels.class, ShovelParser.class, ShovelDefinition.class)
          .should()
          .dependOnClassesThat()
          .resideInAPackage("com.rabbitmq..");

  /** The library's scheduler is given the factory of threads. */
  @ArchTest
  static final ArchRule ONE_PLACE_MAKES_THREADS =
      RoomRules.threadsAreMadeOnlyIn(
          resideOutsideOfPackage("io.mayflymq.shovel..")
              .or(name("io.mayflymq.shovel.client.BrokerConnections")));

  @ArchTest static final ArchRule NO_CYCLES = RoomRules.noCyclesBelow("io.mayflymq.shovel");
}
