import { join } from 'node:path';

/** Where Bull Board lives below the dashboard's root. */
export const BOARD_PATH = '/queues';
/** The files of the run page, served as they are; the build copies them beside the compiled sources. */
export const PUBLIC_FOLDER = join(import.meta.dirname, 'public');
