/** A value that the API server fills in. */
type DefaultedValue = string | number | boolean;

/** What the API server may fill in for a member; `any` where it chooses a value itself. */
export type Defaults = readonly DefaultedValue[] | 'any';

/**
 * Members that the API server adds to specs which do not name them, with the values it then gives.
 * Learnt from comparing the objects that are sent with the objects that come back (Kubernetes 1.27 to 1.36, the kinds of an install strategy).
 */
const ANYWHERE: Readonly<Record<string, Defaults>> = {
  // Services
  clusterIP: 'any',
  clusterIPs: 'any',
  ipFamilies: 'any',
  ipFamilyPolicy: 'any',
  internalTrafficPolicy: ['Cluster'],
  sessionAffinity: ['None'],
  protocol: ['TCP'],
  targetPort: 'any',

  // Deployments and DaemonSets
  type: ['RollingUpdate', 'ClusterIP'],
  progressDeadlineSeconds: [600],
  revisionHistoryLimit: [10],
  minReadySeconds: [0],

  // Pods
  dnsPolicy: ['ClusterFirst'],
  restartPolicy: ['Always'],
  schedulerName: ['default-scheduler'],
  serviceAccount: 'any',
  terminationGracePeriodSeconds: [30],
  terminationMessagePath: ['/dev/termination-log'],
  terminationMessagePolicy: ['File'],
  imagePullPolicy: ['IfNotPresent', 'Always'],
  apiVersion: ['v1'],
  defaultMode: [420],
  scheme: ['HTTP'],
  path: ['/'],
  failureThreshold: [3],
  successThreshold: [1],
  periodSeconds: [10],
  timeoutSeconds: [10, 30],
  readOnly: [false],
  recursiveReadOnly: ['Disabled'],
  optional: [false],

  // Webhooks, policies, APIServices
  port: [443],
  matchPolicy: ['Equivalent'],
  reinvocationPolicy: ['Never'],
  scope: ['*'],
  failurePolicy: ['Fail'],
  sideEffects: ['Unknown'],
  insecureSkipTLSVerify: [false],

  // CustomResourceDefinitions
  strategy: ['None'],
  singular: 'any',
  listKind: 'any',
  preserveUnknownFields: [false],

  // Routes and monitors
  host: 'any',
  wildcardPolicy: ['None'],
  weight: [100],
  scrapeTimeout: [''],

  // PodDisruptionBudgets
  unhealthyPodEvictionPolicy: ['IfHealthyBudget'],
};

const PROBE: Readonly<Record<string, Defaults>> = { timeoutSeconds: [1] };

/** Where the same name has another default: by the end of the path of what the member stands in. A value that is a default elsewhere was put there by somebody. */
const WITHIN: Readonly<Record<string, Readonly<Record<string, Defaults>>>> = {
  livenessProbe: PROBE,
  readinessProbe: PROBE,
  startupProbe: PROBE,
  // Of Deployments, and of DaemonSets.
  'strategy.rollingUpdate': { maxSurge: ['25%'], maxUnavailable: ['25%'] },
  'updateStrategy.rollingUpdate': { maxSurge: [0], maxUnavailable: [1] },
};

/** What the API server may fill in for `member` of what stands at `path`: names joined by dots, empty at the top and anew in lists. */
export function findDefaults(member: string, path: string): Defaults {
  const place = Object.keys(WITHIN).find((end) => path === end || path.endsWith(`.${end}`));
  return WITHIN[place ?? '']?.[member] ?? ANYWHERE[member] ?? [];
}
