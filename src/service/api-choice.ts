import { AppError, isAppError } from '../core/errors.ts';
import { within } from '../core/pacing.ts';
import type { Log } from '../core/ports.ts';
import type { GenerationNumber } from './generation.ts';
import type { ServiceClient } from './service-client.ts';

/** What the operator set: let the app find out, or one generation without a choice. */
export type ApiSetting = 'auto' | GenerationNumber;

/** How long the first calls after a start wait for the version, in milliseconds. */
const longestVersionMs = 5_000;

export type ApiChoice = ReturnType<typeof createApiChoice>;

/** Which generation of the API the app uses. All accounts share it. Begins to read the version at once. */
export function createApiChoice({
  setting,
  readVersion,
  log,
}: {
  setting: ApiSetting;
  /** Never throws. */
  readVersion: () => Promise<string | undefined>;
  log: Log;
}) {
  let version: string | undefined;
  let offers: Offers = { 1: 'unknown', 2: 'unknown' };
  let current: GenerationNumber = setting === 'auto' ? 1 : setting;
  let logged: GenerationNumber | undefined;
  let isMissing = false;
  const first = tend();

  return {
    setting,
    chosen: () => current,
    /** What the instance offers, as its version says or a call of this process showed. */
    offers: () => offers,
    /** Resolves when the version was read, or after five seconds. Never throws. */
    ready: async () => void (await within(first, longestVersionMs)),
    worked,
    /** Notes that a call worked over this generation because the API of the other one is gone. Calls use it from now on. */
    changeTo(number: GenerationNumber): void {
      current = number;
      worked(number);
    },
    /** Notes that the instance offers no generation that the app may use. Logs it once until a call works. */
    missing(): void {
      if (isMissing) return;
      isMissing = true;
      logged = undefined;
      log.error({ event: 'deepsearch.api', outcome: 'not_offered', setting, version }, missingError(setting, version));
    },
    tend,
  };

  /**
   * Reads the version. If that promises generation 1, the next call tries it again: only it tells the sources, the progress
   * and the statistics. Call it every ten minutes. Never throws.
   */
  async function tend(): Promise<void> {
    const found = await readVersion();
    if (found !== undefined && found !== version) {
      version = found;
      offers = offersOfVersion(found);
    }
    if (setting === 'auto' && offers[1] === 'yes') current = 1;
  }

  /** Notes that a call over this generation worked. */
  function worked(number: GenerationNumber): void {
    isMissing = false;
    if (offers[number] !== 'yes') offers = { ...offers, [number]: 'yes' };
    if (number !== current || logged === number) return;
    logged = number;
    log.info({ event: 'deepsearch.api', outcome: `generation_${number}`, setting, version });
  }
}

/** Says in the log what is wrong and what to change. */
function missingError(setting: ApiSetting, version = 'unknown'): AppError {
  const what = setting === 'auto' ? 'no generation of the conversation API' : 'no such generation of the API';
  const advice = setting === 'auto' ? '' : '; set SRC_API to auto';
  return new AppError(
    'refused',
    `SRC_API is ${setting}, and the service (version: ${version}) offers ${what}${advice}`,
  );
}

/** Whether the instance offers a generation of the API. */
export type Offer = 'yes' | 'no' | 'unknown';

/** What the instance offers, by the number of the generation. */
export type Offers = Record<GenerationNumber, Offer>;

/** Longest text that may be a version, in characters. */
const longestVersion = 64;

/** What `/__version` says, if that may be a version: not every version is a number. Undefined also if it does not answer. */
export async function readVersion(client: Pick<ServiceClient, 'send'>): Promise<string | undefined> {
  try {
    const body = await client.send({
      method: 'GET',
      path: '/__version',
      headers: { accept: 'text/plain' },
      safe: true,
    });
    return versionText(body);
  } catch (error) {
    if (!isAppError(error)) throw error;
    return undefined;
  }
}

/** Builds of the cloud have a version that is not a plain number. */
function versionText(body: string): string | undefined {
  const text = body.trim();
  return text.length <= longestVersion && /^[\w.+-]+$/.test(text) ? text : undefined;
}

/** What a version offers. Generation 1 has its path since 6.7, generation 2 is there since 7.0. */
export function offersOfVersion(version: string): Offers {
  const [, majorText, minorText] = /^v?(\d{1,3})\.(\d{1,4})(?:\.\d{1,6})?(?:[-+][\w.+-]*)?$/.exec(version) ?? [];
  if (majorText === undefined || minorText === undefined) return { 1: 'unknown', 2: 'unknown' };
  const major = Number(majorText);
  const has1 = major > 6 || (major === 6 && Number(minorText) >= 7);
  // No one says yet whether version 8 still has generation 1.
  return { 1: major > 7 ? 'unknown' : yesOrNo(has1), 2: yesOrNo(major >= 7) };
}

function yesOrNo(isOffered: boolean): Offer {
  return isOffered ? 'yes' : 'no';
}
