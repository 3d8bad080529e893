import type { KubeVirtCondition } from '../api/kubevirt.ts';
import type { JsonObject, KubernetesObject } from '../api/objects.ts';
import type { RunReport } from '../apply/execute.ts';
import { errorText } from '../errors.ts';
import { readKeyPair } from '../plan/certificate.ts';
import { findAuthority } from '../plan/certificate-list.ts';
import { readCertificateDeadlines, type CertificateDeadline } from '../plan/certificates.ts';
import { listWantedWorkloads } from '../plan/completeness.ts';
import { hasTargetAnnotations } from '../plan/metadata.ts';
import { isDaemonSetReady, isDeploymentReady, isPodCrashing } from '../plan/rollout.ts';
import type { PassContext, World } from '../plan/types.ts';
import type { CertificateState, ComponentState, Situation } from '../queue/situation.ts';
import { decideTarget } from '../strategy/target.ts';
import type { TargetDeployment } from '../strategy/types.ts';
import type { PassState, ReconcileParts } from './pass.ts';

/** Tells people where the object of a pass stands. Neither waits nor fails: a display is no reason to. */
export function tellSituation(pass: PassState, report: Subject['report'] = pass.report): void {
  try {
    const subject = report === undefined ? pass : { ...pass, report };
    void pass.parts.situations.write(describeSituation(subject));
  } catch (error) {
    pass.log.warn({ reason: errorText(error) }, 'the situation cannot be shown');
  }
}

/** The part of a pass that a situation is read from. */
export interface Subject extends Pick<PassState, 'key' | 'kubeVirt'> {
  report?: Pick<RunReport, 'stopped' | 'context'> & { step?: string };
  observed: Pick<PassState['observed'], 'others'>;
  parts: Pick<ReconcileParts, 'release'> & { store: World };
}

/** Where the object of a pass stands, from what the pass has seen and written. Pure. */
export function describeSituation(pass: Subject): Situation {
  const { key, kubeVirt, parts, report } = pass;
  const { status = {} } = kubeVirt;
  const target = decideTarget(kubeVirt, parts.release);
  const world = findWorld(pass);
  return {
    key,
    phase: status.phase ?? '',
    version: { target: target.kubeVirtVersion, observed: status.observedKubeVirtVersion ?? '' },
    conditions: (status.conditions ?? []).map(describeCondition),
    ...describeStep(report),
    components: describeComponents(world, target, report?.context),
    certificates: describeCertificates(world, report?.context),
  };
}

function describeStep({ step, stopped }: Partial<NonNullable<Subject['report']>> = {}) {
  const waiting = stopped === undefined ? {} : { waiting: { step: stopped.step, awaited: stopped.awaited } };
  return { ...(step === undefined ? {} : { step }), ...waiting };
}

const NOTHING: World = { get: () => undefined, list: () => [] };

/** After a pass that ended before its steps, the caches; where there are two KubeVirt objects, what is installed may be the other one's. */
function findWorld({ report, observed, parts }: Subject): World {
  if (report !== undefined) return report.context.world;
  return observed.others.length === 0 ? parts.store : NOTHING;
}

function describeCondition(condition: KubeVirtCondition): Situation['conditions'][number] {
  const { type, status, reason = '', message = '', lastTransitionTime } = condition;
  const since = Date.parse(lastTransitionTime ?? '');
  return { type, status, reason, message, ...(Number.isNaN(since) ? {} : { since }) };
}

function describeComponents(world: World, target: TargetDeployment, context?: PassContext): ComponentState[] {
  const live = [...world.list('Deployment'), ...world.list('DaemonSet')];
  const names = new Set(live.map(nameOf));
  const missing = context === undefined ? [] : listWantedWorkloads(context).filter((each) => !names.has(nameOf(each)));
  const components = [
    ...live.map((workload) => describeWorkload(workload, world, target)),
    ...missing.map((workload) => ({ ...describeNumbers(workload), crashing: 0, state: 'missing' as const })),
  ];
  return components.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function describeWorkload(workload: KubernetesObject, world: World, target: TargetDeployment): ComponentState {
  const { name = '', namespace } = workload.metadata;
  const pods = world.list('Pod').filter(({ metadata }) => {
    return metadata.namespace === namespace && metadata.name?.startsWith(`${name}-`) === true;
  });
  return {
    ...describeNumbers(workload),
    crashing: pods.filter(isPodCrashing).length,
    state: decideState(workload, world, target),
  };
}

function describeNumbers({ kind, metadata, spec = {}, status = {} }: KubernetesObject) {
  const name = metadata.name ?? '';
  if (kind === 'DaemonSet') {
    const wanted = numberOf(status, 'desiredNumberScheduled');
    const [updated, ready] = [numberOf(status, 'updatedNumberScheduled'), numberOf(status, 'numberReady')];
    return { kind: 'DaemonSet' as const, name, wanted, updated, ready };
  }
  const wanted = numberOf(spec, 'replicas', 1);
  const [updated, ready] = [numberOf(status, 'updatedReplicas'), numberOf(status, 'readyReplicas')];
  return { kind: 'Deployment' as const, name, wanted, updated, ready };
}

function decideState(workload: KubernetesObject, world: World, target: TargetDeployment): ComponentState['state'] {
  const { annotations, deletionTimestamp } = workload.metadata;
  if (deletionTimestamp !== undefined) return 'removing';
  if (!hasTargetAnnotations(annotations, target)) return 'outdated';
  const isReady = workload.kind === 'DaemonSet' ? isDaemonSetReady : isDeploymentReady;
  return isReady(workload, world, target) ? 'ready' : 'rolling';
}

function describeCertificates(world: World, context?: PassContext): CertificateState[] {
  const deadlines = context === undefined ? [] : findDeadlines(context);
  const renewals = new Map(deadlines.map(({ secret, renewsAt }) => [secret, renewsAt.getTime()]));
  const certificates = world.list('Secret').flatMap((secret) => {
    const certificate = readKeyPair(secret)?.certificate;
    return certificate === undefined ? [] : [{ name: secret.metadata.name ?? '', certificate }];
  });
  return certificates
    .map(({ name, certificate: { notBefore, notAfter } }) => {
      const renewsAt = renewals.get(name);
      return {
        secret: name,
        isAuthority: findAuthority(name) !== undefined,
        notBefore: notBefore.getTime(),
        notAfter: notAfter.getTime(),
        ...(renewsAt === undefined ? {} : { renewsAt }),
      };
    })
    .sort((a, b) => (a.secret < b.secret ? -1 : 1));
}

/** None while the lifetimes in the object cannot be read: its conditions tell that. */
function findDeadlines(context: PassContext): CertificateDeadline[] {
  try {
    return readCertificateDeadlines(context);
  } catch {
    return [];
  }
}

function nameOf({ kind, metadata }: KubernetesObject): string {
  return `${kind}/${metadata.name ?? ''}`;
}

function numberOf(fields: JsonObject, name: string, missing = 0): number {
  const value = fields[name];
  return typeof value === 'number' ? value : missing;
}
