import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiRequest } from '../../../src/api/connection.ts';
import { describeRequest } from '../../../src/transport/request-name.ts';

const rows: [Pick<ApiRequest, 'method' | 'path' | 'query'>, string][] = [
  [{ method: 'GET', path: '/api/v1/pods' }, 'pods LIST'],
  [{ method: 'GET', path: '/api/v1/namespaces/a/pods' }, 'pods LIST'],
  [{ method: 'GET', path: '/api/v1/namespaces/a/pods', query: { watch: true } }, 'pods WATCH'],
  [{ method: 'GET', path: '/api/v1/namespaces/a/pods/p' }, 'pods GET'],
  [{ method: 'GET', path: '/api/v1/namespaces/a' }, 'namespaces GET'],
  [{ method: 'GET', path: '/api/v1/namespaces' }, 'namespaces LIST'],
  [{ method: 'POST', path: '/apis/apps/v1/namespaces/a/deployments' }, 'deployments CREATE'],
  [{ method: 'PUT', path: '/apis/kubevirt.io/v1/namespaces/a/kubevirts/k/status' }, 'kubevirts UPDATE'],
  [{ method: 'PATCH', path: '/apis/rbac.authorization.k8s.io/v1/clusterroles/a%3Ab' }, 'clusterroles PATCH'],
  [{ method: 'DELETE', path: '/apis/apps/v1/namespaces/a/daemonsets/d' }, 'daemonsets DELETE'],
  [{ method: 'GET', path: '/apis/apps/v1' }, 'none none'],
  [{ method: 'GET', path: '/version' }, 'none none'],
];

for (const [call, want] of rows) {
  test(`request name: ${call.method} ${call.path}${call.query === undefined ? '' : ' (watch)'} is ${want}`, () => {
    const { resource, verb } = describeRequest(call);
    assert.equal(`${resource} ${verb}`, want);
  });
}
