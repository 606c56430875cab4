package io.mayflymq.core;

import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaConstructorCall;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.time.Clock;
import java.time.Instant;
import java.util.Timer;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ThreadPoolExecutor;

/**
 * Holds the arrows of docs/architecture.md inside the core: no sockets, no wire, no hidden clock.
 */
@AnalyzeClasses(packages = "io.mayflymq.core", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
  @ArchTest
  static final ArchRule CORE_KNOWS_NO_SOCKET =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "io.mayflymq.server..",
              "io.mayflymq.protocol.method..",
              "io.mayflymq.protocol.frame..",
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
      noClasses()
          .that()
          .resideInAnyPackage(
              "io.mayflymq.core.message..",
              "io.mayflymq.core.routing..",
              "io.mayflymq.core.queue..",
              "io.mayflymq.core.retention..",
              "io.mayflymq.core.policy..")
          .should()
          .callMethod(System.class, "currentTimeMillis")
          .orShould()
          .callMethod(System.class, "nanoTime")
          .orShould()
          .callMethod(Instant.class, "now")
          .orShould()
          .dependOnClassesThat()
          .belongToAnyOf(Clock.class, Thread.class)
          .allowEmptyShould(true);

  /** So that none ends unnoticed; see {@link io.mayflymq.core.fault.BrokerThreads}. */
  @ArchTest
  static final ArchRule ONE_PLACE_MAKES_THREADS =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.mayflymq.core.fault..")
          .should()
          .callConstructorWhere(makes(Thread.class))
          .orShould()
          .callConstructorWhere(makes(ThreadPoolExecutor.class))
          .orShould()
          .callConstructorWhere(makes(Timer.class))
          .orShould()
          .callMethodWhere(target(owner(equivalentTo(Executors.class))))
          .orShould()
          .callMethodWhere(target(owner(equivalentTo(ForkJoinPool.class))))
          .allowEmptyShould(true);

  private static DescribedPredicate<JavaConstructorCall> makes(Class<?> type) {
    return target(owner(assignableTo(type))).forSubtype();
  }

  @ArchTest
  static final ArchRule NO_CYCLES =
      slices().matching("io.mayflymq.core.(*)..").should().beFreeOfCycles().allowEmptyShould(true);
}
