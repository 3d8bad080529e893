/** Waits between tries, in milliseconds. */
export interface BackoffLimits {
  first: number;
  longest: number;
}

/** Growing waits: each doubles up to the longest, and is shortened by up to a half at random, so that many clients do not come at once. */
export class Backoff {
  readonly #limits: BackoffLimits;
  readonly #random: () => number;
  #failures = 0;

  constructor(limits: BackoffLimits, random: () => number = Math.random) {
    this.#limits = limits;
    this.#random = random;
  }

  /** How many waits were asked for since the last success. */
  get failures(): number {
    return this.#failures;
  }

  /** The next wait in milliseconds. */
  next(): number {
    const full = Math.min(this.#limits.longest, this.#limits.first * 2 ** Math.min(this.#failures, 30));
    this.#failures += 1;
    return full * (0.5 + this.#random() / 2);
  }

  /** Something worked: the next wait is a short one again. */
  reset(): void {
    this.#failures = 0;
  }
}
