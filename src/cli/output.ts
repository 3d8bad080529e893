import type { Writable } from 'node:stream';

/**
 * Writes a command's result; resolves when all of it is handed over. A reader that has left before the end, as `head` does, is no error;
 * any other failure rejects.
 */
export function writeOutput(text: string, stream: Writable = process.stdout): Promise<void> {
  return new Promise((resolve, reject) => {
    // The stream emits the error of a write as well as passing it on; without a listener the process would end.
    const heard = (): void => undefined;
    stream.once('error', heard);
    stream.write(text, (error) => {
      if (!error) {
        stream.off('error', heard);
        resolve();
      } else if ((error as NodeJS.ErrnoException).code === 'EPIPE') resolve();
      else reject(new Error('the result could not be written', { cause: error }));
    });
  });
}
