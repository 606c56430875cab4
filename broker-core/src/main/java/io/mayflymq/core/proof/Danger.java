package io.mayflymq.core.proof;

/** What a claim says of messages. */
public enum Danger {
  /** They are gone without having been consumed. */
  LOST("lost"),
  /** They come later than they could, or not while that matters. */
  LATE("late"),
  /** They come in another order than they arrived in. */
  OUT_OF_ORDER("out of order"),
  /** They come more than once. */
  TWICE("twice");

  private final String words;

  Danger(String words) {
    this.words = words;
  }

  /** Returns it in words. */
  public String inWords() {
    return words;
  }
}
