import { test } from 'node:test';

import { liveThrough } from '../../integration/life/size.ts';

test('a thousand nodes: installed, silent, updated and removed, with every node clean again', async (context) => {
  await liveThrough(context, 1000, 900_000);
});
