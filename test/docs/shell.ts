import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { ROOT } from './documents.ts';

/** One shell, as a user has it: what a line exports, later lines know. */
export interface Shell {
  /** Runs a line; resolves to what it printed on both streams. Rejects when it fails. */
  run(line: string): Promise<string>;
  end(): Promise<void>;
}

/** Opens a POSIX shell in the repository, with the environment given. */
export function openShell(env: NodeJS.ProcessEnv): Shell {
  const child = spawn('sh', [], { cwd: ROOT, env, stdio: ['pipe', 'pipe', 'pipe'] });
  let text = '';
  let told: () => void = () => undefined;
  child.once('exit', () => {
    told();
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (part: Buffer) => {
      text += part.toString();
      told();
    });
  }
  let count = 0;
  const readTo = async (mark: string): Promise<{ output: string; code: number }> => {
    for (;;) {
      const [, output = '', code] = new RegExp(`^([^]*)${mark} (\\d+)\\n`).exec(text) ?? [];
      if (code !== undefined) return { output, code: Number(code) };
      if (child.exitCode !== null) throw new Error(`the shell has ended: ${text}`);
      await new Promise<void>((resolve) => {
        told = resolve;
      });
    }
  };
  return {
    async run(line) {
      const mark = `end-of-line-${count++}`;
      text = '';
      // Its errors stand on both streams before the mark does.
      child.stdin.write(`{ ${line}\n} </dev/null 2>&1\nprintf '${mark} %s\\n' $?\n`);
      const { output, code } = await readTo(mark);
      if (code !== 0) throw new Error(`"${line}" ended with ${code}:\n${output}`);
      return output;
    },
    async end() {
      if (child.exitCode !== null) return;
      const exited = once(child, 'exit');
      child.stdin.end();
      await exited;
    },
  };
}
