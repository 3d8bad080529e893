#!/usr/bin/env node
/** The entry point of every role and command. Each is loaded only when it is asked for, so that a command starts fast. */

/** What a command gets: its arguments after the command's name. Returns the exit code. */
type Command = (args: string[]) => Promise<number>;

const COMMANDS: Record<string, () => Promise<{ run: Command }>> = {
  crd: () => import('./cli/crd.ts'),
  render: () => import('./cli/render.ts'),
};

const [name = '', ...args] = process.argv.slice(2);
const load = COMMANDS[name];
if (load === undefined) {
  process.stderr.write(`unknown role or command "${name}"; one of: ${Object.keys(COMMANDS).join(', ')}\n`);
  process.exitCode = 2;
} else {
  process.exitCode = await (await load()).run(args);
}
