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

/** Status and text of the answer; 0 when the connection was closed without one. */
const post = (body: string | Buffer, charset = 'utf-8') =>
  new Promise<{ status: number; text: string }>((resolve) => {
    const headers = {
      'content-type': `application/json; charset=${charset}`,
      'content-length': Buffer.byteLength(body),
    };
    const options = { host: '127.0.0.1', port, path: VALIDATE_UPDATE_PATH, method: 'POST', agent: false, headers };
    request({ ...options, rejectUnauthorized: false }, (response) => {
      let text = '';
      response
        .setEncoding('utf8')
        .on('data', (piece: string) => (text += piece))
        .once('close', () => {
          resolve({ status: response.statusCode ?? 0, text });
        });
    })
      .once('error', () => {
        resolve({ status: 0, text: '' });
      })
      .end(body);
  });
const send = async (body: string | Buffer, charset?: string) => (await post(body, charset)).status;

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

/** A review whose only patch is a list of so many repetitions. */
const buildPatchReview = (item: string, count: number) =>
  JSON.stringify(
    buildReview('UPDATE', {
      oldObject: buildKubeVirt({}),
      object: buildKubeVirt({
        customizeComponents: {
          patches: [
            {
              resourceType: 'Deployment',
              resourceName: 'virt-api',
              type: 'json',
              patch: `[${item.repeat(count).slice(0, -1)}]`,
            },
          ],
        },
      }),
    }),
  );

for (const item of ['{},', '[[]],']) {
  test(`a patch that is full of ${item} is refused before it is read`, async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => post(buildPatchReview(item, 900_000))));
    for (const { text } of answers) {
      assert.match(text, /"allowed":false/);
      assert.match(text, /more parts than the operator reads/);
    }
  });
}

test('a charset in which parts cannot be counted is refused', async () => {
  const review = Buffer.from(buildPatchReview('{},', 3).replace('virt-api', '\u2200'), 'utf16le');
  assert.equal(await send(review, 'utf-16le'), 415);
});
