import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const root = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');
const exists = (path: string): boolean => existsSync(new URL(path, root));

/** Licenses of packages that the app is shipped with. Each is needed only to keep its notice, which stays in the package. */
const shippedLicenses: Record<string, string> = {
  MIT: 'as this project',
  ISC: 'as MIT, in fewer words',
  '0BSD': 'asks for nothing',
  'BSD-3-Clause': 'as MIT, and names are not used to advertise',
  'Apache-2.0': 'as MIT, with a grant of patents',
  'BlueOak-1.0.0': 'as Apache-2.0, in plain words',
  '(AFL-2.1 OR BSD-3-Clause)': 'BSD-3-Clause is chosen',
};

/** Licenses of packages that only work on this project needs, and that no image contains. */
const toolLicenses: Record<string, string> = {
  'MIT OR Apache-2.0': 'either is fine',
  'BSD-2-Clause': 'as BSD-3-Clause',
  'CC0-1.0': 'asks for nothing',
  'MPL-2.0': 'changes to its own files would have to be published; there are none',
  'CC-BY-4.0': 'data, whose source would have to be named where it is published',
};

/** Packages with scripts that an install would run, and why they work without. `.npmrc` switches all scripts off. */
const workWithoutScripts: Record<string, string> = {
  esbuild: 'its program is an optional package; the script only checks it, and replaces a launcher by it',
  lmdb: 'its library is an optional package; the script would compile one',
  'msgpackr-extract': 'as lmdb',
};

const entrySchema = z.object({
  version: z.string().optional(),
  license: z.string().optional(),
  resolved: z.string().optional(),
  integrity: z.string().optional(),
  link: z.boolean().optional(),
  inBundle: z.boolean().optional(),
  hasInstallScript: z.boolean().optional(),
  dev: z.boolean().optional(),
  optional: z.boolean().optional(),
  os: z.array(z.string()).optional(),
  cpu: z.array(z.string()).optional(),
  libc: z.array(z.string()).optional(),
  optionalDependencies: z.record(z.string(), z.string()).optional(),
});
type Entry = z.infer<typeof entrySchema>;

/** The lock file without the project itself and its workspace, which is a folder and a link to it. */
const { packages: locked } = z
  .object({ packages: z.record(z.string(), entrySchema) })
  .parse(JSON.parse(read('package-lock.json')));
const packages = Object.entries(locked).filter(
  ([path]) => !['', 'src/codesearch', 'node_modules/deepsearch-slack-codesearch'].includes(path),
);

const manifestSchema = z.object({
  version: z.string(),
  license: z.string().optional(),
  scripts: z.record(z.string(), z.string()).optional(),
});

/** The packages of the lock file that are installed here, with their own package.json. */
const installed = packages
  .filter(([path]) => exists(`${path}/package.json`))
  .map(([path, entry]) => ({ path, entry, own: manifestSchema.parse(JSON.parse(read(`${path}/package.json`))) }));

const nameOf = (path: string): string => path.replace(/^.*node_modules\//, '');

/** Packages for one platform that the image can't run on may lack a digest, where the registry at hand does not have them. */
function isForAnotherPlatform({ optional, os = [], cpu = [], libc = [] }: Entry): boolean {
  const isOfImage = os.includes('linux') && /^(?:x64|arm64)$/.test(cpu.join()) && !libc.includes('musl');
  return optional === true && os.length > 0 && !isOfImage;
}

describe('the packages that an install takes', () => {
  it('all have a digest, and no address: npm takes them from the registry it is set up for, and checks them', () => {
    // An address in the lock file would be followed on every machine, whatever registry it is set up for.
    expect(read('package-lock.json')).not.toMatch(/(?:https?|git|ssh|file):[^"]*\.t(?:ar\.)?gz|"git\+/);
    expect(packages.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toEqual([]);
    const unchecked = packages.filter(([, entry]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(entry.integrity ?? ''));
    expect(unchecked.filter(([, entry]) => !isForAnotherPlatform(entry)).map(([path]) => path)).toEqual([]);
    expect(packages.filter(([, { link, inBundle }]) => link === true || inBundle === true)).toEqual([]);
  });

  it('run no scripts, and none but three that work without have any', () => {
    expect(read('.npmrc').split('\n')).toContain('ignore-scripts=true');
    const listed = packages.filter(([, { hasInstallScript }]) => hasInstallScript === true).map(([path]) => path);
    const own = installed
      .filter(
        ({ path, own: { scripts = {} } }) =>
          ['preinstall', 'install', 'postinstall'].some((name) => scripts[name] !== undefined) ||
          exists(`${path}/binding.gyp`),
      )
      .map(({ path }) => path);
    const names = new Set([...listed, ...own].map(nameOf));
    expect([...names].toSorted()).toEqual(Object.keys(workWithoutScripts));
  });

  it('have a license of the list, in the lock file and in the package itself', () => {
    const foreign = packages.flatMap(([path, { license, dev }]) => {
      const isAllowed = Object.hasOwn(shippedLicenses, license ?? '') || Object.hasOwn(toolLicenses, license ?? '');
      const isShipped = dev !== true;
      const isFine = isShipped ? Object.hasOwn(shippedLicenses, license ?? '') : isAllowed;
      return isFine || (license === undefined && belongsToAllowed(path)) ? [] : [`${path}: ${license}`];
    });
    expect(foreign).toEqual([]);
    const different = installed.filter(({ entry, own }) => (own.license ?? '') !== (entry.license ?? ''));
    expect(different.map(({ path, own }) => `${path}: ${own.license}`)).toEqual([]);
  });

  it('are installed here, in these versions', () => {
    expect(installed.filter(({ entry, own }) => entry.version !== own.version).map(({ path }) => path)).toEqual([]);
    const isMissing = ([path, { optional }]: [string, Entry]) => optional !== true && !exists(`${path}/package.json`);
    expect(packages.filter(isMissing).map(([path]) => path)).toEqual([]);
  });
});

/** A binary for one platform, of a package with an allowed license. The lock file says no license where it has no digest. */
function belongsToAllowed(path: string): boolean {
  const name = nameOf(path);
  const entry = packages.find(([each]) => each === path)?.[1];
  const owners = packages.filter(([, { optionalDependencies = {} }]) => Object.hasOwn(optionalDependencies, name));
  return (
    entry !== undefined &&
    isForAnotherPlatform(entry) &&
    owners.some(([, { license = '' }]) => license in shippedLicenses || license in toolLicenses)
  );
}
