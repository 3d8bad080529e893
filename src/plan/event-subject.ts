import type { KubeVirt } from '../api/kubevirt.ts';
import type { PlannedEvent } from './types.ts';

/** The KubeVirt object, as an Event names what it is about. */
export function eventSubject({ apiVersion, kind, metadata }: KubeVirt): PlannedEvent['about'] {
  const { name = '', namespace, uid } = metadata;
  return {
    apiVersion,
    kind,
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(uid === undefined ? {} : { uid }),
  };
}
