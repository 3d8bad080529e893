/** Names of the control plane's programs. */
export const CONTROL_PLANE: readonly string[];
/** Folder with all programs of the control plane: KUBEBUILDER_ASSETS, one folder of the PATH, or the cache; undefined when none holds all of them. */
export function findControlPlane(env: NodeJS.ProcessEnv): string | undefined;
/** Cache folder of the control plane's programs; it need not exist. */
export function controlPlaneCache(env: NodeJS.ProcessEnv): string;
/** Path of helm: on the PATH or in the cache; undefined when there is none. */
export function findHelm(env: NodeJS.ProcessEnv): string | undefined;
/** Folder of the PATH that holds an executable of this name; undefined when none does. */
export function findOnPath(name: string, env: NodeJS.ProcessEnv): string | undefined;
