import { parser } from '@prometheus-io/lezer-promql';

/** A metric as an expression selects it, and the values of its labels that the expression names. */
export interface Selector {
  metric: string;
  /** A value of a regular expression is one of its alternatives. */
  labels: { name: string; values: string[] }[];
}

export interface Expression {
  selectors: Selector[];
  /** Labels of `by (…)`, `without (…)` and `on (…)`. */
  groupedBy: string[];
}

/** Parses PromQL with the grammar of Prometheus' own editor. Throws for an expression that is none. */
export function parsePromQl(text: string): Expression {
  const selectors: Selector[] = [];
  const groupedBy: string[] = [];
  let isInGrouping = false;
  parser.parse(text).iterate({
    enter: (node) => {
      const part = text.slice(node.from, node.to);
      if (node.type.isError) throw new Error(`no PromQL at ${node.from}: ${text}`);
      if (node.name === 'GroupingLabels') isInGrouping = true;
      if (node.name === 'LabelName' && isInGrouping) groupedBy.push(part);
      if (node.name === 'VectorSelector') selectors.push({ metric: '', labels: [] });
      const selector = selectors.at(-1);
      if (node.name === 'Identifier' && selector?.metric === '') selector.metric = part;
      if (node.name === 'UnquotedLabelMatcher') selector?.labels.push(matcherOf(part));
    },
    leave: (node) => {
      if (node.name === 'GroupingLabels') isInGrouping = false;
    },
  });
  return { selectors, groupedBy };
}

function matcherOf(text: string): { name: string; values: string[] } {
  const [, name = '', operator = '', value = ''] = /^(\w+)\s*(=~|!~|!=|=)\s*"(.*)"$/.exec(text) ?? [];
  return { name, values: operator.includes('~') ? value.split('|') : [value] };
}
