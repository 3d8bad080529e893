import type { Facts } from './facts.ts';

/** What one check has found. */
export interface Finding {
  /** What was checked. */
  check: string;
  /** A problem keeps an installation from becoming ready; a warning may; what cannot be told is unknown. */
  level: 'ok' | 'warning' | 'problem' | 'unknown';
  text: string;
  /** The way out. */
  remedy?: string;
}

/** A check returns what it has found; nothing stands for: all is well. */
export type Check = (facts: Facts) => Omit<Finding, 'check'>[];
