/** Something that must not be found, by a name that a failing test may print. */
export interface KnownSecret {
  name: string;
  value: string | Buffer;
}

/** Shortest text whose forms are searched, so that no form occurs by chance. */
const fewestBytes = 8;

/**
 * Finds secrets in texts and files, raw and as base64 (also inside a longer text that was encoded as a whole), base64 for
 * addresses, hex, or encoded for addresses. Returns which secret was found where and how, never the secret.
 */
export function findLeaks(places: ReadonlyMap<string, string | Buffer>, secrets: readonly KnownSecret[]): string[] {
  const leaks: string[] = [];
  for (const [place, content] of places) {
    const text = typeof content === 'string' ? content : content.toString('latin1');
    const lower = text.toLowerCase();
    for (const { name, value } of secrets) {
      for (const [form, encoded] of formsOf(value)) {
        if ((form === 'hex' ? lower : text).includes(encoded)) leaks.push(`${name} as ${form} in ${place}`);
      }
    }
  }
  return leaks;
}

function formsOf(value: string | Buffer): [form: string, encoded: string][] {
  const bytes = Buffer.from(value);
  if (bytes.length < fewestBytes) throw new Error('too short to be searched for');
  const text = bytes.toString('latin1');
  return [
    ['raw', text],
    ['hex', bytes.toString('hex')],
    ['address', encodeURIComponent(text)],
    ...[0, 1, 2].flatMap((offset): [string, string][] => {
      const encoded = withinBase64(bytes, offset);
      return [
        ['base64', encoded],
        ['base64url', encoded.replaceAll('+', '-').replaceAll('/', '_')],
      ];
    }),
  ];
}

/** What base64 of a longer text has of these bytes, if `offset` bytes come before them in a group of three. */
function withinBase64(bytes: Buffer, offset: number): string {
  const encoded = Buffer.concat([Buffer.alloc(offset), bytes])
    .toString('base64')
    .replace(/=+$/, '');
  // The first and the last letters depend on the neighbors.
  return encoded.slice(offset === 0 ? 0 : offset + 1, (bytes.length + offset) % 3 === 0 ? undefined : -1);
}
