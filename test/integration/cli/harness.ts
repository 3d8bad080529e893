import type { ExitCode } from '../../../src/cli/frame/exit.ts';
import type { CommandIo } from '../../../src/cli/frame/io.ts';

/** What came of a command. */
export interface Ran {
  code: ExitCode;
  out: string;
  err: string;
}

type Run = (args: string[], io: CommandIo) => Promise<ExitCode>;

/** Runs a command in this process, with a kubeconfig and files that exist in memory alone. */
export async function runCommand(
  name: string,
  args: string[],
  where: { kubeconfig: string; files?: Record<string, string>; env?: Record<string, string> },
): Promise<Ran> {
  const { run } = (await import(`../../../src/cli/${name}.ts`)) as { run: Run };
  let out = '';
  let err = '';
  const code = await run(args, {
    env: { KUBECONFIG: where.kubeconfig, ...where.env },
    isTerminal: false,
    read: (file) => {
      const text = where.files?.[file];
      return text === undefined ? Promise.reject(new Error(`${file} is not there`)) : Promise.resolve(text);
    },
    out: (text) => {
      out += text;
      return Promise.resolve();
    },
    err: (text) => (err += text),
    now: () => new Date(),
    signal: new AbortController().signal,
  });
  return { code, out, err };
}
