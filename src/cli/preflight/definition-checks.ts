import type { JsonObject, KubernetesObject } from '../../api/objects.ts';
import { isEstablished } from '../../plan/stuck-definitions.ts';
import type { Check, Finding } from './finding.ts';
import type { Facts } from './facts.ts';

/** CRDs that are being deleted, that are not served, or whose stored objects a release does not know any more (spec/field-reports.md B05, B20). */
export function checkDefinitions({ definitions, strategy }: Facts): ReturnType<Check> {
  const wanted = new Map(
    (strategy?.ofKind('CustomResourceDefinition') ?? []).map((definition) => [definition.metadata.name, definition]),
  );
  return definitions.flatMap((live) => {
    const finding = checkDying(live) ?? checkServed(live) ?? checkStoredVersions(live, wanted.get(live.metadata.name));
    return finding === undefined ? [] : [finding];
  });
}

type Found = Omit<Finding, 'check'> | undefined;

function checkDying({ metadata, status }: KubernetesObject): Found {
  if (metadata.deletionTimestamp === undefined) return undefined;
  const conditions = (status?.['conditions'] ?? []) as JsonObject[];
  const { message } = conditions.find(({ type }) => type === 'Terminating') ?? {};
  const held = (metadata.finalizers ?? []).join(', ');
  return {
    level: 'problem',
    text: `${metadata.name ?? ''} is being deleted and held by ${held}${typeof message === 'string' ? `: ${message}` : ''}`,
    remedy: `look for objects that are left: kubectl get ${metadata.name ?? ''} --all-namespaces`,
  };
}

function checkServed(live: KubernetesObject): Found {
  if (isEstablished(live)) return undefined;
  const conditions = (live.status?.['conditions'] ?? []) as JsonObject[];
  const clash = conditions.find(({ type, status }) => type === 'NamesAccepted' && status === 'False');
  const reason = typeof clash?.['message'] === 'string' ? `: ${clash['message']}` : '';
  return { level: 'warning', text: `${live.metadata.name ?? ''} is not served yet${reason}` };
}

function checkStoredVersions(live: KubernetesObject, wanted: KubernetesObject | undefined): Found {
  if (wanted === undefined) return undefined;
  const known = ((wanted.spec?.['versions'] ?? []) as { name: string }[]).map(({ name }) => name);
  const lost = ((live.status?.['storedVersions'] ?? []) as string[]).filter((version) => !known.includes(version));
  if (lost.length === 0) return undefined;
  const { name = '' } = live.metadata;
  return {
    level: 'problem',
    text: `${name} has stored objects in version ${lost.join(', ')}, which the release does not have any more`,
    remedy: 'write these objects anew in a version that stays, then take the old one out of status.storedVersions',
  };
}
