package io.mayflymq.server;

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
import io.mayflymq.server.http.HttpServer;
import io.mayflymq.server.net.EventLoops;
import java.util.Timer;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ThreadPoolExecutor;

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

  /** So that none ends unnoticed; see {@link io.mayflymq.core.fault.BrokerThreads}. */
  @ArchTest
  static final ArchRule ONE_PLACE_MAKES_THREADS =
      noClasses()
          .that()
          .resideInAPackage("io.mayflymq.server..")
          .and()
          .areNotAssignableTo(EventLoops.class) // It says which class of Netty's they are of.
          .and()
          .areNotAssignableTo(HttpServer.class) // The same.
          .and()
          .doNotHaveFullyQualifiedName(
              "io.mayflymq.server.http.Workers") // Its pool ends idle ones.
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
      slices()
          .matching("io.mayflymq.server.(*)..")
          .should()
          .beFreeOfCycles()
          .allowEmptyShould(true);
}
