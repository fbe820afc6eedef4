import { copyFile, cp, symlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { projectFolder, run } from './run.ts';
import { createTempDir } from './temp-dir.ts';

export interface BuiltPrograms {
  /** The built form of `src`. */
  dist: string;
  remove(): Promise<void>;
}

/** Builds the programs into a temporary folder: they start twice as fast as from source. */
export async function buildPrograms(): Promise<BuiltPrograms> {
  const { path: folder, remove } = await createTempDir();
  const dist = join(folder, 'dist');
  const compiler = join(projectFolder, 'node_modules/typescript/bin/tsc');
  // Types are checked by `npm run types`.
  const emitOnly = ['--noCheck', '--sourceMap', 'false'];
  const build = run(process.execPath, [compiler, '-p', 'tsconfig.json', '--outDir', dist, ...emitOnly]);
  const assets = ['codesearch/pages/assets', 'local-slack/page/assets'];
  await Promise.all([
    ...['package.json', 'manifest.yml'].map((file) => copyFile(join(projectFolder, file), join(folder, file))),
    symlink(join(projectFolder, 'node_modules'), join(folder, 'node_modules')),
    ...assets.map((asset) => cp(join(projectFolder, 'src', asset), join(dist, asset), { recursive: true })),
  ]);
  const code = await build.ended;
  if (code !== 0) {
    await remove();
    throw new Error(`the build ended with ${code}: ${build.output()}`);
  }
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
