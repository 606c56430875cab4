package io.mayflymq.core.vhost;

import io.mayflymq.core.vhost.command.PublishListener;
import java.util.ArrayList;
import java.util.List;

/** What a publisher is told of its messages, in order and in words. */
public final class PublishOutcomes implements PublishListener {
  public final List<String> told = new ArrayList<>();

  @Override
  public void settled(long sequence, boolean accepted) {
    told.add(sequence + (accepted ? " ok" : " refused"));
  }

  @Override
  public void failed(long sequence) {
    told.add(sequence + " failed");
  }

  @Override
  public void gone(long sequence) {
    told.add(sequence + " gone");
  }

  @Override
  public void lost(long sequence) {
    told.add(sequence + " lost");
  }
}
