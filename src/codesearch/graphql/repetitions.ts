import { type DocumentNode, Kind, print, type SelectionNode, type SelectionSetNode } from 'graphql';

/**
 * The document without selections that stand twice in one place. Equal selections can't conflict, and without them the
 * check for conflicts stays far below the number of comparisons after which it gives up.
 */
export function withoutRepetitions(document: DocumentNode): DocumentNode {
  const ids = new Map<string, number>();

  function idOf(text: string): number {
    const id = ids.get(text) ?? ids.size;
    ids.set(text, id);
    return id;
  }

  function distinct(set: SelectionSetNode): { set: SelectionSetNode; id: number } {
    const found = new Map<number, SelectionNode>();
    for (const selection of set.selections) {
      const { node, id } = identify(selection);
      if (!found.has(id)) found.set(id, node);
    }
    return { set: { ...set, selections: [...found.values()] }, id: idOf(`{${[...found.keys()].join(' ')}}`) };
  }

  function identify(selection: SelectionNode): { node: SelectionNode; id: number } {
    const directives = (selection.directives ?? []).map(print).join(' ');
    if (selection.kind === Kind.FRAGMENT_SPREAD) {
      return { node: selection, id: idOf(`...${selection.name.value} ${directives}`) };
    }
    const inner = selection.selectionSet === undefined ? undefined : distinct(selection.selectionSet);
    if (selection.kind === Kind.FIELD) {
      const parameters = (selection.arguments ?? []).map(print).join(' ');
      const id = idOf(
        `${selection.alias?.value ?? ''}:${selection.name.value}(${parameters})${directives} ${inner?.id ?? ''}`,
      );
      return { node: inner === undefined ? selection : { ...selection, selectionSet: inner.set }, id };
    }
    const id = idOf(`...on ${selection.typeCondition?.name.value ?? ''} ${directives} ${inner?.id ?? ''}`);
    return { node: inner === undefined ? selection : { ...selection, selectionSet: inner.set }, id };
  }

  const definitions = document.definitions.map((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION || definition.kind === Kind.FRAGMENT_DEFINITION
      ? { ...definition, selectionSet: distinct(definition.selectionSet).set }
      : definition,
  );
  return { ...document, definitions };
}
