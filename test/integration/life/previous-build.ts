/**
 * Loaded before the operator by `--import`: turns the sources into the build before this one. It writes jobs of an older version, leaves those of this build
 * alone (design decision 2), and has another version in its User-Agent.
 */
import { registerHooks } from 'node:module';

const CHANGES: readonly { file: string; from: string; to: string }[] = [
  { file: 'src/queue/job-data.ts', from: 'JOB_VERSION = 1;', to: 'JOB_VERSION = 0;' },
  { file: 'src/roles/program-version.ts', from: ').version;', to: ').version + "-previous";' },
];

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const change = CHANGES.find(({ file }) => url.endsWith(`/${file}`));
    if (change === undefined) return loaded;
    const source = typeof loaded.source === 'string' ? loaded.source : new TextDecoder().decode(loaded.source);
    if (!source.includes(change.from)) throw new Error(`${change.file} has no "${change.from}" to be changed`);
    return { ...loaded, source: source.replace(change.from, change.to) };
  },
});
