import { spawnSync } from 'node:child_process';
import { parseAllDocuments } from 'yaml';
import type { KubernetesObject } from '../../src/api/objects.ts';
import { findHelm } from '../../sandbox/setup/locations.cjs';

/** Folder of the chart. */
export const CHART = new URL('../../charts/virt-operator', import.meta.url).pathname;
/** The program; undefined where there is none. */
export const HELM = findHelm(process.env);

/** The `skip` option of a test: a sentence where helm is missing. */
export const noHelm: string | false =
  HELM === undefined ? 'no helm: run "npm start" once, which builds it, or put one on the PATH' : false;

/** Values by their path, for example `{'image.tag': 'v1'}`; a whole value may be an object. */
export type Values = Record<string, unknown>;

/** Runs helm. Throws with what it wrote when it refuses. */
export function helm(args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(HELM ?? 'helm', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`helm: ${stderr}`);
  return stdout;
}

/** Renders the chart. Throws when it refuses the values. */
export function renderText(values: Values = {}, options: readonly string[] = []): string {
  const settings = Object.entries(values).flatMap(([path, value]) => [
    '--set-json',
    `${path}=${JSON.stringify(value)}`,
  ]);
  return helm(['template', 'virt-operator', CHART, ...settings, ...options]);
}

/** The objects of a rendering, in order. Throws when it is no YAML, for example because a key stands twice. */
export function render(values: Values = {}, options: readonly string[] = []): KubernetesObject[] {
  return parseAllDocuments(renderText(values, options)).flatMap((document) => {
    for (const error of document.errors) throw error;
    return (document.toJS() as KubernetesObject | null) ?? [];
  });
}

/** The one object of a kind and name. */
export function find(objects: readonly KubernetesObject[], kind: string, name: string): KubernetesObject {
  const found = objects.find((object) => object.kind === kind && object.metadata.name === name);
  if (found === undefined) throw new Error(`the rendering has no ${kind} ${name}`);
  return found;
}

/** The parts of a container that tests look at. */
export interface Container {
  name: string;
  image: string;
  command: string[];
  args: string[];
  env?: { name: string; value?: string; valueFrom?: { secretKeyRef: { name: string; key: string } } }[];
  securityContext: Record<string, unknown>;
  readinessProbe?: { httpGet?: { path: string }; tcpSocket?: object };
}

/** The parts of a pod that tests look at. */
export interface Pod {
  serviceAccountName?: string;
  automountServiceAccountToken?: boolean;
  initContainers?: Container[];
  containers: [Container, ...Container[]];
  affinity?: { nodeAffinity?: Record<string, unknown> };
  tolerations?: unknown[];
  nodeSelector?: Record<string, string>;
}

/** The pod of a Deployment or Job. */
export function podOf(object: KubernetesObject): Pod {
  return (object.spec as unknown as { template: { spec: Pod } }).template.spec;
}

/** All pods of a rendering. */
export function podsOf(objects: readonly KubernetesObject[]): Pod[] {
  return objects.filter(({ kind }) => ['Deployment', 'Job'].includes(kind)).map(podOf);
}

/** The environment of a pod's main container by name; references to Secrets as `name/key`. */
export function environmentOf({ containers: [{ env = [] }] }: Pod): Record<string, string | undefined> {
  return Object.fromEntries(
    env.map(({ name, value, valueFrom }) => [
      name,
      valueFrom === undefined ? value : `${valueFrom.secretKeyRef.name}/${valueFrom.secretKeyRef.key}`,
    ]),
  );
}
