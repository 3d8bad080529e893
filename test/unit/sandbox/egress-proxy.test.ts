import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseConnectTarget, rotate } from '../../../sandbox/egress-proxy.ts';
import { indexByAddress } from '../../../sandbox/services.ts';
import { decideAnswer, decideSecret } from '../../../sandbox/stand-in.ts';

describe('parseConnectTarget', () => {
  const rows = [
    { name: 'IPv4', target: '10.96.12.1:443', want: { host: '10.96.12.1', port: 443 } },
    { name: 'IPv6', target: '[fd00::1]:8443', want: { host: 'fd00::1', port: 8443 } },
    { name: 'host name', target: 'virt-api.kubevirt.svc:443', want: { host: 'virt-api.kubevirt.svc', port: 443 } },
    { name: 'no port', target: '10.96.12.1', want: undefined },
    { name: 'port 0', target: '10.96.12.1:0', want: undefined },
    { name: 'port too high', target: '10.96.12.1:65536', want: undefined },
    { name: 'IPv6 without brackets', target: 'fd00::1:443', want: undefined },
    { name: 'path', target: '/healthz', want: undefined },
    { name: 'nothing', target: '', want: undefined },
  ];
  for (const { name, target, want } of rows) {
    it(name, () => {
      assert.deepEqual(parseConnectTarget(target), want);
    });
  }
});

describe('rotate', () => {
  const rows = [
    { name: 'first turn', ports: [1, 2, 3], turn: 0, want: [1, 2, 3] },
    { name: 'second turn', ports: [1, 2, 3], turn: 1, want: [2, 3, 1] },
    { name: 'after a round', ports: [1, 2, 3], turn: 5, want: [3, 1, 2] },
    { name: 'nobody', ports: [], turn: 4, want: [] },
  ];
  for (const { name, ports, turn, want } of rows) {
    it(name, () => {
      assert.deepEqual(rotate(ports, turn), want);
    });
  }
});

describe('indexByAddress', () => {
  it('knows a Service by each of its addresses, and no headless one', () => {
    const services = [
      { metadata: { namespace: 'a', name: 'both' }, spec: { clusterIPs: ['10.0.0.1', 'fd00::1'] } },
      { metadata: { namespace: 'b', name: 'headless' }, spec: { clusterIPs: ['None'] } },
      { metadata: { namespace: 'c', name: 'external' }, spec: {} },
    ];
    assert.deepEqual(
      [...indexByAddress(services)],
      [
        ['10.0.0.1', { namespace: 'a', name: 'both' }],
        ['fd00::1', { namespace: 'a', name: 'both' }],
      ],
    );
  });
});

describe('decideSecret', () => {
  const rows = [
    { server: 'virt-api.kubevirt.svc', want: { namespace: 'kubevirt', name: 'kubevirt-virt-api-certs' } },
    {
      server: 'virt-template-api-service.kv.svc',
      want: { namespace: 'kv', name: 'kubevirt-virt-template-api-certs' },
    },
    {
      server: 'virt-template-webhook-service.kv.svc',
      want: { namespace: 'kv', name: 'kubevirt-virt-template-webhook-certs' },
    },
    { server: 'someone-else.kubevirt.svc', want: undefined },
    { server: 'virt-api', want: undefined },
    { server: '', want: undefined },
  ];
  for (const { server, want } of rows) {
    it(server || 'no name', () => {
      assert.deepEqual(decideSecret(server), want);
    });
  }
});

describe('decideAnswer', () => {
  const review = (request: object) =>
    JSON.stringify({ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', request });
  const rows: { name: string; call: [string, string, string]; want: object | undefined }[] = [
    {
      name: 'admits a review under its uid',
      call: ['POST', '/validate?timeout=10s', review({ uid: 'u1' })],
      want: {
        kind: 'AdmissionReview',
        apiVersion: 'admission.k8s.io/v1',
        response: { uid: 'u1', allowed: true },
      },
    },
    { name: 'knows no review without uid', call: ['POST', '/validate', review({})], want: undefined },
    { name: 'knows no other object', call: ['POST', '/validate', '{"kind":"Pod"}'], want: undefined },
    {
      name: 'has no resources',
      call: ['GET', '/apis/subresources.kubevirt.io/v1?timeout=32s', ''],
      want: { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: 'subresources.kubevirt.io/v1', resources: [] },
    },
    { name: 'has nothing else', call: ['GET', '/openapi/v2', ''], want: undefined },
    { name: 'changes nothing', call: ['DELETE', '/apis/subresources.kubevirt.io/v1', ''], want: undefined },
  ];
  for (const { name, call, want } of rows) {
    it(name, () => {
      assert.deepEqual(decideAnswer(...call), want);
    });
  }

  it('throws at a body that is no JSON', () => {
    assert.throws(() => decideAnswer('POST', '/validate', 'no'), SyntaxError);
  });
});
