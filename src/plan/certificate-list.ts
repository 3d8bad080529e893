/** An authority: a self-signed certificate that is distributed in a ConfigMap of the same name (spec/certificates.md §1.1, §1.3). */
export interface Authority {
  name: string;
  /** Of the common name, before `@` and the seconds of its birth. */
  commonNamePrefix: string;
  /** Whose renewBefore decides when it is renewed and how long its predecessor stays trusted. */
  renewal: 'ca' | 'server';
}

/** The authority that signs all leaf certificates and that webhooks and APIServices trust. */
export const SIGNING_AUTHORITY: Authority = {
  name: 'kubevirt-ca',
  commonNamePrefix: 'kubevirt.io',
  renewal: 'ca',
};

/** All authorities; virt-controller signs with the last two itself. */
export const AUTHORITIES: readonly Authority[] = [
  SIGNING_AUTHORITY,
  { name: 'kubevirt-export-ca', commonNamePrefix: 'export.kubevirt.io', renewal: 'server' },
  { name: 'kubevirt-backup-ca', commonNamePrefix: 'backup.kubevirt.io', renewal: 'server' },
];

/** The ConfigMap into which others put authorities that virt-handlers are to trust. */
export const EXTERNAL_AUTHORITIES = 'kubevirt-external-ca';
/** The key of bundles. */
export const BUNDLE_KEY = 'ca-bundle';

/** A certificate that the signing authority signs. */
export interface Leaf {
  usage: 'server' | 'client';
  commonName: string;
  dnsNames: readonly string[];
}

type LeafRule = (namespace: string) => Leaf;

const serverOf =
  (service: string, commonName: (namespace: string) => string): LeafRule =>
  (namespace) => ({
    usage: 'server',
    commonName: commonName(namespace),
    dnsNames: ['', `.${namespace}`, `.${namespace}.svc`, `.${namespace}.svc.cluster.local`].map((s) => service + s),
  });

const podServer = (service: string): LeafRule =>
  serverOf(service, (namespace) => `${service}.${namespace}.pod.cluster.local`);

const nodeServer = (component: string): LeafRule => serverOf(component, () => `kubevirt.io:system:node:${component}`);

const client =
  (name: string): LeafRule =>
  () => ({ usage: 'client', commonName: `kubevirt.io:system:client:${name}`, dnsNames: [] });

/** The Secret that our own webhooks serve with. */
const OPERATOR_CERTIFICATE = 'kubevirt-operator-certs';

/** Leaf certificates by the name of their Secret (spec/certificates.md §1.2). */
const LEAVES: Readonly<Record<string, LeafRule>> = {
  'kubevirt-virt-api-certs': podServer('virt-api'),
  'kubevirt-controller-certs': podServer('virt-controller'),
  'kubevirt-exportproxy-certs': podServer('virt-exportproxy'),
  'kubevirt-virt-handler-server-certs': nodeServer('virt-handler'),
  'kubevirt-virt-handler-migration-client-certs': client('migration'),
  'kubevirt-virt-handler-vsock-client-certs': client('vsock'),
  'kubevirt-virt-handler-monitoring-client-certs': client('monitoring'),
  'kubevirt-virt-handler-certs': client('virt-handler'),
  'kubevirt-synchronization-controller-certs': client('virt-synchronization-controller'),
  'kubevirt-synchronization-controller-server-certs': nodeServer('virt-synchronization-controller'),
  [OPERATOR_CERTIFICATE]: podServer('kubevirt-operator-webhook'),
  'kubevirt-virt-template-api-certs': podServer('virt-template-api-service'),
  'kubevirt-virt-template-webhook-certs': podServer('virt-template-webhook-service'),
  'kubevirt-virt-template-controller-metrics-certs': podServer('virt-template-controller-manager-metrics-service'),
};

/** What goes into the certificate of a Secret. Throws for a Secret that is none of ours: a strategy of an unknown release. */
export function findLeaf(secret: string, namespace: string): Leaf {
  const rule = LEAVES[secret];
  if (rule === undefined) throw new Error(`Secret ${secret}: it is not known which certificate belongs into it`);
  return rule(namespace);
}

/** The authority of a Secret, if it is one. */
export function findAuthority(secret: string): Authority | undefined {
  return AUTHORITIES.find(({ name }) => name === secret);
}
