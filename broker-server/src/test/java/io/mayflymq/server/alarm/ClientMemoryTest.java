package io.mayflymq.server.alarm;

import static org.assertj.core.api.Assertions.assertThat;

import io.mayflymq.server.alarm.ClientMemory.Account;
import io.mayflymq.server.alarm.ClientMemory.Part;
import org.junit.jupiter.api.Test;

class ClientMemoryTest {
  private final ClientMemory memory = new ClientMemory(() -> 1_000);

  /** A connection that gives up all it holds when it is told to. */
  private final class Client implements ClientMemory.Holder {
    private final Account account;
    private int requests;
    private long held;
    private long kept;

    Client(String vhost) {
      account = memory.open(vhost, this);
    }

    void keep(long bytes) {
      kept += bytes;
      account.keep(bytes);
      account.tell();
    }

    void hold(long bytes) {
      held += bytes;
      account.add(bytes);
      account.tell();
    }

    void giveUp() {
      hold(-held);
      keep(-kept);
      account.gaveUp();
      account.endGivingUp();
    }

    @Override
    public void giveUpLargest(Part part, long most) {
      requests++;
    }

    @Override
    public long queuedBytes() {
      return 7;
    }
  }

  private final Client small = new Client("a");
  private final Client large = new Client("b");

  @Test
  void theOneThatHoldsTheMostGivesUpWhoeverAsksForMore() {
    large.hold(900);
    small.hold(100);
    assertThat(memory.isOver()).isFalse();
    small.hold(1);
    assertThat(memory.isOver()).isTrue();
    assertThat(small.requests).isZero();
    assertThat(large.requests).isEqualTo(1);
    small.hold(50);
    assertThat(large.requests).as("is asked already").isEqualTo(1);
    assertThat(small.requests).isZero();
    large.giveUp();
    assertThat(memory.total()).isEqualTo(151);
    assertThat(memory.givenUpCount()).isEqualTo(1);
    large.hold(860);
    assertThat(large.requests).as("again").isEqualTo(2);
  }

  @Test
  void asManyAreAskedAsAreNeeded() {
    Client third = new Client("b");
    large.hold(500);
    third.hold(400);
    small.hold(1_050);
    assertThat(small.requests).isEqualTo(1);
    assertThat(large.requests).isZero();
    small.giveUp();
    third.hold(3_000);
    assertThat(third.requests).isEqualTo(1);
    assertThat(large.requests).isZero();
  }

  @Test
  void nobodyIsAskedWhenLessIsHeld() {
    large.hold(1_200);
    large.giveUp();
    large.hold(1_000);
    large.hold(-500);
    assertThat(large.requests).isEqualTo(1);
  }

  @Test
  void aConsiderablePartIsFreedWhenMemoryIsLow() {
    small.hold(100);
    large.hold(100);
    assertThat(memory.relieve()).as("too little to be worth it").isFalse();
    large.hold(200);
    assertThat(memory.relieve()).isTrue();
    assertThat(large.requests).isEqualTo(1);
    assertThat(small.requests).isZero();
    assertThat(memory.relieve()).as("it is being freed already").isFalse();
  }

  @Test
  void theTenantThatHoldsTheMostGivesUpHoweverManyConnectionsItHas() {
    Client[] many = new Client[10];
    for (int i = 0; i < many.length; i++) {
      many[i] = new Client("many");
      many[i].keep(i == 7 ? 81 : 80);
    }
    large.hold(190);
    assertThat(memory.isOver()).isFalse();
    large.hold(50);
    assertThat(large.requests).isZero();
    assertThat(many[7].requests).isEqualTo(1);
    many[7].giveUp();
    assertThat(memory.total()).isEqualTo(960);
  }

  @Test
  void whatIsKeptOpenIsNotGivenUpBeforeAnAlarm() {
    large.keep(900);
    small.hold(90);
    assertThat(memory.relieve()).isFalse();
    large.hold(10);
    small.hold(210);
    assertThat(large.requests).as("above the limit").isEqualTo(1);
    assertThat(memory.total(Part.UNFINISHED)).isEqualTo(310);
    large.giveUp();
    assertThat(memory.relieve()).isTrue();
    assertThat(small.requests).isEqualTo(1);
    assertThat(large.requests).isEqualTo(1);
  }

  @Test
  void onlyTheTenantThatHoldsTheMostMayOpenNoMore() {
    large.keep(600);
    small.keep(330);
    small.hold(60);
    assertThat(memory.shortageFor("b")).isNull();
    small.keep(10);
    assertThat(memory.shortageFor("b"))
        .isEqualTo("all clients keep more than 938 bytes open, and those of vhost 'b' the most");
    assertThat(memory.shortageFor("a")).isNull();
    assertThat(memory.shortageFor("new")).isNull();
    large.account.close();
    assertThat(memory.shortageFor("a")).isNull();
    assertThat(memory.byVhost()).containsOnlyKeys("a");
  }

  @Test
  void memoryOfVirtualHostsIsThatOfTheirConnections() {
    Client third = new Client("b");
    small.hold(10);
    large.hold(20);
    third.hold(30);
    assertThat(memory.byVhost()).containsEntry("a", 17L).containsEntry("b", 64L).hasSize(2);
    third.account.close();
    assertThat(memory.byVhost()).containsEntry("b", 27L);
    assertThat(memory.total()).isEqualTo(30);
  }
}
