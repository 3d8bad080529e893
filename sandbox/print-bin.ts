/** `npm run --silent sandbox:bin`: prints the folder of the control plane's programs, which the bootstrap before it has found or built. */
import { findControlPlane } from './setup/locations.cjs';

const folder = findControlPlane(process.env);
if (folder === undefined)
  throw new Error('the programs of the control plane are missing; run this as "npm run sandbox:bin"');
console.log(folder);
