import type { Blockquote, Code, List, ListItem, Paragraph, PhrasingContent, RootContent, Table, TableRow } from 'mdast';

export type Frame = Blockquote | List | ListItem | Code | Table | Paragraph;

export type Leaf =
  | { kind: 'block'; node: RootContent }
  | { kind: 'phrasing'; children: PhrasingContent[] }
  /** `glued` continues the line of the unit before. */
  | { kind: 'line'; text: string; glued: boolean }
  | { kind: 'row'; row: TableRow; table: Table }
  /** A table without rows. */
  | { kind: 'nothing' };

/** The amounts that Slack limits; all of them add up over the units of a message. */
export interface Cost {
  /** Characters as Markdown. */
  markdown: number;
  /** Characters as Slack counts them in a message, with an allowance for every block it makes of the Markdown. */
  weight: number;
  /** Characters as mrkdwn. */
  mrkdwn: number;
  /** Blocks Slack makes of the Markdown. */
  blocks: number;
  tableRows: number;
  tableText: number;
}

export const NO_COST: Cost = { markdown: 0, weight: 0, mrkdwn: 0, blocks: 0, tableRows: 0, tableText: 0 };

/** The smallest piece of a document that is never divided, with the containers it stands in, outermost first. */
export interface Unit {
  frames: Frame[];
  leaf: Leaf;
  cost: Cost;
  /** What its containers cost again when a message begins with this unit instead of the container's first. */
  reopening: Cost;
  /** How good it is to begin a message here; higher is better. */
  boundary: number;
}
