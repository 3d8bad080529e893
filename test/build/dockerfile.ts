/** One instruction of a Dockerfile: its keyword and the rest of the line, continued lines joined. */
export interface Instruction {
  keyword: string;
  text: string;
}

/** One stage: what FROM names, and the instructions after it. */
export interface Stage {
  base: string;
  name: string | undefined;
  instructions: Instruction[];
}

/** Sources and destination of a COPY. */
export interface Copy {
  /** Name of the stage that is copied from; undefined: the context. */
  from: string | undefined;
  sources: string[];
  destination: string;
}

/** Splits a Dockerfile into its stages. Throws on lines that this small reader does not know. */
export function parseDockerfile(text: string): Stage[] {
  const stages: Stage[] = [];
  const lines = text
    .split('\n')
    .filter((line) => !/^\s*#/.test(line))
    .join('\n')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n');
  for (const line of lines) {
    if (line.trim() === '') continue;
    const [, keyword = '', rest = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
    if (keyword === '') throw new Error(`the Dockerfile has a line without an instruction: ${line}`);
    if (keyword === 'FROM') stages.push(parseFrom(rest));
    else stages.at(-1)?.instructions.push({ keyword, text: rest });
  }
  return stages;
}

function parseFrom(text: string): Stage {
  const [, base = '', name] = /^(?:--platform=\S+ )?(\S+)(?: AS (\S+))?$/.exec(text) ?? [];
  if (base === '') throw new Error(`FROM cannot be read: ${text}`);
  return { base, name, instructions: [] };
}

/** Reads the text of a COPY. Throws on options other than --from. */
export function parseCopy(text: string): Copy {
  const words = text.split(/\s+/);
  const options = words.filter((word) => word.startsWith('--'));
  const paths = words.filter((word) => !word.startsWith('--'));
  const [option, ...more] = options;
  if (more.length > 0 || (option !== undefined && !option.startsWith('--from='))) {
    throw new Error(`COPY has options that are not known here: ${options.join(' ')}`);
  }
  return { from: option?.slice('--from='.length), sources: paths.slice(0, -1), destination: paths.at(-1) ?? '' };
}

/** The texts of all instructions of a kind in a stage. */
export function textsOf(stage: Stage, keyword: string): string[] {
  return stage.instructions.filter((each) => each.keyword === keyword).map(({ text }) => text);
}

/** Whether .dockerignore lets a path of the repository into the context; of patterns it knows a first path component and `*`, each also negated. */
export function isInContext(path: string, ignore: string): boolean {
  const [first = ''] = path.split('/');
  const patterns = ignore.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const last = patterns.findLast((pattern) => ['*', first].includes(pattern.replace(/^!/, '')));
  return last?.startsWith('!') ?? true;
}
