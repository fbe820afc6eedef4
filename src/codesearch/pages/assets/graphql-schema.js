/**
 * The schema of the service as introspection describes it.
 *
 * @typedef {{ kind: string, name: string | null, ofType: TypeRef | null }} TypeRef
 * @typedef {{ name: string, description: string | null, type: TypeRef, defaultValue: string | null }} ArgumentInfo
 * @typedef {{ name: string, description: string | null, args: ArgumentInfo[], type: TypeRef, isDeprecated: boolean, deprecationReason: string | null }} FieldInfo
 * @typedef {{
 *   kind: string, name: string, description: string | null, fields: FieldInfo[] | null, inputFields: ArgumentInfo[] | null,
 *   enumValues: { name: string, description: string | null }[] | null,
 *   interfaces: { name: string }[] | null, possibleTypes: { name: string }[] | null,
 * }} TypeInfo
 * @typedef {{ name: string, description: string | null, args: ArgumentInfo[] }} DirectiveInfo
 * @typedef {{ __schema: { queryType: { name: string }, mutationType: { name: string } | null, types: TypeInfo[], directives: DirectiveInfo[] } }} Introspection
 * @typedef {ReturnType<typeof createSchema>} Schema
 */

const TYPE_REF =
  'kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } } }';

export const INTROSPECTION = `query Introspection {
  __schema {
    queryType { name }
    mutationType { name }
    types {
      kind name description
      fields(includeDeprecated: true) {
        name description isDeprecated deprecationReason
        args { name description defaultValue type { ${TYPE_REF} } }
        type { ${TYPE_REF} }
      }
      inputFields { name description defaultValue type { ${TYPE_REF} } }
      enumValues(includeDeprecated: true) { name description }
      interfaces { name }
      possibleTypes { name }
    }
    directives { name description args { name description defaultValue type { ${TYPE_REF} } } }
  }
}`;

/** @type {FieldInfo} */
const TYPENAME = {
  name: '__typename',
  description: 'The name of the type of this object.',
  args: [],
  type: { kind: 'NON_NULL', name: null, ofType: { kind: 'SCALAR', name: 'String', ofType: null } },
  isDeprecated: false,
  deprecationReason: null,
};

/** @param {Introspection} introspection */
export function createSchema({ __schema: schema }) {
  const byName = new Map(schema.types.map((type) => [type.name, type]));

  /** @param {TypeRef | null | undefined} reference */
  function typeOf(reference) {
    let inner = reference;
    while (inner?.ofType) inner = inner.ofType;
    return inner?.name ? byName.get(inner.name) : undefined;
  }

  /**
   * @param {TypeRef | null} reference
   * @returns {string}
   */
  function typeText(reference) {
    if (reference === null) return '';
    if (reference.kind === 'NON_NULL') return `${typeText(reference.ofType)}!`;
    if (reference.kind === 'LIST') return `[${typeText(reference.ofType)}]`;
    return reference.name ?? '';
  }

  /** @param {TypeInfo | undefined} type */
  function fieldsOf(type) {
    if (type === undefined || type.kind === 'SCALAR' || type.kind === 'ENUM') return [];
    return [...(type.fields ?? []), TYPENAME];
  }

  return {
    types: schema.types,
    directives: schema.directives,
    queryType: byName.get(schema.queryType.name),
    mutationType: schema.mutationType === null ? undefined : byName.get(schema.mutationType.name),
    typeOf,
    typeText,
    fieldsOf,
    /** @param {string} name */
    type: (name) => byName.get(name),
    /**
     * @param {TypeInfo | undefined} type
     * @param {string} name
     */
    field: (type, name) => fieldsOf(type).find((field) => field.name === name),
    /** @param {string} name */
    directive: (name) => schema.directives.find((directive) => directive.name === name),
  };
}
