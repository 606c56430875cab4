package io.mayflymq.core;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.syntax.elements.ClassesShouldConjunction;
import io.mayflymq.core.runtime.BoundedCaches;
import io.mayflymq.core.runtime.BrokerThreads;
import io.mayflymq.testing.RoomRules;
import java.time.Clock;
import java.time.Instant;

/**
 * Holds the arrows of docs/architecture.md inside the core: no sockets, no wire, no hidden clock.
 */
@AnalyzeClasses(packages = "io.mayflymq.core", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
  @ArchTest
  static final ArchRule CORE_KNOWS_NO_SOCKET_AND_NO_CLUSTER =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "io.mayflymq.server..",
              "io.mayflymq.cluster..",
              "io.mayflymq.protocol.method..",
              "io.mayflymq.protocol.codec..",
              "io.netty..")
          .allowEmptyShould(true);

  @ArchTest
  static final ArchRule VHOST_IS_THE_TOP =
      noClasses()
          .that()
          .resideOutsideOfPackages("io.mayflymq.core.vhost..", "io.mayflymq.core.admin..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.mayflymq.core.vhost..")
          .allowEmptyShould(true);

  /** Time comes in with the command, which is what makes a queue testable and replicable. */
  @ArchTest
  static final ArchRule QUEUES_READ_NO_CLOCK =
      noClockIsReadIn(
              "io.mayflymq.core.message..",
              "io.mayflymq.core.routing..",
              "io.mayflymq.core.queue..",
              "io.mayflymq.core.policy..")
          .orShould()
          .dependOnClassesThat()
          .belongToAnyOf(Clock.class, Thread.class)
          .allowEmptyShould(true);

  /** What runs on a shard asks the shard, whose loop a test may step: its runs repeat exactly. */
  @ArchTest
  static final ArchRule SHARDS_TELL_THE_TIME =
      noClockIsReadIn("io.mayflymq.core.vhost..", "io.mayflymq.core.metrics..")
          .allowEmptyShould(true);

  @ArchTest
  static final ArchRule ONE_PLACE_MAKES_THREADS =
      RoomRules.threadsAreMadeOnlyIn(
          belongToAnyOf(BrokerThreads.class)
              .or(name("io.mayflymq.core.runtime.ReportingScheduler")));

  /** Others would run on the threads of the common pool. */
  @ArchTest
  static final ArchRule ONE_PLACE_MAKES_CACHES =
      noClasses()
          .that()
          .doNotBelongToAnyOf(BoundedCaches.class)
          .should()
          .dependOnClassesThat()
          .belongToAnyOf(Caffeine.class)
          .allowEmptyShould(true);

  @ArchTest static final ArchRule NO_CYCLES = RoomRules.noCyclesBelow("io.mayflymq.core");

  private static ClassesShouldConjunction noClockIsReadIn(String... packages) {
    return noClasses()
        .that()
        .resideInAnyPackage(packages)
        .should()
        .callMethod(System.class, "currentTimeMillis")
        .orShould()
        .callMethod(System.class, "nanoTime")
        .orShould()
        .callMethod(Instant.class, "now");
  }
}
