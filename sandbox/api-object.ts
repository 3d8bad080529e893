/** An object of the API, or a list. */
export type ApiObject = Record<string, unknown> & {
  metadata?: { name?: string; namespace?: string; labels?: Record<string, string>; resourceVersion?: string };
};
