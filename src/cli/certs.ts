import { buildCertificateReport } from './certificates/certificate-report.ts';
import { renderCertificates } from './certificates/certificate-text.ts';
import { buildContext } from './cluster/strategy.ts';
import { openScene, requireKubeVirt } from './cluster/scene.ts';
import { runCommand, type Answer, type Command, type Session } from './frame/command.ts';
import { EXIT, type ExitCode } from './frame/exit.ts';
import type { CommandIo } from './frame/io.ts';

const FLAGS = {} as const;

/** The command `certs`. */
export const COMMAND: Command<typeof FLAGS> = {
  name: 'certs',
  synopsis: '',
  usage: `Lists the certificates of the installation: who issued them, how long they are valid, when the operator renews them, and whether everybody trusts the
authority in use. Exit code 3 if something is wrong with one.`,
  flags: FLAGS,
  run: certs,
};

/** Lists the certificates of an installation. Exit code 0, or 3 when something is wrong with one; else as docs/cli.md says. */
export function run(args: string[], io?: CommandIo): Promise<ExitCode> {
  return runCommand(COMMAND, args, io);
}

async function certs(session: Session<typeof FLAGS>): Promise<Answer> {
  const { common, io, signal } = session;
  const scene = await openScene({
    connection: await session.connect(),
    namespace: common.namespace,
    env: io.env,
    signal,
  });
  const now = io.now();
  const context = await buildContext(scene, requireKubeVirt(scene, common.namespace), now);
  if (context === undefined) {
    throw new Error(
      'the install strategy of this release is not stored in the cluster yet, so its certificates are not known; wait for the operator',
    );
  }
  const report = buildCertificateReport(context);
  return {
    text: (paint) => renderCertificates(report, now.getTime(), paint),
    json: report,
    exit: report.good ? EXIT.good : EXIT.no,
  };
}
