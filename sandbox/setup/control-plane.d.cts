/** Folder with the programs of the control plane, found or built. Rejects with a SetupError. */
export function ensureControlPlane(env: NodeJS.ProcessEnv): Promise<string>;
/** Path of helm, found or built. Rejects with a SetupError. */
export function ensureHelm(env: NodeJS.ProcessEnv): Promise<string>;
/** Linker flags that tell the programs of the module with this go.mod which version they are. */
export function versionFlags(goMod: string): string;
