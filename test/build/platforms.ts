/**
 * The release check: `docker buildx imagetools inspect --raw IMAGE | npm run --silent release:check` fails unless the image's index lists every platform that
 * we promise (spec/field-reports.md B58).
 */
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** Platforms of the image (design decision 16). */
export const PLATFORMS = ['linux/amd64', 'linux/arm64'] as const;

interface Index {
  manifests?: { platform?: { os?: string; architecture?: string } }[];
}

/** Platforms that an image index lacks. Throws when the text is no index: an image for one platform has none. */
export function listMissingPlatforms(text: string): string[] {
  let index: Index;
  try {
    index = JSON.parse(text) as Index;
  } catch (cause) {
    throw new Error('this is no JSON: pass the raw index of the image', { cause });
  }
  if (!Array.isArray(index.manifests)) throw new Error('this is the manifest of one platform, not an index of several');
  const found = index.manifests.map(({ platform: { os = '', architecture = '' } = {} }) => `${os}/${architecture}`);
  return PLATFORMS.filter((platform) => !found.includes(platform));
}

/** Reads an index from standard input; the exit code. */
function check(): number {
  try {
    const missing = listMissingPlatforms(readFileSync(0, 'utf8'));
    const isComplete = missing.length === 0;
    process.stderr.write(
      isComplete ? `the image is there for ${PLATFORMS.join(' and ')}\n` : `the image lacks ${missing.join(' and ')}\n`,
    );
    return isComplete ? 0 : 1;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) process.exitCode = check();
