import { test } from 'node:test';
import { listCommands, readDocument } from './documents.ts';
import type { Shell } from './shell.ts';

/** What a test does about one command of the README. */
export interface Step {
  /** What it proves besides, with the id of a field report. */
  proves?: string;
  /** Runs before the command. */
  before?: () => Promise<void>;
  /** Looks at what the command printed and did. */
  after?: (output: string) => Promise<void> | void;
}

/** The commands of one section of the README. */
export function commandsOf(heading: string): string[] {
  const [, section = ''] =
    new RegExp(`^## ${heading}\\n([^]*?)(?=^## |(?![^]))`, 'm').exec(readDocument('README.md')) ?? [];
  return listCommands(section);
}

/**
 * Registers a test for each command, in their order; a command without a step fails, and after a failure the rest is skipped. `describeFailure` adds what the
 * machine behind it has said.
 */
export function walk(
  commands: readonly string[],
  steps: Readonly<Record<string, Step>>,
  { shell, describeFailure = () => '' }: { shell: () => Shell; describeFailure?: () => string },
): void {
  let broken = false;
  for (const command of commands) {
    const step = steps[command];
    test([command, step?.proves].filter(Boolean).join(' · '), async (t) => {
      if (step === undefined)
        throw new Error(`the README has the command "${command}", of which this test knows nothing`);
      if (broken) {
        t.skip('a command before it has failed');
        return;
      }
      try {
        await step.before?.();
        const output = await shell().run(command);
        await step.after?.(output);
      } catch (error) {
        broken = true;
        throw new Error(`${String(error)}\n${describeFailure()}`, { cause: error });
      }
    });
  }
}
