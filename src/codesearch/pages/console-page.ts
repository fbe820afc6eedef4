import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isSpecifiedScalarType,
  isUnionType,
} from 'graphql';
import { type Html, html } from './html.ts';
import { formTokenField, type Page, page } from './page.ts';
import type { PageRequest } from './request.ts';

/** What the console shows: the texts of its form, and the reply to them. */
export interface ConsoleContent {
  query: string;
  variables: string;
  /** JSON, or the sentence that says what is wrong with the variables. */
  result?: string;
}

const EXAMPLE = '{\n  currentUser {\n    username\n  }\n}\n';

/** Builds the pages of the console: a query, its variables, its reply, and the documentation of the schema. */
export function createConsolePage(schema: GraphQLSchema) {
  const documentation = documentSchema(schema);
  return (
    { viewer, formToken }: Pick<PageRequest, 'viewer' | 'formToken'>,
    { query, variables, result }: ConsoleContent = { query: EXAMPLE, variables: '' },
  ): Page =>
    page({
      title: 'API console',
      settingsEntry: '/api/console',
      viewer,
      formToken,
      detail: html`GraphQL at <code>/.api/graphql</code>`,
      body: html`<form class="console" method="post" action="/api/console">${formTokenField(formToken)}
<label>Query<textarea name="query" rows="12" spellcheck="false" autocapitalize="off" required>
${query}</textarea></label>
<label>Variables (JSON)<textarea name="variables" rows="3" spellcheck="false" placeholder="{ }">
${variables}</textarea></label>
${
  formToken === undefined
    ? html`<p class="notice"><a href="/sign-in?returnTo=%2Fapi%2Fconsole">Sign in</a> to run queries here, or send them with an access token to <code>/.api/graphql</code>.</p>`
    : html`<button class="primary">Run</button>`
}</form>
${result === undefined ? undefined : html`<h2>Result</h2><pre id="result" role="status">${result}</pre>`}
<h2>Documentation</h2>${documentation}`,
    });
}

/** Every type of the schema, those of operations first, with links between them. */
function documentSchema(schema: GraphQLSchema): Html {
  const operations = [schema.getQueryType(), schema.getMutationType()].flatMap((type) => type ?? []);
  const others = Object.values(schema.getTypeMap())
    .filter((type) => !operations.some((own) => own === type))
    .filter((type) => !type.name.startsWith('__') && !isSpecifiedScalarType(type))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const parts = [...operations, ...others].map(
    (type) =>
      html`<section id="type-${type.name}"><h3>${type.name}</h3>${described(type.description)}${members(type)}</section>`,
  );
  return html`<div class="docs">${parts}</div>`;
}

function members(type: GraphQLNamedType): Html | undefined {
  if (isObjectType(type) || isInterfaceType(type))
    return html`<dl>${Object.values(type.getFields()).map(fieldPart)}</dl>`;
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields());
    return html`<dl>${fields.map((field) => html`<dt><code>${field.name}: ${typeLink(field.type)}</code></dt><dd>${described(field.description)}</dd>`)}</dl>`;
  }
  if (isEnumType(type))
    return html`<p><code>${type
      .getValues()
      .map(({ name }) => name)
      .join(' | ')}</code></p>`;
  return isUnionType(type) ? html`<p>${type.getTypes().map((one) => html`${typeLink(one)} `)}</p>` : undefined;
}

function fieldPart({ name, args, type, description, deprecationReason }: GraphQLField<unknown, unknown>): Html {
  const given = args.map(
    (argument) =>
      html`<li><code>${argument.name}: ${typeLink(argument.type)}</code> ${argument.description ?? undefined}</li>`,
  );
  return html`<dt><code>${name}: ${typeLink(type)}</code></dt><dd>${described(description)}${
    deprecationReason == null ? undefined : html`<p>Deprecated: ${deprecationReason}</p>`
  }${given.length === 0 ? undefined : html`<ul>${given}</ul>`}</dd>`;
}

function described(description: string | null | undefined): Html | undefined {
  return description == null ? undefined : html`<p>${description}</p>`;
}

/** A type as the schema writes it, `[Repository!]!`, with a link to its part of the documentation. */
function typeLink(type: { toString(): string } & Parameters<typeof getNamedType>[0]): Html {
  const named = getNamedType(type);
  const text = String(type);
  if (named === undefined || isSpecifiedScalarType(named)) return html`${text}`;
  const [before = '', after = ''] = text.split(named.name);
  return html`${before}<a href="#type-${named.name}">${named.name}</a>${after}`;
}
