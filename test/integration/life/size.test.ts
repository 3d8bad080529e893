import { test } from 'node:test';

import { liveThrough } from './size.ts';

// A thousand nodes are a matter of minutes: test/long/size.
test('two dozen nodes: installed, silent, updated and removed, with every node clean again', async (context) => {
  await liveThrough(context, 24, 300_000);
});
