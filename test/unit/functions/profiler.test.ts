import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import express from 'express';
import { pino } from 'pino';
import { Profile } from 'pprof-format';
import { createProfiler, type ProfilerOptions } from '../../../functions/profiler/index.ts';
import { encodeCpuProfile, encodeHeapProfile } from '../../../functions/profiler/pprof.ts';
import { Recorder } from '../../../functions/profiler/recorder.ts';

const log = pino({ level: 'silent' });

/** What a reader of pprof sees: per sample the call stack, innermost first, and the values. */
function read(file: Buffer) {
  const profile = Profile.decode(gunzipSync(file));
  const { strings } = profile.stringTable;
  const text = (index: number | bigint) => strings[Number(index)] ?? '';
  const functions = new Map(profile.function.map((each) => [Number(each.id), text(each.name)]));
  const locations = new Map(
    profile.location.map((each) => [Number(each.id), functions.get(Number(each.line[0]?.functionId)) ?? '']),
  );
  return {
    units: profile.sampleType.map(({ type, unit }) => `${text(type)}/${text(unit)}`),
    durationNanos: Number(profile.durationNanos),
    samples: profile.sample.map(({ locationId, value }) => ({
      stack: locationId.map((id) => locations.get(Number(id))),
      values: value.map(Number),
    })),
  };
}

const frame = (functionName: string, lineNumber = 0) => ({
  functionName,
  scriptId: '1',
  url: 'file:///a.ts',
  lineNumber,
  columnNumber: 0,
});

test('a CPU profile keeps stacks, counts and times, and leaves idle time out', () => {
  const nodes = [
    { id: 1, callFrame: frame('(root)'), children: [2, 4] },
    { id: 2, callFrame: frame('outer'), children: [3] },
    { id: 3, callFrame: frame('', 7) },
    { id: 4, callFrame: frame('(idle)') },
  ];
  const profile = { nodes, startTime: 0, endTime: 500, samples: [3, 4, 3, 2], timeDeltas: [5, 100, 200, 50] };
  const { units, samples, durationNanos } = read(encodeCpuProfile(profile, new Date(), 10_000));
  assert.deepEqual(units, ['samples/count', 'cpu/nanoseconds']);
  assert.equal(durationNanos, 500_000);
  assert.deepEqual(samples, [
    { stack: ['outer'], values: [1, 0] },
    { stack: ['(anonymous)', 'outer'], values: [2, 150_000] },
  ]);
});

test('a heap profile keeps live bytes and objects per stack', () => {
  const leaf = { id: 3, callFrame: frame('leaf'), selfSize: 64, children: [] };
  const branch = { id: 2, callFrame: frame('branch'), selfSize: 0, children: [leaf] };
  const head = { id: 1, callFrame: frame('(root)'), selfSize: 0, children: [branch] };
  const { units, samples } = read(encodeHeapProfile({ head, samples: [{ nodeId: 3 }, { nodeId: 3 }] }, new Date(), 1));
  assert.deepEqual(units, ['inuse_objects/count', 'inuse_space/bytes']);
  assert.deepEqual(samples, [{ stack: ['leaf', 'branch'], values: [2, 64] }]);
});

test('deep recursion does not exhaust the stack of the encoder', () => {
  const nodes = Array.from({ length: 20_000 }, (_, i) => ({ id: i + 1, callFrame: frame(`f${i}`), children: [i + 2] }));
  const deepest = 300;
  const profile = { nodes: nodes.slice(0, deepest), startTime: 0, endTime: 1, samples: [deepest], timeDeltas: [0] };
  assert.equal(read(encodeCpuProfile(profile, new Date(), 1)).samples[0]?.stack.length, deepest - 1);
});

function work(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

test('a recording finds the function that works; stopping twice and stopping nothing changes nothing', async () => {
  const recorder = new Recorder();
  await recorder.stop();
  const nothing = await recorder.dump();
  assert.deepEqual(Object.keys(nothing), ['heap.pprof'], 'no CPU profile without a recording');
  assert.ok(read(nothing['heap.pprof']!).samples.some(({ stack }) => stack.includes('old_space')));
  await recorder.start();
  assert.ok(recorder.isRecording);
  work(200);
  await recorder.stop();
  await recorder.stop();
  assert.ok(!recorder.isRecording);
  const files = await recorder.dump();
  const { samples } = read(files['cpu.pprof']!);
  const time = samples.filter(({ stack }) => stack.includes('work')).reduce((sum, { values }) => sum + values[1]!, 0);
  assert.ok(time > 100e6, `${time} ns`);
  await recorder.start();
  assert.deepEqual(Object.keys(await recorder.dump()), ['heap.pprof'], 'a new recording discards the old one');
  await recorder.discard();
});

async function ask(options: Partial<ProfilerOptions>, path: string, method = 'GET') {
  const parts = { recorder: new Recorder(), isEnabled: () => true, log };
  const server = createServer(express().use(createProfiler({ ...parts, ...options })));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, { method });
    return { code: response.status, body: await response.text() };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

for (const path of ['/start-profiler', '/stop-profiler', '/dump-profiler']) {
  test(`${path} is forbidden while the cluster's switch is off, and answers GET alone`, async () => {
    const recorder = new Recorder();
    const { code, body } = await ask({ recorder, isEnabled: () => false }, path);
    assert.equal(code, 403);
    assert.match(body, /ClusterProfiler/);
    assert.ok(!recorder.isRecording);
    assert.equal((await ask({}, path, 'POST')).code, 405);
  });
}

test('start, stop and dump reach the other processes; their profiles stand beside our own', async () => {
  const told: string[] = [];
  const recorder = new Recorder();
  const others = {
    tell: (command: string) => Promise.resolve(void told.push(command)),
    collect: () => Promise.resolve({ 'worker.pod-a': { 'cpu.pprof': Buffer.from('x') } }),
  };
  assert.deepEqual(await ask({ recorder, others }, '/start-profiler'), { code: 200, body: '' });
  assert.deepEqual(await ask({ recorder, others }, '/stop-profiler'), { code: 200, body: '' });
  assert.deepEqual(told, ['start', 'stop']);
  const { code, body } = await ask({ recorder, others }, '/dump-profiler');
  assert.equal(code, 200);
  const { pprofData } = JSON.parse(body) as { pprofData: Record<string, string> };
  assert.deepEqual(Object.keys(pprofData).sort(), ['cpu.pprof', 'heap.pprof', 'worker.pod-a.cpu.pprof']);
  assert.equal(pprofData['worker.pod-a.cpu.pprof'], 'eA==');
  assert.ok(read(Buffer.from(pprofData['cpu.pprof']!, 'base64')).units.length > 0);
});

test('without Redis a process still profiles itself', async () => {
  const away = () => Promise.reject(new Error('Redis is away'));
  const recorder = new Recorder();
  const others = { tell: away, collect: away };
  assert.equal((await ask({ recorder, others }, '/start-profiler')).code, 200);
  assert.equal((await ask({ recorder, others }, '/stop-profiler')).code, 200);
  const { pprofData } = JSON.parse((await ask({ recorder, others }, '/dump-profiler')).body) as { pprofData: object };
  assert.deepEqual(Object.keys(pprofData).sort(), ['cpu.pprof', 'heap.pprof']);
});

test('a recorder that fails is answered 500 with its text', async () => {
  const recorder = new Recorder();
  recorder.dump = () => Promise.reject(new Error('no inspector'));
  assert.deepEqual(await ask({ recorder }, '/dump-profiler'), { code: 500, body: 'no inspector' });
});
