package io.mayflymq.it.harness;

import com.sun.jdi.Bootstrap;
import com.sun.jdi.InvalidTypeException;
import com.sun.jdi.ObjectReference;
import com.sun.jdi.ThreadReference;
import com.sun.jdi.VMDisconnectedException;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.AttachingConnector;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.connect.IllegalConnectorArgumentsException;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/**
 * A debugger that is attached to a broker, to have happen in one of its threads what may happen to
 * any: that it is stuck, or that there is no memory left wherever it is just then. Needs nothing of
 * the broker but an option of its virtual machine.
 */
public final class Debugger implements AutoCloseable {
  private final VirtualMachine machine;

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

  private ThreadReference thread(String name) {
    return machine.allThreads().stream()
        .filter(thread -> thread.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no thread " + name + " in " + threads()));
  }

  /** A thread does nothing more until it is resumed. */
  public void suspend(String name) {
    thread(name).suspend();
  }

  /** A thread goes on. */
  public void resume(String name) {
    thread(name).resume();
  }

  /**
   * A thread finds no memory at its next step: the error that the virtual machine keeps ready for
   * that is thrown. One that waits is woken.
   */
  public void takeMemory(String name) {
    ObjectReference error =
        machine.classesByName(OutOfMemoryError.class.getName()).get(0).instances(1).get(0);
    try {
      thread(name).stop(error);
    } catch (InvalidTypeException e) {
      throw new IllegalStateException(e);
    } catch (VMDisconnectedException e) {
      // It has ended already.
    }
  }

  /** Detaches; what is suspended goes on. */
  @Override
  public void close() {
    try {
      machine.dispose();
    } catch (VMDisconnectedException e) {
      // The process has ended.
    }
  }
}
