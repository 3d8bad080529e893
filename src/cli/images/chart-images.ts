import { readFile } from 'node:fs/promises';

import type { KubernetesObject } from '../../api/objects.ts';

/** Where the chart lies, seen from the sources and from what is built from them. */
const PLACES = ['../../../charts/virt-operator/', '../../../../charts/virt-operator/'];

interface Values {
  image: { registry: string; repository: string; tag: string };
  redis: { enabled: boolean; image: string };
}

/**
 * The pods that the chart brings with it when nothing is set: the operator, which its hooks run as well, and Redis. Undefined where there is no chart, as in
 * the operator's own image.
 */
export async function readChartDefaults(): Promise<KubernetesObject[] | undefined> {
  const { parse } = await import('yaml');
  for (const place of PLACES) {
    const read = async (file: string) =>
      parse(await readFile(new URL(place + file, import.meta.url), 'utf8')) as unknown;
    try {
      const [values, chart] = await Promise.all([read('values.yaml'), read('Chart.yaml')]);
      return buildPods(values as Values, (chart as { appVersion: string }).appVersion);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  return undefined;
}

function buildPods({ image, redis }: Values, appVersion: string): KubernetesObject[] {
  const { registry, repository, tag } = image;
  const reference = `${registry === '' ? '' : `${registry}/`}${repository}:${tag || appVersion}`;
  return [
    buildDeployment('virt-operator', reference),
    ...(redis.enabled ? [buildDeployment('kubevirt-redis', redis.image)] : []),
  ];
}

function buildDeployment(name: string, image: string): KubernetesObject {
  const spec = { template: { spec: { containers: [{ name, image }] } } };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name }, spec };
}
