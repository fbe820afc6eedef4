type Fields = Record<string, unknown>;

/** Names that version 0.1 gave to what was done with a message. */
const formerDispositions: Fields = { obeyed: 'verbCarriedOut', lineFull: 'queueFull' };

/** Version 0.1 called a thread's queue its line. */
export function upgradeThread(stored: unknown): unknown {
  return isFields(stored) ? renamed(stored, 'line', 'queue') : stored;
}

/** Version 0.1 wrote the number of organizations with another spelling. */
export function upgradeQuestion(stored: unknown): unknown {
  if (!isFields(stored) || !isFields(stored.shares) || !isFields(stored.shares.confirmed)) return stored;
  const confirmed = renamed(stored.shares.confirmed, 'organisations', 'organizations');
  return { ...stored, shares: { ...stored.shares, confirmed } };
}

/** Version 0.1 called what was done with a message its fate. */
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
