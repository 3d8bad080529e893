import { openScene } from './cluster/scene.ts';
import { runCommand, type Answer, type Command, type Session } from './frame/command.ts';
import { EXIT, type ExitCode } from './frame/exit.ts';
import type { CommandIo } from './frame/io.ts';
import { readKubeVirtFile } from './kubevirt-file.ts';
import { runChecks } from './preflight/checks.ts';
import { readFacts } from './preflight/facts.ts';
import { renderFindings } from './preflight/preflight-text.ts';

const FLAGS = { cr: { type: 'string' } } as const;

/** The command `preflight`. */
export const COMMAND: Command<typeof FLAGS> = {
  name: 'preflight',
  synopsis: '[--cr FILE]',
  usage: `Looks for what would keep an installation from becoming ready, before anything is applied: APIs, nodes, namespace, priority class, leftovers of earlier
installations, a second KubeVirt object, patches that cannot be applied, and rights: yours, and those that the operator needs to create the release's
roles. Exit code 3 if there is a problem; warnings alone do not count.
  --cr FILE            for this KubeVirt object (YAML or JSON, - for standard input); default: the cluster's, else a plain one`,
  flags: FLAGS,
  run: preflight,
};

/** Looks for obstacles to an installation. Exit code 0, or 3 when there is one; else as docs/cli.md says. */
export function run(args: string[], io?: CommandIo): Promise<ExitCode> {
  return runCommand(COMMAND, args, io);
}

async function preflight({ flags, common, io, signal, tell, connect }: Session<typeof FLAGS>): Promise<Answer> {
  const warn = (sentence: string): void => {
    tell(`warning: ${sentence}`);
  };
  const wanted = flags.cr === undefined ? undefined : await readKubeVirtFile(flags.cr, { read: io.read, warn });
  const namespace = common.namespace ?? wanted?.metadata.namespace;
  const scene = await openScene({ connection: await connect(), namespace, env: io.env, signal });
  const findings = runChecks(await readFacts(scene, { wanted, now: io.now(), signal }));
  const isReady = !findings.some(({ level }) => level === 'problem');
  return {
    text: (paint) => renderFindings(findings, paint),
    json: { ready: isReady, findings },
    exit: isReady ? EXIT.good : EXIT.no,
  };
}
