import { z } from 'zod';
import { AppError, isAppError } from '../core/errors.ts';
import { type AuditEntry, type AuditRange, type AuditStore, auditActions } from '../core/history/audit.ts';
import type { Log } from '../core/ports.ts';
import type { EngineStore } from './key-value-store.ts';
import { createFormat, type Exactly } from './record-format.ts';
import type { TimedText, TimedTexts } from './timed-texts.ts';

/** Ids of Slack, of questions and of the app. No text of people has this form, because it has no spaces. */
const id = z.string().regex(/^[!-~]{1,300}$/);

/** The form of an entry, also where another record has one. */
export const auditEntrySchema = z.looseObject({
  id,
  atMs: z.number().int().nonnegative(),
  action: z.enum(auditActions),
  teamId: id,
  userId: id.exactOptional(),
  channelId: id.exactOptional(),
  questionId: id.exactOptional(),
  detail: z
    .string()
    .regex(/^[\w,.:-]{1,300}$/)
    .exactOptional(),
  access: z.enum(['app', 'own']).exactOptional(),
  usage: z
    .looseObject({
      durationMs: z.number().nonnegative().exactOptional(),
      credits: z.number().exactOptional(),
      repositories: z.array(id),
    })
    .exactOptional(),
});

const format = createFormat<AuditEntry>(auditEntrySchema satisfies Exactly<typeof auditEntrySchema, AuditEntry>);

/** Stores the audit log on either engine, each entry for `keepMs` at least. */
export function createAuditStore({ timed }: Pick<EngineStore, 'timed'>, keepMs: number, log: Log): AuditStore {
  return {
    append: async (entry) => timed.append(encode(entry), keepMs),
    pages: (range) => readAuditPages(timed, range, log),
    removeBefore: (beforeMs) => timed.removeBefore(beforeMs),
    async replace({ id: name, atMs }, next) {
      if (next === undefined) return timed.replace({ atMs, name }, undefined);
      if (next.id !== name || next.atMs !== atMs) {
        throw new AppError('corrupt', `Audit entry ${name} can't be replaced by one with another id or time`);
      }
      return timed.replace({ atMs, name }, encode(next).text);
    },
  };
}

/** Reads entries in pages. Leaves out those that can't be read, and logs how many. */
export async function* readAuditPages(
  timed: Pick<TimedTexts, 'pages'>,
  range: AuditRange,
  log: Pick<Log, 'warn'>,
): AsyncGenerator<AuditEntry[]> {
  let unreadable = 0;
  for await (const page of timed.pages(range)) {
    const entries = page.map(decode).filter((entry) => entry !== undefined);
    unreadable += page.length - entries.length;
    yield entries;
  }
  if (unreadable > 0) log.warn({ event: 'audit_unreadable', entries: unreadable });
}

/** The id and the time stand in the key, so the text has neither. */
function encode(entry: AuditEntry): TimedText {
  format.encode(entry.id, entry);
  const { id: name, atMs, ...rest } = entry;
  return { atMs, name, text: JSON.stringify(rest) };
}

function decode({ atMs, name, text }: TimedText): AuditEntry | undefined {
  try {
    return format.decode(name, `{"id":${JSON.stringify(name)},"atMs":${atMs},${text.slice(1)}`);
  } catch (error) {
    if (!isAppError(error, 'corrupt')) throw error;
    return undefined;
  }
}
