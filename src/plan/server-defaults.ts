/** A value that the API server fills in. */
export type DefaultedValue = string | number | boolean;

/**
 * Members that the API server adds to specs which do not name them, with the values it then gives; `any` where it chooses one itself.
 * Learnt from comparing the objects that are sent with the objects that come back (Kubernetes 1.27 to 1.36, the kinds of an install strategy).
 */
export const SERVER_DEFAULTS: Readonly<Record<string, readonly DefaultedValue[] | 'any'>> = {
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
  maxSurge: ['25%', 0],
  maxUnavailable: ['25%', 1],
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
  timeoutSeconds: [1, 10, 30],
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
