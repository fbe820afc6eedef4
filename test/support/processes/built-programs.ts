import { copyFile, cp, symlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { projectFolder, run } from './run.ts';
import { createTempDir } from './temp-dir.ts';

export interface BuiltPrograms {
  /** The built form of `src`. */
  dist: string;
  remove(): Promise<void>;
}

/** Builds the programs as people do, and copies them into a temporary folder. They start twice as fast as from source. */
export async function buildPrograms(): Promise<BuiltPrograms> {
  // Types are checked by `npm run types`.
  const build = run('npm', ['run', 'build', '--', '--noCheck']);
  if ((await build.ended) !== 0) throw new Error(`the build failed: ${build.output()}`);
  const { path: folder, remove } = await createTempDir();
  const dist = join(folder, 'dist');
  await Promise.all([
    cp(join(projectFolder, 'dist'), dist, { recursive: true, filter: (path) => !path.endsWith('.map') }),
    ...['package.json', 'manifest.yml'].map((file) => copyFile(join(projectFolder, file), join(folder, file))),
    symlink(join(projectFolder, 'node_modules'), join(folder, 'node_modules')),
  ]);
  return { dist, remove };
}

/**
 * The built form of `src`. The first call in a run of the tests builds it, and all workers share it (build-server.ts).
 * Undefined outside a run of the tests.
 */
export async function builtSource(): Promise<string | undefined> {
  const { BUILD_SERVER_URL: url } = process.env;
  if (url === undefined) return undefined;
  const response = await fetch(url);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}

/** The built form of a program such as `src/main.ts`. Outside a run of the tests, the program itself. */
export async function builtProgram(sourceFile: string): Promise<string> {
  const dist = await builtSource();
  return dist === undefined ? sourceFile : join(dist, relative('src', sourceFile).replace(/\.ts$/, '.js'));
}
