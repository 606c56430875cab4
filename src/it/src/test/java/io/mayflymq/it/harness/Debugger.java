package io.mayflymq.it.harness;

import com.sun.jdi.Bootstrap;
import com.sun.jdi.ClassNotLoadedException;
import com.sun.jdi.ClassType;
import com.sun.jdi.IncompatibleThreadStateException;
import com.sun.jdi.InvalidTypeException;
import com.sun.jdi.InvocationException;
import com.sun.jdi.Location;
import com.sun.jdi.Method;
import com.sun.jdi.ObjectCollectedException;
import com.sun.jdi.ObjectReference;
import com.sun.jdi.ReferenceType;
import com.sun.jdi.ThreadReference;
import com.sun.jdi.VMDisconnectedException;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.AttachingConnector;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.connect.IllegalConnectorArgumentsException;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.event.LocatableEvent;
import com.sun.jdi.request.EventRequest;
import com.sun.jdi.request.MethodEntryRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A debugger that is attached to a broker, to have happen in one of its threads what may happen to
 * any: that it is stuck, or that what it calls fails. Needs nothing of the broker but an option of
 * its virtual machine.
 */
public final class Debugger implements AutoCloseable {
  private static final Object THROWN = "thrown";

  private final VirtualMachine machine;
  private String thrownAt = "nowhere";

  private Debugger(VirtualMachine machine) {
    this.machine = machine;
  }

  /** The option of the virtual machine that lets one attach on this port. */
  public static String option(int port) {
    return "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,quiet=y,address=127.0.0.1:"
        + port;
  }

  /** Attaches to the virtual machine that was started with {@link #option}. */
  public static Debugger attach(int port) throws IOException {
    AttachingConnector connector =
        Bootstrap.virtualMachineManager().attachingConnectors().stream()
            .filter(candidate -> candidate.transport().name().equals("dt_socket"))
            .findFirst()
            .orElseThrow();
    Map<String, Connector.Argument> arguments = connector.defaultArguments();
    arguments.get("hostname").setValue("127.0.0.1");
    arguments.get("port").setValue(Integer.toString(port));
    try {
      return new Debugger(connector.attach(arguments));
    } catch (IllegalConnectorArgumentsException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The names of all threads. */
  public List<String> threads() {
    return machine.allThreads().stream().map(ThreadReference::name).toList();
  }

  /** The first thread whose name begins like that. */
  private ThreadReference thread(String name) {
    return machine.allThreads().stream()
        .filter(thread -> thread.name().startsWith(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no thread " + name + " in " + threads()));
  }

  /** Returns what each thread is doing, for the text of an assertion. */
  public String stacks() {
    StringBuilder stacks = new StringBuilder();
    machine.suspend();
    try {
      for (ThreadReference thread : machine.allThreads()) {
        // It is suspended once by this.
        stacks.append(
            "%n%s, state %d, suspended before %d times"
                .formatted(thread.name(), thread.status(), thread.suspendCount() - 1));
        thread.frames().forEach(frame -> stacks.append("\n  ").append(frame.location()));
      }
    } catch (IncompatibleThreadStateException e) {
      throw new IllegalStateException(e);
    } finally {
      machine.resume();
    }
    return stacks.toString();
  }

  /** A thread does nothing more until it is resumed. */
  public void suspend(String name) {
    thread(name).suspend();
  }

  /** Resumes a thread. */
  public void resume(String name) {
    thread(name).resume();
  }

  /**
   * Has an error thrown in a thread at the next method that it calls of some classes. Nothing
   * happens while the thread waits; {@link #awaitThrown} tells when it did.
   *
   * @param classes such as {@code io.mayflymq.*}; not the JDK's, whose locks allow for no error
   *     within
   * @param error a class that the broker's virtual machine has loaded
   */
  public void throwIn(String name, String classes, Class<? extends Throwable> error) {
    MethodEntryRequest request = machine.eventRequestManager().createMethodEntryRequest();
    request.addThreadFilter(thread(name));
    request.addClassFilter(classes);
    arm(request, error);
  }

  /**
   * Has the next call of a method throw an exception, in whichever thread.
   *
   * @param type a class that the broker's virtual machine has loaded
   * @param exception likewise
   */
  public void throwAt(String type, String method, Class<? extends Throwable> exception) {
    Location start = loaded(type).methodsByName(method).get(0).location();
    arm(machine.eventRequestManager().createBreakpointRequest(start), exception);
  }

  private void arm(EventRequest request, Class<? extends Throwable> thrown) {
    request.putProperty(THROWN, thrown.getName());
    request.addCountFilter(1);
    request.setSuspendPolicy(EventRequest.SUSPEND_EVENT_THREAD);
    request.enable();
  }

  /**
   * Waits until what was asked for has been thrown.
   *
   * @return whether it was, within this time; true also if the process has ended
   */
  public boolean awaitThrown(Duration patience) throws InterruptedException {
    try {
      EventSet events = machine.eventQueue().remove(patience.toMillis());
      if (events == null) {
        return false;
      }
      for (Event event : events) {
        if (event instanceof LocatableEvent reached) {
          throwThere(reached);
        }
      }
      events.resume();
    } catch (VMDisconnectedException e) {
      // It has ended already.
    }
    return true;
  }

  /** Where the last exception was thrown, for the text of an assertion. */
  public String thrownAt() {
    return thrownAt;
  }

  private void throwThere(LocatableEvent reached) {
    thrownAt = reached.location().method() + " in " + reached.thread().name();
    ClassType thrown = (ClassType) loaded((String) reached.request().getProperty(THROWN));
    ThreadReference thread = reached.thread();
    try {
      thread.stop(newInstance(thrown, thread));
    } catch (InvalidTypeException
        | ClassNotLoadedException
        | IncompatibleThreadStateException
        | InvocationException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Nothing in the broker refers to what is made, so it may be collected before it is thrown. */
  private static ObjectReference newInstance(ClassType thrown, ThreadReference thread)
      throws InvalidTypeException,
          ClassNotLoadedException,
          IncompatibleThreadStateException,
          InvocationException {
    Method constructor = thrown.concreteMethodByName("<init>", "()V");
    while (true) {
      ObjectReference made =
          thrown.newInstance(thread, constructor, List.of(), ClassType.INVOKE_SINGLE_THREADED);
      try {
        made.disableCollection();
        return made;
      } catch (ObjectCollectedException e) {
        // Once more.
      }
    }
  }

  private ReferenceType loaded(String type) {
    return machine.classesByName(type).stream()
        .findFirst()
        .orElseThrow(() -> new AssertionError(type + " is not loaded"));
  }

  /** Detaches and resumes suspended threads. */
  @Override
  public void close() {
    try {
      machine.dispose();
    } catch (VMDisconnectedException e) {
      // The process has ended.
    }
  }
}
