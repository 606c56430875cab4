package io.mayflymq.testing;

import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaConstructorCall;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Timer;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ThreadPoolExecutor;

/** The rules of structure that hold in every module. */
public final class RoomRules {
  private RoomRules() {}

  /** No cycle between the packages below this one, each of which is a slice by itself. */
  public static ArchRule noCyclesBelow(String parent) {
    return slices().matching(parent + ".(**)").should().beFreeOfCycles().allowEmptyShould(true);
  }

  /** Threads are made in one place, so that none ends unnoticed. */
  public static ArchRule threadsAreMadeOnlyIn(DescribedPredicate<JavaClass> makers) {
    return noClasses()
        .that(DescribedPredicate.not(makers))
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
  }

  private static DescribedPredicate<JavaConstructorCall> makes(Class<?> type) {
    return target(owner(assignableTo(type))).forSubtype();
  }
}
