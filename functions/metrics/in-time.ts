/** A page must be there in less than a second, whatever Redis does (spec/field-reports.md L12). */
const READ_MS = 500;

/** What `read` resolves to, or undefined when it takes longer than a scrape may wait; rejects when it does so in time. */
export async function readInTime<T>(read: () => Promise<T>): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(late.resolve, READ_MS, undefined);
  try {
    return await Promise.race([read(), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
