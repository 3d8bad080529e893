import { isDeepStrictEqual } from 'node:util';
import type { ApiClient } from '../sandbox/api-client.ts';
import type { ApiObject } from '../sandbox/api-object.ts';
import { isWrite, readRequests } from './audit-log.ts';
import type { Figure } from './figure.ts';
import { until, type Installation } from './installation.ts';

const REST_MS = 1500;

/** One object per way in which objects are compared and written; without a patch it is deleted. */
const DRIFTS: readonly { path: string; patch?: object }[] = [
  { path: '/apis/apps/v1/namespaces/kubevirt/deployments/virt-controller', patch: { spec: { replicas: 1 } } },
  { path: '/apis/rbac.authorization.k8s.io/v1/clusterroles/kubevirt.io:view', patch: { rules: [] } },
  { path: '/api/v1/namespaces/kubevirt/services/virt-api', patch: { metadata: { labels: { 'kubevirt.io': null } } } },
  {
    path: '/apis/instancetype.kubevirt.io/v1beta1/virtualmachineclusterinstancetypes/u1.small',
    patch: { spec: { cpu: { guest: 7 } } },
  },
  { path: '/api/v1/namespaces/kubevirt/secrets/kubevirt-exportproxy-certs' },
  { path: '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/virt-api-validator' },
  { path: '/apis/policy/v1/namespaces/kubevirt/poddisruptionbudgets/virt-api-pdb' },
];

/** What a person sees of an object when it is as it was: its labels and its content; keys and their texts come anew. */
function contentOf({ metadata, data = {}, ...content }: ApiObject): object {
  const rest = Object.entries(content).filter(([field]) => field !== 'status');
  return { ...Object.fromEntries(rest), labels: metadata?.labels ?? {}, keys: Object.keys(data as object).sort() };
}

const read = async (api: ApiClient, path: string) => contentOf(await api.expect('GET', path));

/** Harms one object; seconds until it is as it was, and the operator's writes of managed objects for it. */
async function restore(installation: Installation, { path, patch }: (typeof DRIFTS)[number]) {
  const { plane } = installation;
  const { api } = plane;
  const want = await read(api, path);
  const at = Date.now();
  if (patch === undefined) await api.expect('DELETE', path);
  else await api.expect('PATCH', path, patch, 'application/merge-patch+json');
  await until(`${path} is as it was`, async () => {
    const { status, body } = await api.call('GET', path);
    return status === 200 && isDeepStrictEqual(contentOf(body), want);
  });
  const seconds = (Date.now() - at) / 1000;
  await installation.untilRest(REST_MS);
  const since = (await readRequests(plane.auditLog, 'virt-operator/')).filter((request) => request.at >= at);
  const writes = since.filter((request) => isWrite(request) && !['kubevirts', 'events'].includes(request.resource));
  return { seconds, writes: writes.length };
}

/** Managed objects edited or deleted by hand. */
export async function measureDrift(installation: Installation): Promise<Figure[]> {
  const restored = [];
  for (const drift of DRIFTS) restored.push(await restore(installation, drift));
  const most = (values: readonly number[]) => Math.max(...values);
  const [name, counted] = [`edited or deleted by hand → as it was (${DRIFTS.length} kinds, most)`, 'writes for each'];
  return [
    { name, value: most(restored.map(({ seconds }) => seconds)), unit: 's', must: 2 },
    { name: `${counted} (most)`, value: most(restored.map(({ writes }) => writes)), unit: '', must: 1 },
  ];
}
