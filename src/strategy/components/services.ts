import type { JsonObject, KubernetesObject } from '../../api/objects.ts';
import { objectOf } from '../object.ts';
import type { GenerateInput } from '../types.ts';
import { APP_LABEL, CERTIFICATE_SECRET_ANNOTATION, HTTPS_PORT, PROMETHEUS_LABEL, SECRETS, SERVICES } from './names.ts';

const SUBRESOURCES_GROUP = 'subresources.kubevirt.io';

interface ServiceFacts {
  name: string;
  namespace: string;
  labels: Record<string, string>;
  selector: Record<string, string>;
  /** Name of the port and of the container port it leads to; without one, the plain HTTPS port. */
  port?: string;
  isHeadless?: boolean;
}

/** The Services (spec/resources.md §7.1). */
export function buildServices({ target: { namespace }, operatorNamespace }: GenerateInput): KubernetesObject[] {
  const scraped = { [PROMETHEUS_LABEL]: 'true' };
  const shared = { [APP_LABEL]: '', ...scraped };
  return [
    {
      name: 'kubevirt-prometheus-metrics',
      namespace,
      labels: shared,
      selector: scraped,
      port: 'metrics',
      isHeadless: true,
    },
    componentService(SERVICES.api, namespace),
    {
      name: SERVICES.operatorWebhook,
      namespace: operatorNamespace,
      labels: shared,
      selector: { [APP_LABEL]: 'virt-operator' },
      port: 'webhooks',
    },
    componentService(SERVICES.exportProxy, namespace),
  ].map(service);
}

const componentService = (name: string, namespace: string): ServiceFacts => ({
  name,
  namespace,
  labels: { [APP_LABEL]: name },
  selector: { [APP_LABEL]: name },
});

function service({ name, namespace, labels, selector, port, isHeadless }: ServiceFacts): KubernetesObject {
  const named: JsonObject = port === undefined ? { targetPort: HTTPS_PORT } : { name: port, targetPort: port };
  const spec = {
    type: 'ClusterIP',
    ...(isHeadless && { clusterIP: 'None' }),
    selector,
    ports: [{ ...named, port: 443, protocol: 'TCP' }],
  };
  return objectOf('Service', { name, namespace, labels }, { spec });
}

/** The APIServices that lead subresource calls to virt-api, one per version (spec/resources.md §7.2). */
export function buildApiServices({ target: { namespace } }: GenerateInput): KubernetesObject[] {
  return ['v1', 'v1alpha3'].map((version) => {
    const metadata = {
      name: `${version}.${SUBRESOURCES_GROUP}`,
      labels: { [APP_LABEL]: 'virt-api-aggregator' },
      annotations: { [CERTIFICATE_SECRET_ANNOTATION]: SECRETS.api },
    };
    const service = { name: SERVICES.api, namespace };
    const priorities = { groupPriorityMinimum: 1000, versionPriority: 15 };
    return objectOf('APIService', metadata, { spec: { group: SUBRESOURCES_GROUP, version, service, ...priorities } });
  });
}
