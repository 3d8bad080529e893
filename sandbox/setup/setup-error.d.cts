/** Something the user has to decide or install; the message is one sentence that names the way out. */
export class SetupError extends Error {
  constructor(message: string, options?: ErrorOptions);
}
