/**
 * `npm run bench`: the figures of the README, measured on control planes of their own with the built program. Prints a table, and JSON on the last line.
 * `npm run bench -- --only install,reaction` measures a part. Exit code 1 when a figure misses its bound.
 */
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { errorText } from '../src/errors.ts';
import { isMet, renderTable, type Benchmark } from './figure.ts';
import { measureFunctions } from './functions/index.ts';
import { measureInstall } from './install.ts';
import { measureLife } from './life.ts';
import { measureReaction } from './reaction.ts';
import { measureSize } from './size.ts';
import { measureStrategy } from './strategy.ts';
import { measureTakeover } from './takeover.ts';

const BENCHMARKS: readonly Benchmark[] = [
  { name: 'install', measure: measureInstall },
  { name: 'life', measure: measureLife },
  { name: 'reaction', measure: measureReaction },
  { name: 'size', measure: measureSize },
  { name: 'takeover', measure: measureTakeover },
  { name: 'strategy', measure: measureStrategy },
  { name: 'functions', measure: measureFunctions },
];

const { values } = parseArgs({ options: { only: { type: 'string' } } });
const wanted = values.only?.split(',') ?? BENCHMARKS.map(({ name }) => name);
const unknown = wanted.filter((name) => !BENCHMARKS.some((benchmark) => benchmark.name === name));
if (unknown.length > 0)
  throw new Error(`no benchmark ${unknown.join(', ')}; there are ${BENCHMARKS.map(({ name }) => name).join(', ')}`);

const [load = 0] = loadavg();
console.log(
  `${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}), load before the start ${load.toFixed(2)}, Node ${process.version}\n`,
);
const figures = [];
const failed = [];
for (const { name, measure } of BENCHMARKS.filter((benchmark) => wanted.includes(benchmark.name))) {
  console.error(`measuring ${name}`);
  try {
    figures.push(...(await measure()));
  } catch (error) {
    // The figures of the others are not lost.
    failed.push(name);
    console.error(`${name} could not be measured: ${errorText(error)}`);
  }
}
console.log(`${renderTable(figures)}\n`);
console.log(JSON.stringify(figures));
process.exitCode = failed.length === 0 && figures.every(isMet) ? 0 : 1;
