import { LIMITS } from '../limits.ts';
import { PATTERN_TYPES, type PatternNode, type PatternType, type Query, type QueryNode, QueryProblem } from './ast.ts';
import { createScanner, plainSlashes, type Term, type Token } from './scanner.ts';

export interface ParseOptions {
  /** `patternType:` in the query wins over this, and this over `version`. */
  patternType?: PatternType | undefined;
  version?: 'V1' | 'V2' | 'V3' | undefined;
}

const BY_VERSION: Record<'V1' | 'V2' | 'V3', PatternType> = { V1: 'regexp', V2: 'literal', V3: 'standard' };

/** Parses a query. Only its form is checked here; `planQuery` checks what its filters and patterns mean. Throws {@link QueryProblem}. */
export function parseQuery(text: string, { patternType, version = 'V3' }: ParseOptions = {}): Query {
  if (text.length > LIMITS.queryCharacters) throw tooLarge(`A query has at most ${LIMITS.queryCharacters} characters.`);
  const given = patternType ?? BY_VERSION[version];
  return parseAs(text, askedPatternType(text, given) ?? given);
}

export function tooLarge(description: string): QueryProblem {
  return new QueryProblem('query-too-large', 'The query is too large', description);
}

/** The value of `patternType:` anywhere in the query: it decides how all other words are read. */
function askedPatternType(text: string, given: PatternType): PatternType | undefined {
  const scanner = createScanner(text, given);
  const found = new Set<PatternType>();
  let depth = 0;
  for (let token = scanner.next(depth); token.kind !== 'end'; token = scanner.next(depth)) {
    if (token.kind === 'open') depth += 1;
    if (token.kind === 'close') depth -= 1;
    if (token.kind !== 'filter' || token.field !== 'patterntype') continue;
    const type = PATTERN_TYPES.find((each) => each === token.value.toLowerCase());
    if (type !== undefined) found.add(type);
    if (type === undefined || token.negated || found.size > 1) {
      const description = `patternType: is one of ${PATTERN_TYPES.join(', ')}, for the whole query.`;
      throw new QueryProblem('invalid-filter', 'The filter patternType: is wrong', description);
    }
  }
  return [...found][0];
}

const END: ReadonlySet<Token['kind']> = new Set(['end', 'close', 'and', 'or']);

/**
 * or := and ("OR" and)* ; and := sequence ("AND" sequence)* ; sequence := (["NOT"] operand)+ ;
 * operand := "(" or ")" | filter | pattern. A negative sign before a term is `NOT`.
 */
function parseAs(text: string, patternType: PatternType): Query {
  const scanner = createScanner(text, patternType);
  let depth = 0;
  let terms = 0;
  let shape = 'filters' as Shape;
  let token: Token = scanner.next(0);

  function advance(): void {
    token = scanner.next(depth);
  }

  function operation(kind: 'or' | 'and', part: () => QueryNode | undefined): QueryNode | undefined {
    const operands = [part()];
    while (token.kind === kind) {
      advance();
      operands.push(part());
    }
    if (operands.length > 1 && operands.includes(undefined)) {
      const name = kind.toUpperCase();
      throw syntax(`${name} needs a term on both sides. To search for the word itself, write content:"${kind}".`);
    }
    return combine(
      kind,
      operands.flatMap((node) => node ?? []),
    );
  }

  const disjunction = (): QueryNode | undefined => operation('or', conjunction);
  const conjunction = (): QueryNode | undefined => operation('and', sequence);

  function sequence(): QueryNode | undefined {
    const items: Item[] = [];
    while (!END.has(token.kind)) {
      const item = operand();
      shape = nextShape(shape, item);
      items.push(item);
      terms += 1;
      if (terms > LIMITS.queryTerms) throw tooLarge(`A query has at most ${LIMITS.queryTerms} terms.`);
    }
    return combine('and', joinPatterns(items, patternType));
  }

  function operand(): Item {
    const current = token;
    if (current.kind === 'open') return group();
    advance();
    switch (current.kind) {
      case 'not': {
        if (END.has(token.kind)) {
          throw syntax('NOT needs a term behind it. To search for the word itself, write content:"not".');
        }
        const { node } = operand();
        return { node: node && negate(node), form: 'other' };
      }
      case 'unsupported':
        throw new QueryProblem(
          'unsupported-filter',
          `The filter ${current.name}: is not offered`,
          `This service has no filter ${current.name}:. To search for the text itself, write content:"${current.name}:…".`,
        );
      case 'filter':
        if (current.field === 'patterntype') return { node: undefined, form: 'filter' };
        return { node: { ...current, field: current.field }, form: 'filter' };
      case 'pattern':
      case 'content': {
        const node = patternNode(current, patternType);
        if (current.negated) return { node: negate(node), form: 'other' };
        return { node, form: current.form === 'bare' && current.kind === 'pattern' ? 'bare' : 'other' };
      }
      default:
        return { node: undefined, form: 'other' };
    }
  }

  function group(): Item {
    shape = 'other';
    depth += 1;
    if (depth > LIMITS.queryDepth) throw tooLarge(`Groups are nested at most ${LIMITS.queryDepth} deep.`);
    advance();
    const node = disjunction();
    if (token.kind !== 'close') throw syntax('A group is not closed: ")" is missing.');
    depth -= 1;
    advance();
    return { node, form: 'other' };
  }

  const root = disjunction();
  return { patternType, root: shape === 'other' ? root : spreadFilters(root) };
}

/**
 * Where the parser is in a query without groups that has filters, then patterns, then filters. In such a query the filters hold
 * for all alternatives, as in the public service: `repo:a b OR c` is `repo:a (b OR c)`.
 */
type Shape = 'filters' | 'patterns' | 'last filters' | 'other';

function nextShape(shape: Shape, { node, form }: Item): Shape {
  if (shape === 'other') return 'other';
  if (form === 'filter' || node?.kind === 'filter') return shape === 'filters' ? 'filters' : 'last filters';
  return shape === 'last filters' ? 'other' : 'patterns';
}

/** Takes the filters out of alternatives; each alternative must have a pattern of its own. */
function spreadFilters(root: QueryNode | undefined): QueryNode | undefined {
  if (root?.kind !== 'or') return root;
  const patterns = root.operands.flatMap((operand) => combine('and', partsOf(operand).filter(isNoFilter)) ?? []);
  if (patterns.length < root.operands.length) return root;
  const filters = root.operands.flatMap(partsOf).filter((node) => !isNoFilter(node));
  return combine('and', [...filters, { kind: 'or', operands: patterns }]);
}

const partsOf = (node: QueryNode): readonly QueryNode[] => (node.kind === 'and' ? node.operands : [node]);
const isNoFilter = ({ kind }: QueryNode): boolean => kind !== 'filter';

interface Item {
  node: QueryNode | undefined;
  /** Bare patterns are joined with those beside them; filters between them do not matter. */
  form: 'bare' | 'filter' | 'other';
}

function patternNode({ form, text }: Term, patternType: PatternType): PatternNode {
  const isRegexp = form === 'regexp' || (form === 'bare' && patternType === 'regexp');
  return { kind: 'pattern', syntax: isRegexp ? 'regexp' : 'literal', text: isRegexp ? plainSlashes(text) : text };
}

/**
 * Bare words beside each other are one text with single spaces (standard, literal) or one expression with anything between
 * (regexp); in a keyword search each stays a separate pattern.
 */
function joinPatterns(items: readonly Item[], patternType: PatternType): QueryNode[] {
  const nodes: QueryNode[] = [];
  let run: PatternNode[] = [];
  const flush = (): void => {
    if (run.length > 0) nodes.push(...joined(run, patternType));
    run = [];
  };
  for (const { node, form } of items) {
    if (form === 'bare' && node?.kind === 'pattern') run.push(node);
    else {
      if (form === 'other') flush();
      if (node !== undefined) nodes.push(node);
    }
  }
  flush();
  return nodes;
}

function joined(run: readonly PatternNode[], patternType: PatternType): PatternNode[] {
  if (patternType === 'keyword' || run.length === 1) return [...run];
  const texts = run.map(({ text }) => text);
  return patternType === 'regexp'
    ? [{ kind: 'pattern', syntax: 'regexp', text: texts.map((text) => `(?:${text})`).join('.*?') }]
    : [{ kind: 'pattern', syntax: 'literal', text: texts.join(' ') }];
}

/** `and` and `or` in a normal form: at least two operands, none of the same kind. */
export function combine(kind: 'and' | 'or', nodes: readonly QueryNode[]): QueryNode | undefined {
  const operands = nodes.flatMap((node) => (node.kind === kind ? node.operands : [node]));
  return operands.length < 2 ? operands[0] : { kind, operands };
}

/** A filter is negated in place, a double negation disappears. */
export function negate(node: QueryNode): QueryNode {
  if (node.kind === 'not') return node.operand;
  return node.kind === 'filter' ? { ...node, negated: !node.negated } : { kind: 'not', operand: node };
}

function syntax(description: string): QueryProblem {
  return new QueryProblem('invalid-syntax', 'The query is not valid', description);
}
