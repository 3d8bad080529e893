import type { ApiClient } from '../../../sandbox/api-client.ts';
import { asKubeVirt, type KubeVirt } from '../../../src/api/kubevirt.ts';
import { KUBEVIRT_PATH } from '../install/harness.ts';

/** Every state that the KubeVirt objects of the operator's namespace have gone through, oldest first. */
export interface KubeVirtLog {
  states: readonly KubeVirt[];
  stop(): Promise<void>;
}

/** Begins to record. */
export function recordKubeVirts(api: ApiClient): KubeVirtLog {
  const ending = new AbortController();
  const states: KubeVirt[] = [];
  const follow = async () => {
    for await (const { type, object } of api.watch(`${KUBEVIRT_PATH}?watch=true`, ending.signal)) {
      if (type !== 'DELETED') states.push(asKubeVirt(object));
    }
  };
  const following = follow();
  return {
    states,
    stop: async () => {
      ending.abort();
      await following;
    },
  };
}

/** Status of a condition in one state: `True`, `False`, or undefined when there is no such condition. */
export function statusOf({ status }: KubeVirt, type: string): string | undefined {
  return (status?.conditions ?? []).find((condition) => condition.type === type)?.status;
}
