import fc from 'fast-check';
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';

/** A query with its variables. */
export interface GeneratedQuery {
  query: string;
  variables: Record<string, unknown>;
}

/** Values for arguments by their names; an argument without values is left out. */
export type ArgumentValues = Readonly<Record<string, readonly unknown[]>>;

const DEEPEST = 6;

/** Optional arguments without which a field finds nothing. */
const wanted = new Set(['name', 'id']);

/**
 * Valid queries of a schema: fields with arguments, aliases, fragments, directives and variables. Leaves out `ignored` fields.
 * Each query is the same whenever its choices are the same, so that fast-check can make it smaller.
 */
export function validQueries(
  schema: GraphQLSchema,
  values: ArgumentValues,
  ignored: ReadonlySet<string>,
): fc.Arbitrary<GeneratedQuery> {
  return fc.array(fc.nat({ max: 999 }), { minLength: 30, maxLength: 400, size: 'max' }).map((choices) => {
    let position = 0;
    // Without choices left, the first possibility is taken, which ends the query.
    const choose = (count: number): number => (count === 0 ? 0 : (choices[position++] ?? 0) % count);
    const variables: Record<string, unknown> = {};
    const definitions: string[] = [];
    const fragments: string[] = [];
    let names = 0;

    function value(argument: GraphQLArgument): string | undefined {
      const options = values[argument.name];
      if (options === undefined) return undefined;
      const chosen = options[choose(options.length)];
      if (choose(3) > 0 || typeof chosen === 'boolean') return JSON.stringify(chosen);
      const name = `v${names++}`;
      variables[name] = chosen;
      definitions.push(`$${name}: ${typeText(argument.type)}`);
      return `$${name}`;
    }

    function field(of: GraphQLField<unknown, unknown>, depth: number): string {
      const given = of.args.flatMap((argument) => {
        const text =
          isRequiredArgument(argument) || wanted.has(argument.name) || choose(5) === 1 ? value(argument) : undefined;
        return text === undefined ? [] : [`${argument.name}: ${text}`];
      });
      const alias = given.length > 0 || choose(3) === 1 ? `a${names++}: ` : '';
      const directive = choose(12) === 1 ? ` @include(if: ${choose(2) === 1})` : '';
      const type = getNamedType(of.type);
      const inner = isLeafType(type) ? '' : ` ${selection(type, depth + 1)}`;
      return `${alias}${of.name}${given.length > 0 ? `(${given.join(', ')})` : ''}${directive}${inner}`;
    }

    function selection(type: GraphQLNamedType, depth: number): string {
      if (isAbstractType(type)) {
        const possible = schema.getPossibleTypes(type);
        const chosen = possible[choose(possible.length)];
        const inner = chosen === undefined ? '' : ` ... on ${chosen.name} ${selection(chosen, depth)}`;
        return `{ __typename${inner} }`;
      }
      if (!isObjectType(type)) throw new Error(`${type.name} has no fields`);
      const usable = fieldsOf(type, depth);
      const chosen = Array.from({ length: 1 + choose(4) }, () => usable[choose(usable.length)]);
      const parts = chosen.map((one) => (one === undefined ? '__typename' : field(one, depth)));
      if (choose(6) !== 1) return `{ ${parts.join(' ')} }`;
      const name = `F${names++}`;
      fragments.push(`fragment ${name} on ${type.name} { ${parts.join(' ')} }`);
      return `{ ...${name} }`;
    }

    /** Fields with objects stand here more often, because the many leaves would end most queries early. */
    function fieldsOf(type: GraphQLObjectType, depth: number): GraphQLField<unknown, unknown>[] {
      return Object.values(type.getFields()).flatMap((one) => {
        const isLeaf = isLeafType(getNamedType(one.type));
        if (ignored.has(`${type.name}.${one.name}`) || (depth >= DEEPEST && !isLeaf)) return [];
        if (one.args.some((argument) => isRequiredArgument(argument) && values[argument.name] === undefined)) return [];
        return Array<typeof one>(isLeaf ? 1 : 3).fill(one);
      });
    }

    const root = schema.getQueryType();
    if (root == null) throw new Error('a schema without queries');
    const body = selection(root, 0);
    const head = definitions.length > 0 ? `query Q(${definitions.join(', ')}) ` : 'query Q ';
    return { query: [`${head}${body}`, ...fragments].join('\n'), variables };
  });
}

function typeText(type: GraphQLInputType): string {
  return type.toString();
}
