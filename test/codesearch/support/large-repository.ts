import { createTestRepository, type TestRepository } from './repository.ts';

const THINGS =
  'invoice customer order payment shipment parcel warehouse stock price discount refund account session token report audit ledger budget course lesson student teacher vehicle route driver depot sensor reading alarm valve pump meter'.split(
    ' ',
  );
const ACTIONS =
  'create update remove validate publish archive restore merge split schedule cancel approve reject import export render parse encode decode sync lock unlock retry throttle'.split(
    ' ',
  );
const QUALITIES = 'pending stale active hidden shared remote local cached nested partial'.split(' ');

/** Pseudorandom numbers, the same in every run. */
function createNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

/** Creates a committed repository with this many TypeScript, Go and Python files that look like a real product. */
export function createLargeRepository(fileCount: number): TestRepository {
  const repository = createTestRepository({
    'README.md': '# Depot\n\nDepot keeps track of parcels, invoices and vehicles.\n',
  });
  const below = createNumbers(42);
  const pick = (list: readonly string[]): string => list[below(list.length)] ?? 'thing';
  for (let index = 0; index < fileCount - 1; index += 1) {
    const thing = pick(THINGS);
    const folder = `${pick(['services', 'core', 'api', 'jobs', 'lib'])}/${thing}`;
    const language = index % 3;
    const blocks = Array.from({ length: 4 + below(10) }, () =>
      block(language, pick(ACTIONS), pick(QUALITIES), pick(THINGS), pick(ACTIONS), pick(THINGS), below(900)),
    );
    const extension = ['ts', 'go', 'py'][language] ?? 'ts';
    const head =
      ["import { log } from '../../log.ts';\n\n", `package ${thing}\n\nimport "fmt"\n\n`, 'import logging\n\n'][
        language
      ] ?? '';
    repository.write(`${folder}/${pick(ACTIONS)}-${thing}-${index}.${extension}`, head + blocks.join('\n'));
  }
  repository.commit('Import the product');
  // As a clone has it.
  repository.git('repack', '-a', '-d', '-q');
  return repository;
}

function block(
  language: number,
  action: string,
  quality: string,
  thing: string,
  other: string,
  part: string,
  number: number,
): string {
  const upper = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
  const name = `${upper(quality)}${upper(thing)}${number}`;
  if (language === 0) {
    return `/** ${upper(action)}s every ${quality} ${thing} and ${other}s its ${part}. */
export async function ${action}${name}(${thing}Id: string, limit = ${number}): Promise<number> {
  const ${part}s = await load${upper(part)}s({ ${thing}Id, limit });
  let ${other}d = 0;
  for (const ${part} of ${part}s) {
    if (${part}.isExpired) continue;
    await ${other}${upper(part)}(${part}.id);
    ${other}d += 1;
  }
  log.info({ event: '${thing}.${action}', ${other}d });
  return ${other}d;
}
`;
  }
  if (language === 1) {
    return `// ${upper(action)}${name} ${action}s every ${quality} ${thing} and ${other}s its ${part}.
func ${upper(action)}${name}(ctx context.Context, ${thing}ID string) (int, error) {
	${part}s, err := load${upper(part)}s(ctx, ${thing}ID)
	if err != nil {
		return 0, fmt.Errorf("${action} ${thing}: %w", err)
	}
	for _, ${part} := range ${part}s {
		if err := ${other}${upper(part)}(ctx, ${part}); err != nil {
			return 0, err
		}
	}
	return len(${part}s), nil
}
`;
  }
  return `def ${action}_${quality}_${thing}_${number}(${thing}_id, limit=${number}):
    """${upper(action)}s every ${quality} ${thing} and ${other}s its ${part}."""
    ${part}s = load_${part}s(${thing}_id, limit=limit)
    for ${part} in ${part}s:
        if ${part}.expired:
            continue
        ${other}_${part}(${part})
    logging.info("${action} %s", ${thing}_id)
    return len(${part}s)

`;
}
