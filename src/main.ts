#!/usr/bin/env node
/** The entry point of every role and command. Each is loaded only when it is asked for, so that a command starts fast. */
import { COMMANDS } from './cli/commands.ts';

async function main(args: string[]): Promise<number> {
  const [name = '', ...rest] = args;
  const command = COMMANDS.get(name);
  if (command !== undefined) return (await command.load()).run(rest);
  const { runRoles } = await import('./roles/run-roles.ts');
  return runRoles(args);
}

process.exitCode = await main(process.argv.slice(2));
