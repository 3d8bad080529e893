/** True while a process with this id runs. */
export function isRunning(pid: number): boolean;
/** Waits for the lock file at `path`; `tellWaiting` is called once with the holder's process id. Resolves to the function that releases it. */
export function takeLock(path: string, tellWaiting: (holder: number) => void): Promise<() => void>;
