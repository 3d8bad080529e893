/** A process that serves admission over TLS and tells its port: something to attack with a heap that is small. */
import { createSchemaCheck } from '../../../functions/kubevirt-schema.ts';
import { startServer } from '../../../functions/server.ts';
import { createValidateUpdate } from '../../../functions/validate-update/index.ts';
import { createLog } from '../../../src/log.ts';
import { buildKubeVirtCrd } from '../../../src/strategy/components/kubevirt-crd.ts';

const log = createLog({ role: 'test', verbosity: 0 });
const findSchemaProblems = createSchemaCheck(buildKubeVirtCrd);
const checkPlacement = () => Promise.resolve(undefined);
const { webhookPort } = await startServer({
  host: '127.0.0.1',
  port: 0,
  metrics: [],
  webhooks: {
    port: 0,
    routers: [createValidateUpdate({ checkPlacement, findSchemaProblems, log })],
    clientPolicy: () => ({ allowedNames: undefined, required: false }),
  },
  inputs: () => ({ secret: undefined, kubeVirt: undefined }),
  onChange: () => () => undefined,
  now: () => new Date(),
  log,
});
process.send?.(webhookPort);
