import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import express from 'express';
import { pino } from 'pino';
import { decideExposition } from '../../../functions/metrics/exposition.ts';
import { createMetrics } from '../../../functions/metrics/index.ts';
import { OperatorMetrics } from '../../../functions/metrics/operator-metrics.ts';

const OPEN = 'application/openmetrics-text; version=1.0.0; charset=utf-8';
const TEXT = 'text/plain; version=0.0.4; charset=utf-8';
const PROMETHEUS =
  'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2';

const rows: { name: string; accept: string | undefined; want: string }[] = [
  { name: 'nothing', accept: undefined, want: TEXT },
  { name: 'an empty text', accept: '', want: TEXT },
  { name: 'anything', accept: '*/*', want: TEXT },
  { name: 'a browser', accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8', want: TEXT },
  { name: 'Prometheus', accept: PROMETHEUS, want: OPEN },
  { name: 'OpenMetrics alone', accept: 'application/openmetrics-text', want: OPEN },
  { name: 'text rather than OpenMetrics', accept: 'application/openmetrics-text;q=0.1, text/plain', want: TEXT },
  { name: 'anything but OpenMetrics', accept: 'application/openmetrics-text;q=0,*/*;q=0.1', want: TEXT },
  { name: 'an OpenMetrics of the future', accept: 'application/openmetrics-text;version=9.0.0', want: TEXT },
  { name: 'a quality that is none', accept: 'application/openmetrics-text;q=high', want: TEXT },
  { name: 'a protocol that we do not speak', accept: 'application/vnd.google.protobuf;encoding=delimited', want: TEXT },
  { name: 'ten thousand wishes', accept: 'a/b;q=0.5,'.repeat(10_000), want: TEXT },
];
for (const { name, accept, want } of rows) {
  test(`exposition for a scraper that wants ${name}`, () => {
    assert.equal(decideExposition(accept).contentType, want);
  });
}

test('OpenMetrics: counters are described without _total and counted with it; help is escaped; the page ends once', () => {
  const pages = [
    '# HELP a_total The "first".\n# TYPE a_total counter\na_total{x="a_total 1"} 1\n\n# HELP b B.\n# TYPE b counter\nb 2\n',
    '# HELP c_seconds C.\n# TYPE c_seconds histogram\nc_seconds_bucket{le="+Inf"} 1\nc_seconds_sum 1\nc_seconds_count 1\n\n',
    '',
    '# HELP d_total A gauge.\n# TYPE d_total gauge\nd_total 3\n',
  ];
  assert.equal(
    decideExposition(OPEN).write(pages),
    `# HELP a The \\"first\\".
# TYPE a counter
a_total{x="a_total 1"} 1
# HELP b B.
# TYPE b counter
b_total 2
# HELP c_seconds C.
# TYPE c_seconds histogram
c_seconds_bucket{le="+Inf"} 1
c_seconds_sum 1
c_seconds_count 1
# HELP d_total A gauge.
# TYPE d_total gauge
d_total 3
# EOF
`,
  );
});

const metrics = new OperatorMetrics({ role: 'all', version: '1' });
const log = pino({ level: 'silent' });
const broken = { metrics: () => Promise.reject(new Error('no metrics')) };
const app = express().use(createMetrics({ pages: [metrics.registry, broken, metrics.own.registry], log }));
const server = createServer(app);
let url = '';

before(async () => {
  metrics.queue.added(true);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`;
});
after(() => {
  metrics.own.close();
  server.close();
});

async function scrape(accept: string) {
  const response = await fetch(url, { headers: { accept } });
  return { type: response.headers.get('content-type'), body: await response.text() };
}

/** Samples by name and labels. */
const readSamples = (body: string) =>
  new Map(
    body
      .split('\n')
      // What the garbage collector did so far differs between two scrapes.
      .filter((line) => line !== '' && !/^#|^nodejs_gc/.test(line))
      .map((line) => [line.slice(0, line.lastIndexOf(' ')), line.slice(line.lastIndexOf(' ') + 1)]),
  );

test('a real page has the same series in both expositions, also when both are scraped at the same time', async () => {
  const [open, text] = await Promise.all([scrape(PROMETHEUS), scrape('text/plain')]);
  assert.equal(open.type, OPEN);
  assert.equal(text.type, TEXT);
  assert.deepEqual([...readSamples(open.body).keys()], [...readSamples(text.body).keys()]);
  assert.match(open.body, /^# TYPE kubevirt_workqueue_retries counter$/m);
  assert.match(open.body, /^kubevirt_workqueue_retries_total\{name="virt-operator"\} 1$/m);
  assert.match(text.body, /^# TYPE kubevirt_workqueue_retries_total counter$/m);
});

test('a page of OpenMetrics keeps to its grammar', async () => {
  const { body } = await scrape(PROMETHEUS);
  const lines = body.split('\n');
  assert.deepEqual(lines.slice(-2), ['# EOF', '']);
  const families = new Set<string>();
  let family = '';
  for (const line of lines.slice(0, -2)) {
    const [, keyword, name = ''] = /^# (HELP|TYPE) (\S+) \S/.exec(line) ?? [];
    if (keyword === 'HELP') {
      assert.ok(!families.has(name), `${name} is described once`);
      families.add(name);
      family = name;
    } else if (keyword === 'TYPE') assert.equal(name, family);
    else {
      assert.match(line, /^[a-zA-Z_:][\w:]*(\{[a-zA-Z_]\w*="[^"\\]*"(,[a-zA-Z_]\w*="[^"\\]*")*\})? \S+$/);
      assert.ok(line.startsWith(family), line);
    }
  }
});
