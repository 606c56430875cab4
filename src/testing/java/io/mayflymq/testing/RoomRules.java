package io.mayflymq.testing;

import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.domain.JavaConstructorCall;
import com.tngtech.archunit.lang.AbstractClassesTransformer;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ClassesTransformer;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.Timer;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.stream.Collectors;

/** The rules of structure that hold in every module. */
public final class RoomRules {
  private static final int MOST_FILES = 25;
  private static final int LARGEST_CYCLE = 3;
  private static final int MOST_PARAMETERS = 5;

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

  /**
   * A package has at most 25 files.
   *
   * @param parent above the packages
   * @param exceptions how many some packages have nevertheless: they may not grow
   */
  public static ArchRule smallPackages(String parent, Map<String, Integer> exceptions) {
    return ArchRuleDefinition.all(packages(parent))
        .should(
            new ArchCondition<>("have at most " + MOST_FILES + " files") {
              @Override
              public void check(Room room, ConditionEvents events) {
                int most = exceptions.getOrDefault(room.name(), MOST_FILES);
                int files = room.classes().size();
                String what = room.name() + " has " + files + " files of at most " + most;
                events.add(new SimpleConditionEvent(room, files <= most, what));
              }
            })
        .allowEmptyShould(true);
  }

  /**
   * Within a package at most three classes depend on each other in a cycle.
   *
   * @param parent above the packages
   * @param exceptions how many do in some packages nevertheless: it may not be more
   */
  public static ArchRule smallCycles(String parent, Map<String, Integer> exceptions) {
    return ArchRuleDefinition.all(packages(parent))
        .should(
            new ArchCondition<>("have no cycle of more than " + LARGEST_CYCLE + " classes") {
              @Override
              public void check(Room room, ConditionEvents events) {
                int most = exceptions.getOrDefault(room.name(), LARGEST_CYCLE);
                for (Set<String> cycle : new Cycles(room).found()) {
                  String what = room.name() + " has a cycle of " + cycle.size() + ": " + cycle;
                  events.add(new SimpleConditionEvent(room, cycle.size() <= most, what));
                }
              }
            })
        .allowEmptyShould(true);
  }

  /**
   * A constructor that is called by name has at most five parameters; those of records, enums,
   * lambdas and anonymous classes are not.
   *
   * @param parent above the packages
   * @param exceptions how many the constructors of some classes have nevertheless: not more
   */
  public static ArchRule smallConstructors(String parent, Map<String, Integer> exceptions) {
    return ArchRuleDefinition.constructors()
        .that()
        .areDeclaredInClassesThat()
        .resideInAPackage(parent + "..")
        .and()
        .areDeclaredInClassesThat()
        .areNotAssignableTo(Record.class)
        .and()
        .areDeclaredInClassesThat()
        .areNotEnums()
        .and()
        .areDeclaredInClassesThat()
        .areNotAnonymousClasses()
        .should(
            new ArchCondition<>("have at most " + MOST_PARAMETERS + " parameters") {
              @Override
              public void check(JavaConstructor constructor, ConditionEvents events) {
                int most =
                    exceptions.getOrDefault(
                        constructor.getOwner().getSimpleName(), MOST_PARAMETERS);
                int parameters = constructor.getRawParameterTypes().size();
                if (constructor.getOwner().isInnerClass()) {
                  parameters--;
                }
                events.add(
                    new SimpleConditionEvent(
                        constructor, parameters <= most, constructor.getDescription()));
              }
            })
        .allowEmptyShould(true);
  }

  /** A package with the classes of its files, by their names. */
  private record Room(String name, Map<String, Set<JavaClass>> classes) {}

  private static ClassesTransformer<Room> packages(String parent) {
    return new AbstractClassesTransformer<>("packages") {
      @Override
      public Collection<Room> doTransform(JavaClasses classes) {
        Map<String, Map<String, Set<JavaClass>>> rooms = new TreeMap<>();
        for (JavaClass each : classes) {
          if (each.getPackageName().startsWith(parent)
              && !each.getSimpleName().equals("package-info")) {
            rooms
                .computeIfAbsent(each.getPackageName(), any -> new TreeMap<>())
                .computeIfAbsent(fileOf(each), any -> new HashSet<>())
                .add(each);
          }
        }
        return rooms.entrySet().stream()
            .map(room -> new Room(room.getKey(), room.getValue()))
            .collect(Collectors.toList());
      }
    };
  }

  /** The name of the class that is not within another one. */
  private static String fileOf(JavaClass type) {
    String name = type.getName().substring(type.getPackageName().length() + 1);
    int nested = name.indexOf('$');
    return nested < 0 ? name : name.substring(0, nested);
  }

  /** Tarjan's algorithm: the sets of classes of a package that all depend on each other. */
  private static final class Cycles {
    private final Map<String, Set<String>> edges = new TreeMap<>();
    private final Map<String, Integer> index = new HashMap<>();
    private final Map<String, Integer> low = new HashMap<>();
    private final Deque<String> stack = new ArrayDeque<>();
    private final List<Set<String>> found = new ArrayList<>();

    Cycles(Room room) {
      room.classes()
          .forEach(
              (file, classes) ->
                  edges.put(
                      file,
                      classes.stream()
                          .flatMap(type -> type.getDirectDependenciesFromSelf().stream())
                          .map(dependency -> dependency.getTargetClass().getBaseComponentType())
                          .filter(other -> other.getPackageName().equals(room.name()))
                          .map(RoomRules::fileOf)
                          .filter(other -> !other.equals(file))
                          .collect(Collectors.toCollection(TreeSet::new))));
    }

    List<Set<String>> found() {
      for (String file : edges.keySet()) {
        if (!index.containsKey(file)) {
          visit(file);
        }
      }
      return found;
    }

    private void visit(String file) {
      index.put(file, index.size());
      low.put(file, index.get(file));
      stack.push(file);
      for (String other : edges.getOrDefault(file, Collections.emptySet())) {
        if (!index.containsKey(other)) {
          visit(other);
          low.merge(file, low.get(other), Math::min);
        } else if (stack.contains(other)) {
          low.merge(file, index.get(other), Math::min);
        }
      }
      if (low.get(file).equals(index.get(file))) {
        Set<String> cycle = new TreeSet<>();
        String member;
        do {
          member = stack.pop();
          cycle.add(member);
        } while (!member.equals(file));
        if (cycle.size() > 1) {
          found.add(cycle);
        }
      }
    }
  }
}
