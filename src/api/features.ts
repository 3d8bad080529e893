/** Which optional APIs the cluster serves (spec/startup.md §4.2). */
export interface ClusterFeatures {
  openshift: boolean;
  serviceMonitor: boolean;
  prometheusRule: boolean;
  validatingAdmissionPolicy: boolean;
  validatingAdmissionPolicyBinding: boolean;
}
