import type { OperatorMetrics } from '../../functions/metrics/operator-metrics.ts';
import type { Enqueue } from '../api/causes.ts';
import type { ObjectStore } from '../api/store.ts';
import { errorText } from '../errors.ts';
import { readServedCertificate } from '../observe/served-certificate.ts';
import { ServedCertificates, type ServedCertificatesOptions } from '../worker/served-certificates.ts';
import type { RoleContext } from './role.ts';

/** The look-out for operands that serve an old certificate; undefined where operands cannot be reached. */
export function openOperandCertificates(parts: {
  context: Pick<RoleContext, 'config' | 'log'>;
  store: ServedCertificatesOptions['store'];
  metrics: OperatorMetrics;
  /** Default: those of production. */
  times?: ServedCertificatesOptions['times'];
}): ServedCertificates | undefined {
  const { context, store, metrics, times } = parts;
  const { config, log } = context;
  if (!config.asksOperands) return undefined;
  const { operatorNamespace } = config;
  const served = new ServedCertificates({ store, operatorNamespace, read: readServedCertificate, times, log });
  metrics.own.followOutdatedCertificates(operatorNamespace, () => served.counts());
  return served;
}

/** Keeps the look-out while this process leads; what it finds is told by a pass over every KubeVirt object. */
export function watchOperandCertificates(
  served: ServedCertificates,
  parts: { context: Pick<RoleContext, 'log'>; store: Pick<ObjectStore, 'list'>; add: Enqueue; signal: AbortSignal },
): void {
  const { context, store, add, signal } = parts;
  const onChange = () => {
    for (const { metadata } of store.list('KubeVirt')) {
      const note = 'certificates that operands serve';
      const key = `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
      add(key, { type: 'requested', note, at: Date.now() }).catch((error: unknown) => {
        context.log.warn({ key, reason: errorText(error) }, 'a pass about the certificates of operands is not queued');
      });
    }
  };
  served.watch({ signal, onChange });
}
