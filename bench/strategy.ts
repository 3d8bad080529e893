import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readExample } from '../sandbox/start/installation.ts';
import { asKubeVirt } from '../src/api/kubevirt.ts';
import { readReleaseEnvironment } from '../src/release-environment.ts';
import { generateStrategy } from '../src/strategy/generate.ts';
import { decideTarget } from '../src/strategy/target.ts';
import type { Figure } from './figure.ts';
import { measureStrategySources, SOURCE_LIMITS } from './strategy-sources.ts';

/** The built program: what the image runs. */
const PROGRAM = join(import.meta.dirname, '..', 'dist', 'src', 'main.js');
const WARM_RUNS = 30;
const FRESH_RUNS = 9;
const ENVIRONMENT = { VIRT_OPERATOR_IMAGE: 'quay.io/kubevirt/virt-operator:v1.9.0' };
const MONITORING = 'monitoring';

/** Milliseconds of the quickest of some runs: what the work costs when nobody else wants the processor. */
async function quickest(runs: number, task: () => Promise<void> | void): Promise<number> {
  const samples: number[] = [];
  for (let run = 0; run < runs; run++) {
    const began = performance.now();
    await task();
    samples.push(performance.now() - began);
  }
  return Math.min(...samples);
}

async function generateWarm(): Promise<number> {
  const environment = readReleaseEnvironment(ENVIRONMENT);
  const { runbookUrlTemplate } = environment;
  const kubeVirt = asKubeVirt(await readExample());
  return quickest(WARM_RUNS, () => {
    const target = decideTarget(kubeVirt, environment);
    generateStrategy({ target, operatorNamespace: 'kubevirt', monitorNamespace: MONITORING, runbookUrlTemplate });
  });
}

async function runNode(args: readonly string[]): Promise<void> {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...ENVIRONMENT },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`node ${args.join(' ')} ended with ${String(code)}`);
}

/** `render` from its start to its end, printing included, less what a Node that does nothing takes. */
async function renderFresh(): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), 'virt-operator-bench-'));
  try {
    const cr = join(directory, 'kubevirt.json');
    await writeFile(cr, JSON.stringify(await readExample()));
    const render = [PROGRAM, 'render', '--cr', cr, '--monitor-namespace', MONITORING];
    return (
      (await quickest(FRESH_RUNS, () => runNode(render))) - (await quickest(FRESH_RUNS, () => runNode(['-e', '0'])))
    );
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** What generating an install strategy costs, and how large its sources are. */
export async function measureStrategy(): Promise<Figure[]> {
  const { plain, gzipped } = measureStrategySources();
  return [
    { name: `generating a strategy, warm, best of ${WARM_RUNS}`, value: await generateWarm(), unit: 'ms', must: 60 },
    {
      name: `render in a fresh process, beyond Node's start, best of ${FRESH_RUNS}`,
      value: await renderFresh(),
      unit: 'ms',
      must: 400,
    },
    { name: 'sources of the strategy', value: plain / 1000, unit: 'kB', must: SOURCE_LIMITS.plain / 1000 },
    { name: 'sources of the strategy, gzipped', value: gzipped / 1000, unit: 'kB', must: SOURCE_LIMITS.gzipped / 1000 },
  ];
}
