import { test } from 'node:test';

import { liveThrough } from './size.ts';

// A thousand nodes are a matter of minutes: test/long/size.
test('forty nodes: installed, silent, updated and removed, with every node clean again', async (context) => {
  await liveThrough(context, 40, 180_000);
});
