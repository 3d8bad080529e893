import { join } from 'node:path';
import type { PkiFiles } from './certificates.ts';

/** Everything the command lines of the control plane need. */
export interface Layout {
  directory: string;
  apiPort: number;
  /** URL of the API server. */
  server: string;
  pki: PkiFiles;
  /** Unix socket of the egress proxy. */
  egressSocket: string;
  auditLog: string;
  nodes: number;
  /** Paths of the kubeconfig files. */
  kubeconfigs: { admin: string; controllerManager: string; scheduler: string; kwok: string };
}

/** Addresses of Services; nothing routes them, the egress proxy looks them up. */
export const SERVICE_RANGE = '10.96.0.0/16';

/**
 * Endpoint of etcd. A Unix socket needs no port; the number after `localhost:` is part of its name, by etcd's rule for unix URLs, and the socket lies in
 * the working directory of whoever uses it.
 */
export function etcdEndpoint(name: 'client' | 'peer'): string {
  return `unix://localhost:${name === 'client' ? 1 : 2}`;
}

/** Flags of etcd: no fsync, since nothing of a sandbox outlives it (spec/sandbox.md). */
export function etcdArgs(directory: string): string[] {
  return [
    '--name=sandbox',
    `--data-dir=${join(directory, 'etcd')}`,
    '--unsafe-no-fsync',
    `--listen-client-urls=${etcdEndpoint('client')}`,
    `--advertise-client-urls=${etcdEndpoint('client')}`,
    `--listen-peer-urls=${etcdEndpoint('peer')}`,
    `--initial-advertise-peer-urls=${etcdEndpoint('peer')}`,
    `--initial-cluster=sandbox=${etcdEndpoint('peer')}`,
    '--log-level=warn',
  ];
}

/** Flags of kube-apiserver (spec/sandbox.md "Starting it"). */
export function apiServerArgs(layout: Layout): string[] {
  const { pki, directory } = layout;
  return [
    `--etcd-servers=${etcdEndpoint('client')}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    `--secure-port=${layout.apiPort}`,
    '--endpoint-reconciler-type=none',
    `--service-cluster-ip-range=${SERVICE_RANGE}`,
    '--authorization-mode=RBAC',
    // virt-handler is privileged.
    '--allow-privileged=true',
    // Nodes would stay tainted until the node controller has seen them ready; here they are ready as soon as kwok runs.
    '--disable-admission-plugins=TaintNodesByCondition',
    `--cert-dir=${join(directory, 'pki')}`,
    `--tls-cert-file=${pki.server.cert}`,
    `--tls-private-key-file=${pki.server.key}`,
    `--client-ca-file=${pki.ca}`,
    `--requestheader-client-ca-file=${pki.frontProxyCa}`,
    '--requestheader-allowed-names=front-proxy-client',
    '--requestheader-username-headers=X-Remote-User',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
    `--proxy-client-cert-file=${pki.frontProxy.cert}`,
    `--proxy-client-key-file=${pki.frontProxy.key}`,
    '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
    `--service-account-key-file=${pki.serviceAccount.publicKey}`,
    `--service-account-signing-key-file=${pki.serviceAccount.privateKey}`,
    `--egress-selector-config-file=${join(directory, 'egress.yaml')}`,
    `--audit-policy-file=${join(directory, 'audit-policy.yaml')}`,
    `--audit-log-path=${layout.auditLog}`,
    '--profiling=false',
    // A restart is part of many tests: watches are cut at once.
    '--shutdown-delay-duration=0s',
  ];
}

/**
 * Flags of kube-controller-manager. The request rates are raised: a cluster of fake nodes shall be limited by what it does, not by the defaults
 * meant for large ones. All controllers use one identity with all rights, unlike in a real cluster: a restarted API server refuses others until it has
 * read the roles again, and each refusal would make them wait longer.
 */
export function controllerManagerArgs({ kubeconfigs, pki, nodes }: Layout): string[] {
  return [
    `--kubeconfig=${kubeconfigs.controllerManager}`,
    '--leader-elect=false',
    '--secure-port=0',
    `--service-account-private-key-file=${pki.serviceAccount.privateKey}`,
    `--root-ca-file=${pki.ca}`,
    `--service-cluster-ip-range=${SERVICE_RANGE}`,
    '--kube-api-qps=200',
    '--kube-api-burst=400',
    `--node-monitor-grace-period=${5 * leaseSeconds(nodes)}s`,
    '--profiling=false',
  ];
}

/** Flags of kube-scheduler. */
export function schedulerArgs({ kubeconfigs }: Layout): string[] {
  return [
    `--kubeconfig=${kubeconfigs.scheduler}`,
    '--leader-elect=false',
    '--secure-port=0',
    '--kube-api-qps=200',
    '--kube-api-burst=400',
  ];
}

/** Flags of kwok, which plays the kubelets; `stages` is the file with what it does to nodes and pods. */
export function kwokArgs({ kubeconfigs, nodes }: Layout, stages: string): string[] {
  return [
    `--kubeconfig=${kubeconfigs.kwok}`,
    '--manage-all-nodes=true',
    `--config=${stages}`,
    '--node-ip=127.0.0.1',
    // Room for the pods of a thousand nodes.
    '--cidr=10.128.0.0/9',
    `--node-lease-duration-seconds=${leaseSeconds(nodes)}`,
  ];
}

/** Leases are renewed four times in their life: many nodes get a long one, or their renewals would load the machine. */
function leaseSeconds(nodes: number): number {
  return nodes <= 10 ? 40 : 600;
}

/** Sends the API server's calls to Services, of webhooks and aggregated APIs, through the proxy at `socket`. */
export function egressConfiguration(socket: string): string {
  return `apiVersion: apiserver.k8s.io/v1beta1
kind: EgressSelectorConfiguration
egressSelections:
  - name: cluster
    connection:
      proxyProtocol: HTTPConnect
      transport:
        uds:
          udsName: ${socket}
`;
}

/** One line per finished request, without bodies: enough to count requests by User-Agent. */
export const AUDIT_POLICY = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
  - level: Metadata
    omitManagedFields: true
`;
