import { execFileSync } from 'node:child_process';
import { parseAllDocuments } from 'yaml';
import type { KubernetesObject } from '../../src/api/objects.ts';

const CHART = new URL('../../charts/virt-operator', import.meta.url).pathname;
const HELM = process.env['HELM'] ?? 'helm';

/** Why helm cannot be run here, or false when it can: the `skip` option of a test. */
export const noHelm: string | false = (() => {
  try {
    execFileSync(HELM, ['version', '--short'], { stdio: 'pipe' });
    return false;
  } catch {
    return 'no helm: put it on the PATH or name it in the variable HELM';
  }
})();

/** Renders the chart with `--set-json` values; an error carries what helm wrote. */
export function renderText(values: Record<string, unknown> = {}, options: readonly string[] = []): string {
  const settings = Object.entries(values).flatMap(([path, value]) => [
    '--set-json',
    `${path}=${JSON.stringify(value)}`,
  ]);
  return execFileSync(HELM, ['template', 'virt-operator', CHART, ...settings, ...options], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** The objects of a rendering, in order. */
export function render(values: Record<string, unknown> = {}, options: readonly string[] = []): KubernetesObject[] {
  return parseAllDocuments(renderText(values, options))
    .map((document) => document.toJS() as KubernetesObject | null)
    .filter((object) => object !== null);
}

/** The one object of a kind and name. */
export function find(objects: readonly KubernetesObject[], kind: string, name: string): KubernetesObject {
  const found = objects.find((object) => object.kind === kind && object.metadata.name === name);
  if (found === undefined) throw new Error(`the rendering has no ${kind} ${name}`);
  return found;
}
