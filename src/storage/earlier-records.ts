type Fields = Record<string, unknown>;

/** Names of dispositions in version 0.1. */
const formerDispositions: Fields = { obeyed: 'verbCarriedOut', lineFull: 'queueFull' };

/** Renames the field that version 0.1 used for a thread's queue. */
export function upgradeThread(stored: unknown): unknown {
  return isFields(stored) ? renamed(stored, 'line', 'queue') : stored;
}

/** Renames the field that version 0.1 spelled differently: the number of organizations. */
export function upgradeQuestion(stored: unknown): unknown {
  if (!isFields(stored) || !isFields(stored.shares) || !isFields(stored.shares.confirmed)) return stored;
  const confirmed = renamed(stored.shares.confirmed, 'organisations', 'organizations');
  return { ...stored, shares: { ...stored.shares, confirmed } };
}

/** Renames the field that version 0.1 used for a message's disposition. */
export function upgradeMessageLog(stored: unknown): unknown {
  if (!isFields(stored) || !Array.isArray(stored.entries)) return stored;
  return { ...stored, entries: stored.entries.map(upgradeEntry) };
}

function upgradeEntry(stored: unknown): unknown {
  if (!isFields(stored)) return stored;
  const entry = renamed(stored, 'fate', 'disposition');
  const { disposition } = entry;
  const known = typeof disposition === 'string' ? formerDispositions[disposition] : undefined;
  return known === undefined ? entry : { ...entry, disposition: known };
}

function renamed(fields: Fields, from: string, to: string): Fields {
  if (!(from in fields)) return fields;
  const { [from]: value, ...rest } = fields;
  return { [to]: value, ...rest };
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
