import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { KubeVirt } from '../../src/api/kubevirt.ts';
import type { KubernetesObject } from '../../src/api/objects.ts';
import { parseTarget } from '../../src/exchange/deployment-config.ts';
import type { GenerateInput } from '../../src/strategy/types.ts';

const GOLDEN = new URL('../../../shared/golden/', import.meta.url);

/** The `skip` option of a test: a sentence where the golden data are missing. */
export const noGolden: string | false = existsSync(GOLDEN) ? false : 'no golden data beside the repository';

/** One configuration and what upstream makes of it. */
export interface GoldenCase {
  name: string;
  input: GenerateInput;
  /** In upstream's order. */
  objects: KubernetesObject[];
  /** The operator's environment. */
  env: Record<string, string>;
  kubeVirt: KubeVirt;
  deploymentID: string;
  /** The JSON text of the deployment config. */
  deploymentConfig: string;
}

interface CaseFile {
  env: Record<string, string>;
  kubeVirt: KubeVirt;
  deploymentID: string;
  deploymentConfigString: string;
  operatorNamespace: string;
  monitorNamespace: string;
  objects: (KubernetesObject | { $pool: string; $hash: string })[];
}

type Pool = Record<string, KubernetesObject>;

const readJson = (name: string): unknown => JSON.parse(readFileSync(new URL(name, GOLDEN), 'utf8'));

/** All golden configurations. */
export function readGoldenCases(): GoldenCase[] {
  if (noGolden !== false) return [];
  const files = readdirSync(GOLDEN).filter((name) => name.endsWith('.json') && name !== 'kubevirt-crd.json');
  const pools = new Map(
    files
      .filter((name) => name.startsWith('pool-'))
      .map((name) => [name.slice('pool-'.length, -'.json'.length), readJson(name) as Pool]),
  );
  return files
    .filter((name) => !name.startsWith('pool-'))
    .map((name) => toCase(name.slice(0, -'.json'.length), readJson(name) as CaseFile, pools));
}

function toCase(name: string, file: CaseFile, pools: Map<string, Pool>): GoldenCase {
  const objects = file.objects.map((entry) => {
    if (!('$pool' in entry)) return entry;
    const pooled = pools.get(entry.$pool as string)?.[entry.$hash as string];
    if (pooled === undefined) throw new Error(`golden case ${name}: no object behind a reference to the pool`);
    return pooled;
  });
  const { operatorNamespace, monitorNamespace, env, kubeVirt, deploymentID } = file;
  const runbookUrlTemplate = env['RUNBOOK_URL_TEMPLATE'] ?? 'https://kubevirt.io/monitoring/runbooks/%s';
  const deploymentConfig = file.deploymentConfigString;
  const target = parseTarget(deploymentConfig);
  const input = { target, operatorNamespace, monitorNamespace, runbookUrlTemplate };
  return { name, objects, input, env, kubeVirt, deploymentID, deploymentConfig };
}

/** A copy without prose and without unset fields: what golden data can be compared by. Schemas lose their descriptions, all else keeps empty ones. */
export function withoutProse<T>(value: T): T {
  return JSON.parse(JSON.stringify(value), (key: string, part: unknown): unknown => {
    if (key === 'openAPIV3Schema') return withoutDescriptions(part);
    if (typeof part !== 'string') return part;
    if (key === 'message' || key === 'messageExpression') return undefined;
    return key === 'description' || key === 'summary' || key.endsWith('/description') ? '' : part;
  }) as T;
}

function withoutDescriptions(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema), (key: string, part: unknown): unknown =>
    key === 'description' && typeof part === 'string' ? undefined : part,
  );
}

/** Reads a JSON file of the golden data. */
export function readGolden(name: string): unknown {
  return readJson(name);
}

/** Reads a text file of the golden data. */
export function readGoldenText(name: string): string {
  return readFileSync(new URL(name, GOLDEN), 'utf8');
}
