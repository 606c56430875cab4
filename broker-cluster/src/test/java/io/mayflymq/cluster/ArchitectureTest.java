package io.mayflymq.cluster;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.mayflymq.testing.RoomRules;
import java.time.Instant;

/** Holds the arrows of docs/architecture.md in clusters: no sockets, no wire, no hidden clock. */
@AnalyzeClasses(
    packages = "io.mayflymq.cluster",
    importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
  @ArchTest
  static final ArchRule CLUSTERS_KNOW_NO_SOCKET =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "io.mayflymq.server..",
              "io.mayflymq.protocol.method..",
              "io.mayflymq.protocol.codec..",
              "io.netty..");

  /** What runs on a shard asks the shard, whose loop a test may step: its runs repeat exactly. */
  @ArchTest
  static final ArchRule SHARDS_TELL_THE_TIME =
      noClasses()
          .should()
          .callMethod(System.class, "currentTimeMillis")
          .orShould()
          .callMethod(System.class, "nanoTime")
          .orShould()
          .callMethod(Instant.class, "now");

  @ArchTest
  static final ArchRule NO_THREADS_ARE_MADE =
      RoomRules.threadsAreMadeOnlyIn(resideOutsideOfPackage("io.mayflymq.cluster.."));

  @ArchTest static final ArchRule NO_CYCLES = RoomRules.noCyclesBelow("io.mayflymq.cluster");
}
