package io.mayflymq.server.cluster.consensus;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.ratis.metrics.LongCounter;
import org.apache.ratis.metrics.MetricRegistries;
import org.apache.ratis.metrics.MetricRegistryInfo;
import org.apache.ratis.metrics.RatisMetricRegistry;
import org.apache.ratis.metrics.Timekeeper;
import org.apache.ratis.util.TimeDuration;

/** Ratis's own metrics, which are not collected. Found by Java's service loader. */
public final class NoMetrics extends MetricRegistries {
  private static final Timekeeper.Context NO_TIME = () -> 0;

  private static final LongCounter NO_COUNT =
      new LongCounter() {
        @Override
        public void inc(long n) {}

        @Override
        public void dec(long n) {}

        @Override
        public long getCount() {
          return 0;
        }
      };

  /** For the service loader. */
  public NoMetrics() {}

  private record Nothing(MetricRegistryInfo getMetricRegistryInfo) implements RatisMetricRegistry {
    @Override
    public Timekeeper timer(String name) {
      return () -> NO_TIME;
    }

    @Override
    public LongCounter counter(String name) {
      return NO_COUNT;
    }

    @Override
    public boolean remove(String name) {
      return false;
    }

    @Override
    public <T> void gauge(String name, Supplier<Supplier<T>> gauge) {}
  }

  @Override
  public RatisMetricRegistry create(MetricRegistryInfo info) {
    return new Nothing(info);
  }

  @Override
  public void clear() {}

  @Override
  public boolean remove(MetricRegistryInfo key) {
    return false;
  }

  @Override
  public Optional<RatisMetricRegistry> get(MetricRegistryInfo info) {
    return Optional.empty();
  }

  @Override
  public Set<MetricRegistryInfo> getMetricRegistryInfos() {
    return Set.of();
  }

  @Override
  public Collection<RatisMetricRegistry> getMetricRegistries() {
    return List.of();
  }

  @Override
  public void addReporterRegistration(
      Consumer<RatisMetricRegistry> start, Consumer<RatisMetricRegistry> stop) {}

  @Override
  public void removeReporterRegistration(
      Consumer<RatisMetricRegistry> start, Consumer<RatisMetricRegistry> stop) {}

  @Override
  public void enableJmxReporter() {}

  @Override
  public void enableConsoleReporter(TimeDuration rate) {}
}
