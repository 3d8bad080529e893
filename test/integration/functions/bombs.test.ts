import assert from 'node:assert/strict';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:https';
import { after, before, test } from 'node:test';
import { VALIDATE_UPDATE_PATH } from '../../../functions/validate-update/index.ts';
import { buildKubeVirt, buildReview } from './harness.ts';

/** What V8 gives itself in a container of 256 MiB, the chart's limit. */
const HEAP_MIB = 128;
const BYTES = 4.9e6;
const SENDERS = 32;

let child: ChildProcess;
let port = 0;

before(async () => {
  const script = new URL('./bombed.ts', import.meta.url);
  child = fork(script, { execArgv: [`--max-old-space-size=${HEAP_MIB}`, '--max-semi-space-size=4'] });
  [port] = (await once(child, 'message')) as [number];
});
after(() => child.kill('SIGKILL'));

/** The status of the answer; 0 when the connection was closed without one. */
const send = (body: string) =>
  new Promise<number>((resolve) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const options = { host: '127.0.0.1', port, path: VALIDATE_UPDATE_PATH, method: 'POST', agent: false, headers };
    request({ ...options, rejectUnauthorized: false }, (response) => {
      response.resume().once('close', () => {
        resolve(response.statusCode ?? 0);
      });
    })
      .once('error', () => {
        resolve(0);
      })
      .end(body);
  });

const DOOR = '@door';
/** A review that is filled up with repetitions of a text. */
function fill(text: string): string {
  const review = JSON.stringify(
    buildReview('UPDATE', { oldObject: buildKubeVirt({}), object: buildKubeVirt({ unknown: DOOR }) }),
  );
  const list = text.repeat(Math.floor(BYTES / text.length)).slice(0, -1);
  return review.replace(`"${DOOR}"`, `[${list}]`);
}

for (const { name, text } of [
  { name: 'empty objects', text: '{},' },
  { name: 'short texts', text: '"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",' },
  { name: 'escapes', text: '"\\u0001\\u0002\\u0003\\u0004\\u0005",' },
]) {
  test(`${SENDERS} reviews of ${BYTES / 1e6} MB at the same time, full of ${name}, do not end a small process`, async () => {
    const bomb = fill(text);
    const statuses = await Promise.all(Array.from({ length: SENDERS }, () => send(bomb)));
    for (const status of statuses) assert.ok([0, 200, 413, 429].includes(status), String(status));
    assert.equal(child.exitCode, null);
    assert.equal(child.signalCode, null);
    const small = JSON.stringify(
      buildReview('UPDATE', { oldObject: buildKubeVirt({}), object: buildKubeVirt({ imageTag: 'v1' }) }),
    );
    assert.equal(await send(small), 200);
  });
}
