#!/usr/bin/env bash
# Of the last lines that a program logs over Spring's AMQP appender only two or so arrive, however orderly it ends.
#
# With:      Spring AMQP spring-rabbit 4.1.2 (its AmqpAppender), Logback 1.6.6, RabbitMQ 4.3.6 (Debian 4.3.6-1)
# Expected:  the appender sends from a queue in the background, so that logging does not wait for the broker; when Logback is stopped
#            in order, it sends what is left first, as Logback's own asynchronous appender does, for a second at most by default.
# Happens:   stop interrupts the threads that send and forgets the queue. Of ten last lines about two arrive, one for each
#            thread, though the connection has been open and idle. Nothing fails, and no status message of Logback tells of it.
# Who meets it: whose jobs, or services that end, log to RabbitMQ: what is missing is always the end, the result, or the exception
#            that ended it. In tests of the appender all arrives, because the program goes on.
. "$(dirname "$0")/lib.bash"

java_packages org.springframework.amqp:spring-rabbit:4.1.2 ch.qos.logback:logback-classic:1.6.6
rabbitmq 4.3.6-1

cat >"$work/Job.java" <<'JAVA'
import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.PatternLayout;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ConnectionFactory;
import org.slf4j.LoggerFactory;
import org.springframework.amqp.rabbit.logback.AmqpAppender;

public class Job {
  static final int JOBS = 4;
  static final int BEFORE = 20;
  static final int LAST = 10;

  public static void main(String[] args) throws Exception {
    var factory = new ConnectionFactory();
    factory.setHost("127.0.0.1");
    factory.setPort(Integer.parseInt(args[0]));
    var context = context();
    long arrived = 0;
    try (var connection = factory.newConnection(); var channel = connection.createChannel()) {
      channel.queueDeclare("logs", true, false, false, null);
      channel.queueBind("logs", "amq.topic", "#");
      for (int job = 1; job <= JOBS; job++) {
        channel.queuePurge("logs");
        long of = lastLinesOfJob(context, channel, args[0]);
        System.out.println("job " + job + ": of its last " + LAST + " lines " + of + " arrived");
        arrived += of;
      }
    }
    System.exit(arrived <= JOBS * LAST / 2 ? 0 : 1);
  }

  /** Returns Logback, started and without any appender. */
  static LoggerContext context() {
    var context = (LoggerContext) LoggerFactory.getILoggerFactory();
    context.start();
    context.reset();
    context.getLogger("ROOT").setLevel(Level.OFF);
    return context;
  }

  /** Logs some lines, waits until they have arrived, logs the last ones, stops Logback, and returns how many of those arrive. */
  static long lastLinesOfJob(LoggerContext context, Channel channel, String port) throws Exception {
    context();
    var layout = new PatternLayout();
    layout.setContext(context);
    layout.setPattern("%msg");
    layout.start();
    var appender = new AmqpAppender();
    appender.setContext(context);
    appender.setName("amqp");
    appender.setLayout(layout);
    appender.setHost("127.0.0.1");
    appender.setPort(Integer.parseInt(port));
    appender.setExchangeName("amq.topic");
    appender.start();
    var log = context.getLogger("job");
    log.setLevel(Level.INFO);
    log.addAppender(appender);
    for (int i = 0; i < BEFORE; i++) {
      log.info("step {}", i);
    }
    for (int i = 0; i < 200 && channel.messageCount("logs") < BEFORE; i++) {
      Thread.sleep(100);
    }
    long before = channel.messageCount("logs");
    if (before != BEFORE) {
      throw new IllegalStateException("of the lines before the end only " + before + " arrived");
    }
    for (int i = 0; i < LAST; i++) {
      log.info("result {}", i);
    }
    context.stop();
    Thread.sleep(3000);
    return channel.messageCount("logs") - before;
  }
}
JAVA

verdict java -cp "$work/lib/*" "$work/Job.java" "$amqp_port"
