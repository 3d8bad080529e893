import { quantile, type Figure } from './figure.ts';
import { openInstallation, until, type Installation } from './installation.ts';

const SAMPLES = 500;
const SERVICE = '/api/v1/namespaces/kubevirt/services/virt-exportproxy';

/** Milliseconds from a change of a managed object to the start of the pass that it causes. */
async function sampleOnce({ plane, passes }: Installation, sample: number): Promise<number> {
  const changedAt = Date.now();
  const patch = { metadata: { labels: { 'app.kubernetes.io/component': `drift-${sample}` } } };
  const changed = await plane.api.expect('PATCH', SERVICE, patch, 'application/merge-patch+json');
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
