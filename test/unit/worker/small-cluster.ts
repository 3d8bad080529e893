import type { KindName } from '../../../src/api/kinds.ts';
import type { KubernetesObject } from '../../../src/api/objects.ts';

/** A store that a test changes. */
export class SmallCluster {
  readonly objects = new Map<string, KubernetesObject>();
  readonly listeners = new Set<() => void>();

  put(kind: KindName, name: string, more: Partial<KubernetesObject>): void {
    const metadata = { name, namespace: 'kubevirt', ...more.metadata };
    this.objects.set(`${kind}/${name}`, { apiVersion: 'v1', kind, ...more, metadata });
    for (const listener of this.listeners) listener();
  }

  setCertificate(secret: string, certificatePem: string): void {
    this.put('Secret', secret, { data: { 'tls.crt': Buffer.from(certificatePem).toString('base64') } });
  }

  get(kind: KindName, name: string) {
    return this.objects.get(`${kind}/${name}`);
  }

  list(kind: KindName) {
    return [...this.objects.values()].filter((object) => object.kind === kind);
  }

  onChange(listener: () => void) {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
