import type { ApiObject } from '../sandbox/api-object.ts';
import { quantile, type Figure } from './figure.ts';
import { openInstallation, until, type Installation } from './installation.ts';

const SAMPLES = 500;
const SERVICE = '/api/v1/namespaces/kubevirt/services/virt-exportproxy';

const LABEL = 'app.kubernetes.io/component';

function change({ plane }: Installation, value: string): Promise<ApiObject> {
  const patch = { metadata: { labels: { [LABEL]: value } } };
  return plane.api.expect('PATCH', SERVICE, patch, 'application/merge-patch+json');
}

/**
 * Waits for the pass that takes in all that the installation has left to look at: it keeps the first fifty of its causes alone, so that a change which it
 * answers need not be among them.
 */
async function untilCaughtUp(installation: Installation): Promise<void> {
  await change(installation, 'before-the-samples');
  await until('the installation is as it should be', async () => {
    const { metadata } = await installation.plane.api.expect('GET', SERVICE);
    return metadata?.labels?.[LABEL] === 'kubevirt';
  });
}

/** Milliseconds from a change of a managed object to the start of the pass that it causes. */
async function sampleOnce(installation: Installation, sample: number): Promise<number> {
  const { passes } = installation;
  const changedAt = Date.now();
  const changed = await change(installation, `drift-${sample}`);
  const version = changed.metadata?.resourceVersion;
  let startedAt = 0;
  await until('a pass answers the change', async () => {
    const caused = (await passes.read(5)).find(({ causes }) =>
      causes.some((cause) => cause.kind === 'Service' && cause.resourceVersion === version),
    );
    startedAt = caused?.startedAt ?? 0;
    return caused !== undefined;
  });
  return startedAt - changedAt;
}

/** Change at the API server → start of its pass. Each pass mends the change, so the next sample is owed no distance (design decision 2). */
export async function measureReaction(): Promise<Figure[]> {
  const installation = await openInstallation();
  try {
    const operator = await installation.startOperator('all');
    installation.plane.setWebhookPorts([operator.webhookPort]);
    await installation.createKubeVirt();
    await installation.untilDeployed();
    await untilCaughtUp(installation);
    const samples: number[] = [];
    for (let sample = 0; sample < SAMPLES; sample++) samples.push(await sampleOnce(installation, sample));
    return [
      { name: `change → start of its pass, ${SAMPLES} samples, median`, value: quantile(samples, 0.5), unit: 'ms' },
      {
        name: `change → start of its pass, ${SAMPLES} samples, p99`,
        value: quantile(samples, 0.99),
        unit: 'ms',
        must: 50,
      },
    ];
  } finally {
    await installation.stop();
  }
}
