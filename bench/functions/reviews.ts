/** A review as an API server sends it, in one piece. */
function buildReview(operation: 'UPDATE' | 'DELETE', objects: object): string {
  const kind = { group: 'kubevirt.io', version: 'v1', kind: 'KubeVirt' };
  const resource = { group: 'kubevirt.io', version: 'v1', resource: 'kubevirts' };
  return JSON.stringify({
    kind: 'AdmissionReview',
    apiVersion: 'admission.k8s.io/v1',
    request: {
      uid: '705ab4f5-6393-11e8-b7cc-42010a800002',
      kind,
      resource,
      requestKind: kind,
      requestResource: resource,
      name: 'kubevirt',
      namespace: 'kubevirt',
      operation,
      userInfo: { username: 'admin', groups: ['system:authenticated'] },
      object: null,
      oldObject: null,
      dryRun: false,
      options: { kind: `${operation === 'UPDATE' ? 'Update' : 'Delete'}Options`, apiVersion: 'meta.k8s.io/v1' },
      ...objects,
    },
  });
}

/** An installation of medium size: what people set, and a status as after a first roll-out. */
function buildKubeVirt(spec: object): object {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'KubeVirt',
    metadata: { name: 'kubevirt', namespace: 'kubevirt', uid: 'a', resourceVersion: '1', generation: 2 },
    spec: {
      imagePullPolicy: 'IfNotPresent',
      workloadUpdateStrategy: { workloadUpdateMethods: ['LiveMigrate'] },
      certificateRotateStrategy: { selfSigned: { ca: { duration: '168h' }, server: { duration: '24h' } } },
      customizeComponents: {
        patches: [
          { resourceType: 'Deployment', resourceName: 'virt-api', type: 'merge', patch: '{"spec":{"replicas":3}}' },
        ],
      },
      ...spec,
    },
    status: {
      phase: 'Deployed',
      conditions: ['Available', 'Progressing', 'Degraded', 'Created'].map((type) => ({ type, status: 'True' })),
      generations: Array.from({ length: 60 }, (_, index) => ({
        group: 'apps',
        resource: 'deployments',
        name: `object-${index}`,
        namespace: 'kubevirt',
        lastGeneration: index,
        hash: 'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c',
      })),
    },
  };
}

const placed = (zone: string, featureGates: string[]) => ({
  infra: { nodePlacement: { nodeSelector: { zone } } },
  workloads: { nodePlacement: { nodeSelector: { zone } } },
  configuration: { developerConfiguration: { featureGates } },
});

/** The four kinds of review whose time is measured. */
export const REVIEWS = {
  /** The spec changes, the placements do not: every rule runs, nobody is asked. */
  updateUnchangedPlacement: buildReview('UPDATE', {
    oldObject: buildKubeVirt(placed('a', ['Sidecar'])),
    object: buildKubeVirt(placed('a', ['Sidecar', 'HostDisk'])),
  }),
  /** Two dry runs. */
  updateChangedPlacement: buildReview('UPDATE', {
    oldObject: buildKubeVirt(placed('a', ['Sidecar'])),
    object: buildKubeVirt(placed('b', ['Sidecar'])),
  }),
  deleteRemoveWorkloads: buildReview('DELETE', { oldObject: buildKubeVirt({ uninstallStrategy: 'RemoveWorkloads' }) }),
  /** One look for instances, one for machines. */
  deleteBlock: buildReview('DELETE', {
    oldObject: buildKubeVirt({ uninstallStrategy: 'BlockUninstallIfWorkloadsExist' }),
  }),
};
