import type { Blockquote, Code, List, ListItem, Paragraph, PhrasingContent, RootContent, Table, TableRow } from 'mdast';

export type Frame = Blockquote | List | ListItem | Code | Table | Paragraph;

export type Leaf =
  | { kind: 'block'; node: RootContent }
  | { kind: 'phrasing'; children: PhrasingContent[] }
  /** `glued` means that the unit continues the line of the unit before it. */
  | { kind: 'line'; text: string; glued: boolean }
  | { kind: 'row'; row: TableRow; table: Table }
  /** A table without rows. */
  | { kind: 'nothing' };

/** The amounts that Slack limits. Each of them adds up over the units of a message. */
export interface Cost {
  /** Characters as Markdown. */
  markdown: number;
  /** Characters as Slack counts them in a message, with an allowance for each block that it makes of the Markdown. */
  weight: number;
  /** Characters as mrkdwn. */
  mrkdwn: number;
  /** Blocks that Slack makes of the Markdown. */
  blocks: number;
  tableRows: number;
  tableText: number;
}

export const NO_COST: Cost = { markdown: 0, weight: 0, mrkdwn: 0, blocks: 0, tableRows: 0, tableText: 0 };

/** The smallest piece of a document, which is never divided, with its containers from the outermost in. */
export interface Unit {
  frames: Frame[];
  leaf: Leaf;
  cost: Cost;
  /**
   * Cost of opening its containers again, when a message begins with this unit and not with the container's first one.
   */
  reopening: Cost;
  /** How good this place is for the beginning of a message. Higher is better. */
  boundary: number;
}
