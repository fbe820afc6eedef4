/** The oldest Redis that has the commands of the store. */
export const oldestVersion = '6.2';

/** The version in the reply to `INFO`. Undefined if Redis does not tell it. */
export function versionOf(info: string): string | undefined {
  return /^redis_version:(\d+\.\d+[\w.]*)/m.exec(info)?.[1];
}

export function isTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldestVersion.split('.').map(Number);
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor);
}
